"""Units of measure and currencies, with the factors that make equal quantities equal."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from evaluators.lexical import tables


class Dimension(StrEnum):
    """What a quantity measures. Quantities of different dimensions are never compared."""

    TIME = "time"
    LENGTH = "length"
    AREA = "area"
    MASS = "mass"
    VOLUME = "volume"
    SPEED = "speed"
    DATA = "data"
    TEMPERATURE = "temperature"
    SHARE = "share"
    MONEY = "money"
    COUNT = "count"
    ORDINAL = "ordinal"


@dataclass(frozen=True, slots=True)
class Unit:
    """`factor` converts to the base unit of the dimension; units that cannot be converted differ by `name`."""

    name: str
    dimension: Dimension
    factor: float = 1.0


def _units() -> Iterator[tuple[str, Unit]]:
    for key, forms in tables.entries("units").items():
        dimension, name, factor = key.split()
        for form in forms:
            yield form, Unit(name, Dimension(dimension), float(factor))


UNITS = dict(_units())
# Words that stand between a number and its unit without changing it: 5 business days.
BETWEEN = frozenset(tables.words("between_number_and_unit"))
