"""Slices: parts of a service's traffic that a rule watches apart, by the values of attributes of its traces."""

import re
from collections.abc import Mapping, Sequence
from typing import Annotated

from pydantic import AfterValidator, Field

from alerts.labels import OTHER, clean_label

Slice = tuple[tuple[str, str], ...]
"""Attributes and their values, in the order of the rule."""

WHOLE: Slice = ()
"""Not a slice: all of the traffic."""

NONE = "__none__"
"""Stands for a trace without the attribute."""

MAX_VALUE = 64

DEFAULT = ("gen_ai.request.model", "gen_ai.prompt.version")
"""What people change most. Instrumentations name the model; few tell the version of the prompt."""

RESERVED = frozenset({"alertname", "service", "metric", "judge", "severity"})
"""Labels that every alert has."""


def label_name(attribute: str) -> str:
    """The label of an attribute, as Prometheus writes it: gen_ai.request.model -> gen_ai_request_model."""
    return re.sub(r"[^a-zA-Z0-9_]", "_", attribute)


def _check_attribute(name: str) -> str:
    if not re.fullmatch(r"[a-zA-Z_][a-zA-Z0-9_.\-]{0,127}", name):
        raise ValueError("is not an attribute: write its name as in gen_ai.request.model")
    if label_name(name) in RESERVED:
        raise ValueError("is a label that every alert already has: slice by another attribute")
    return name


AttributeName = Annotated[str, AfterValidator(_check_attribute)]


def _check_unique(names: tuple[str, ...]) -> tuple[str, ...]:
    labels = [label_name(name) for name in names]
    if doubled := sorted({name for name, label in zip(names, labels, strict=True) if labels.count(label) > 1}):
        raise ValueError(f"{', '.join(doubled)} {'stands twice' if len(doubled) == 1 else 'are one label'}")
    return names


Attributes = Annotated[tuple[AttributeName, ...], Field(max_length=4), AfterValidator(_check_unique)]
"""Each is another way to cut all traffic."""


def slice_of(attributes: Mapping[str, str], names: Sequence[str]) -> Slice:
    """The slice that a trace with these attributes is in."""
    return tuple((name, clean_label(attributes.get(name) or NONE, MAX_VALUE)) for name in names)


def rest_of(names: Sequence[str]) -> Slice:
    """The slice of all that are too many to be watched apart."""
    return tuple((name, OTHER) for name in names)


def shown(one: Slice) -> str:
    """For people: gen_ai.request.model=small, deployment.environment=production."""
    return ", ".join(f"{name}={value}" for name, value in one)


def labels_of(one: Slice) -> dict[str, str]:
    """For Prometheus and Alertmanager."""
    return {label_name(name): value for name, value in one}


def contains(outer: Slice, inner: Slice) -> bool:
    """Whether all traffic of `inner` is also in `outer`."""
    return set(outer) <= set(inner)
