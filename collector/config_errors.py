"""Mistakes in a configuration in the words of its keys: what is wrong there, and what to write in its place."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeAlias, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from alerts.rules.defaults import DEFAULT_RULES

Model: TypeAlias = type[BaseModel]

_LISTS = (tuple, list, Sequence)
_MAPPINGS = (dict, Mapping)
_FOR_TESTS = frozenset({"stub"})
_SELECTORS = ("type", "kind")
_MAX_KEYS = 12
_SIZES = {
    "too_short": "must hold at least {min_length}",
    "too_long": "must hold at most {max_length}",
    "string_too_short": "must not be empty",
    "string_too_long": "must have at most {max_length} characters",
}
_KEY = "[key]"
"""Where pydantic's place of a mistake ends if the key itself is one."""


def lines(error: ValidationError, model: Model) -> list[str]:
    """`path: message` per mistake, without the values. `model` is what was to be validated."""
    told: list[str] = []
    for item in error.errors(include_url=False):
        if item["type"] == "default_factory_not_called":
            continue  # A default that depends on another key, whose own mistake is told.
        if item["type"] == "too_short" and len(item["input"]) >= item["ctx"]["min_length"]:
            continue  # What it holds is a mistake, which is told.
        path, annotation = _follow(model, tuple(part for part in item["loc"] if part != _KEY))
        told.extend(f"{path}: {part}" if path else part for part in _message(item, annotation).splitlines())
    return told


def _message(item: ErrorDetails, annotation: Any) -> str:
    kind, models = item["type"], list(_models(annotation))
    if kind == "extra_forbidden":
        return _unknown_key(str(item["loc"][-1]), models)
    if kind == "invalid_key":
        return "a key must be a word"
    if item["loc"][-1:] == (_KEY,):
        return "a key must be a word: put quotes around a number" if kind == "string_type" else f"the key {_size(item)}"
    if kind in _SIZES:
        return _size(item)
    if kind == "missing":
        return "is missing: it has no default"
    if kind in ("tuple_type", "list_type"):
        return "must be a list"
    if kind in ("model_type", "model_attributes_type", "dict_type"):
        return _must_hold(models)
    if kind == "union_tag_invalid":
        return f"unknown {_selector(item)}; use one of {_tags(item, models)}"
    if kind == "union_tag_not_found":
        return _no_selector(item, models)
    return item["msg"].removeprefix("Value error, ").replace("Input should", "must").replace("must have", "must hold")


def _size(item: ErrorDetails) -> str:
    return _SIZES[item["type"]].format(**item.get("ctx", {}))


def _unknown_key(key: str, models: Iterable[Model]) -> str:
    """`models` are those that may stand where the key was found."""
    known = {name: field for model in models for name, field in _fields(model).items()}
    above = [name for name, annotation in known.items() if any(key in _fields(one) for one in _models(annotation))]
    if len(above) == 1:
        return f"belongs under `{above[0]}:`"
    if "attributes" in known and "." in key:
        return f"attributes go under `attributes:`, so write attributes: {{{key}: ...}}"
    close = get_close_matches(key, known, 1)
    return f"unknown key; did you mean {close[0]!r}?" if close else "unknown key"


def _must_hold(models: Sequence[Model]) -> str:
    keys = list(dict.fromkeys(name for model in models[:1] for name in _fields(model)))
    if len(models) > 1:
        keys = [name for name in _SELECTORS if name in _fields(models[0])]
    if not keys:
        return "must hold keys and values"
    return f"must hold keys: {', '.join(keys[:_MAX_KEYS])}{' ...' if len(keys) > _MAX_KEYS or len(models) > 1 else ''}"


def _no_selector(item: ErrorDetails, models: Sequence[Model]) -> str:
    selector = _selector(item)
    if selector != "kind":
        return f"{selector} is missing: use one of {_tags(item, models)}"
    name = item["input"].get("name") if isinstance(item["input"], Mapping) else None
    own = f"a rule of your own needs kind: one of {_tags(item, models)}"
    if not isinstance(name, str):
        return f"{own}; a built-in rule is changed by its name"
    close = get_close_matches(name, [rule.name for rule in DEFAULT_RULES], 1)
    return f"no built-in rule has this name{f' (did you mean {close[0]!r}?)' if close else ''}; {own}"


def _selector(item: ErrorDetails) -> str:
    return str(item["ctx"]["discriminator"]).strip("'")


def _tags(item: ErrorDetails, models: Iterable[Model]) -> str:
    selector = _selector(item)
    return ", ".join(tag for model in models for tag in _values(model, selector) if tag not in _FOR_TESTS)


# The way from a mistake's place to the models that belong there.


def _follow(model: Model, loc: Sequence[int | str]) -> tuple[str, Any]:
    """The path as it stands in the file, and what belongs there; for a key that is unknown, where it stands."""
    path, annotation = "", model
    for part in loc:
        if chosen := _chosen(annotation, part):
            annotation = chosen
            continue
        path += f"[{part}]" if isinstance(part, int) else f".{part}"
        inner = _inner(annotation, part)
        if inner is None:
            break
        annotation = inner
    return path.lstrip("."), annotation


def _chosen(annotation: Any, part: int | str) -> Any:
    """The alternative that `part` selects: it is no key of the file, but the value of `type` or `kind`."""
    models = list(_models(annotation))
    if len(models) < 2:
        return None
    return next((model for model in models if any(part in _values(model, name) for name in _SELECTORS)), None)


def _inner(annotation: Any, part: int | str) -> Any:
    for option in _options(annotation):
        if isinstance(option, type) and issubclass(option, BaseModel):
            if part in _fields(option):
                return _fields(option)[str(part)]
        elif isinstance(part, int) and get_origin(option) in _LISTS:
            return get_args(option)[0]
        elif get_origin(option) in _MAPPINGS:
            return get_args(option)[1]
    return None


def _fields(model: Model) -> dict[str, Any]:
    return {field.alias or name: field.annotation for name, field in model.model_fields.items()}


def _values(model: Model, name: str) -> tuple[str, ...]:
    field = model.model_fields.get(name)
    return get_args(field.annotation) if field and get_origin(field.annotation) is Literal else ()


def _models(annotation: Any) -> Iterator[Model]:
    for option in _options(annotation):
        if isinstance(option, type) and issubclass(option, BaseModel):
            yield option


def _options(annotation: Any) -> Iterator[Any]:
    origin = get_origin(annotation)
    if origin is Annotated:
        yield from _options(get_args(annotation)[0])
    elif origin in (Union, UnionType):
        for option in get_args(annotation):
            yield from _options(option)
    elif annotation is not NoneType:
        yield annotation
