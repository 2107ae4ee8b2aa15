"""JSON that an attribute length limit cut: keep what is whole, and what there is of the last string."""

import re

import orjson

CUT_MARK = "\ue0ff"
"""Ends the string that was cut; a private-use character, so no text ends in it otherwise."""

MAX_DEPTH = 64
MAX_CHARS = 1 << 18
"""Of longer texts only the beginning is mended: it is Python that looks at every bracket here."""

_STRING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*("|\\?\Z)', re.DOTALL)
_TOKEN = re.compile(rf"{_STRING.pattern}|[{{}}\[\]]", re.DOTALL)
_HALF_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?\Z")
_CLOSER = {"{": "}", "[": "]"}


def repair(text: str) -> object | None:
    """The value that `text` is the beginning of; None where that is no JSON array, object or string."""
    text = text[:MAX_CHARS]
    if text.startswith('"'):
        return _value(_ended(text))
    brackets: list[str] = []
    level = 0
    for token in _TOKEN.finditer(text):
        found = token.group()
        if found[0] == '"':
            continue
        level = token.end()
        if found in _CLOSER:
            brackets.append(_CLOSER[found])
        elif not brackets or brackets.pop() != found:
            return None
        if len(brackets) > MAX_DEPTH:
            return None
    return _closed(text, level, "".join(reversed(brackets))) if brackets else None


def _closed(text: str, level: int, brackets: str) -> object | None:
    """`text` with its brackets closed; since `level` none was opened or closed.

    What is left of the last member is dropped where it is no value: a key, half a number.
    """
    start = end = level
    is_open = False
    for string in _STRING.finditer(text, level):
        (start, end), is_open = string.span(), string.group(1) != '"'
    comma = max(text.rfind(",", end), text.rfind(",", level, start))
    beginnings = [_ended(text) if is_open else text, text[: max(comma, level)], text[:level]]
    return next((value for beginning in beginnings if (value := _value(beginning + brackets)) is not None), None)


def _ended(text: str) -> str:
    """The text with its last string ended, and that marked."""
    return _HALF_ESCAPE.sub("", text) + CUT_MARK + '"'


def _value(text: str) -> object | None:
    try:
        value: object = orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
    return value if isinstance(value, dict | list | str) else None
