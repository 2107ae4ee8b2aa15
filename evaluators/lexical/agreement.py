"""Agreement: whether two quantities can be the same amount."""

from evaluators.lexical.quantities import Bound, Quantity
from evaluators.lexical.units import Dimension

_EQUAL = 1e-6
_ABOUT = 0.1
_ROUNDING = 0.05
# A month is 30.4 days and a year 12 of them: after a conversion a small difference is none.
_CONVERSION = 0.045
# From here on, and for small decimals, people round.
_ROUND_FROM, _ROUND_BELOW = 1000, 10


def comparable(one: Quantity, other: Quantity) -> bool:
    """Whether both measure in the same dimension, or count the same things."""
    if one.unit.dimension is not other.unit.dimension:
        return False
    if one.unit.dimension is Dimension.TEMPERATURE:
        return one.unit.name == other.unit.name
    if not one.is_count:
        return True
    if one.nouns and other.nouns:
        return not one.nouns.isdisjoint(other.nouns)
    return not one.nouns and not other.nouns and not one.before.isdisjoint(other.before)


def agree(claimed: Quantity, found: Quantity) -> bool:
    """Whether `found`, which is comparable, can be what is claimed: equal when converted and rounded, or within bounds.

    Amounts of different currencies agree unless the figures are the same: one may be the other, exchanged.
    """
    if claimed.unit.dimension is Dimension.MONEY and claimed.unit.name != found.unit.name:
        return set(claimed.low).isdisjoint(found.low)
    tolerance = _tolerance(claimed, found)
    return any(
        _meet(one, other, tolerance) or _within_bounds(claimed.bound, one, found.bound, other)
        for one in _ends(claimed)
        for other in _ends(found)
    )


def differ_by_unit(claimed: Quantity, found: Quantity) -> bool:
    """Whether the figures are the same and only the unit differs: 30 hours and 30 days."""
    return claimed.unit.name != found.unit.name and not set(claimed.low).isdisjoint(found.low)


def _ends(quantity: Quantity) -> list[tuple[float, float]]:
    """(low, high) in the base unit, for every reading."""
    factor = quantity.unit.factor
    if quantity.low == quantity.high:
        return [(value * factor, value * factor) for value in quantity.low]
    pairs = [(low * factor, high * factor) for low in quantity.low for high in quantity.high if high >= low]
    return pairs or [(quantity.high[0] * factor, quantity.low[0] * factor)]


def _tolerance(claimed: Quantity, found: Quantity) -> float:
    if Bound.ABOUT in (claimed.bound, found.bound):
        return _ABOUT
    if claimed.unit.name != found.unit.name:
        return _CONVERSION
    smaller = min(claimed.low[0], found.low[0])
    if (claimed.rounded or found.rounded) and len(claimed.text) != len(found.text):
        return _ROUNDING if smaller >= _ROUND_FROM or smaller < _ROUND_BELOW else _EQUAL
    return _EQUAL


def _meet(one: tuple[float, float], other: tuple[float, float], tolerance: float) -> bool:
    """A number meets a range that it lies in; two ranges meet where they are the same."""
    slack = tolerance * max(abs(one[0]), abs(other[0]))
    if one[0] == one[1] or other[0] == other[1]:
        return other[0] - slack <= one[1] and one[0] <= other[1] + slack
    return abs(one[0] - other[0]) <= slack and abs(one[1] - other[1]) <= tolerance * max(abs(one[1]), abs(other[1]))


def _within_bounds(bound: Bound, one: tuple[float, float], other_bound: Bound, other: tuple[float, float]) -> bool:
    if bound is other_bound:
        return False
    if bound is Bound.AT_LEAST or other_bound is Bound.AT_MOST:
        return other[1] >= one[0]
    if bound is Bound.AT_MOST or other_bound is Bound.AT_LEAST:
        return other[0] <= one[1]
    return False
