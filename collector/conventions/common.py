"""What several dialects read in the same way."""

from collections.abc import Iterable, Mapping

from collector.attributes import Attributes
from collector.conventions.values import as_id, clean, decode

MAX_FACT = 128
SESSION_KEYS = ("session_id", "thread_id", "conversation_id", "sessionId", "threadId")
USER_KEYS = ("user_id", "userId")


def facts(attributes: Attributes, table: Mapping[str, str]) -> dict[str, str]:
    """Low-cardinality facts: attribute key -> our name for it, values cut at MAX_FACT characters."""
    found = {}
    for key, name in table.items():
        value = attributes.get(key)
        text = as_id(value) if value is not None and not isinstance(value, list | dict) else None
        if text:
            found[name] = text[:MAX_FACT]
    return found


def first(attributes: Attributes, keys: Iterable[str]) -> object | None:
    """The first of the attributes that has a value."""
    for key in keys:
        if (value := attributes.get(key)) is not None:
            return value
    return None


def first_id(attributes: Attributes, keys: Iterable[str]) -> str | None:
    """The first of the attributes that identifies something."""
    return as_id(first(attributes, keys))


def member_id(value: object, keys: tuple[str, ...]) -> str | None:
    """The first of `keys` in metadata that came as JSON or as a mapping."""
    if isinstance(value, str) and not any(key in value for key in keys):
        return None
    members = decode(value).value
    if not isinstance(members, dict):
        return None
    return next((found for key in keys if (found := as_id(members.get(key)))), None)


def short(value: object) -> str:
    """A kind or an operation as it is compared: text, unquoted, in lower case; "" for anything else."""
    return clean(value)[0].strip('" ').lower() if isinstance(value, str) else ""
