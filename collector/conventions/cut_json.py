"""JSON that an attribute length limit cut: keep what is whole, and what there is of the last string."""

import re

import orjson

CUT_MARK = "\ue0ff"
"""Ends the string that was cut; a private-use character, so no text ends in it otherwise."""

MAX_DEPTH = 64

_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z)|[{}\[\],]', re.DOTALL)
_HALF_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?\Z")
_CLOSER = {"{": "}", "[": "]"}


def repair(text: str) -> object | None:
    """The value that `text` is the beginning of; None where that is no JSON array, object or string."""
    if text.startswith('"'):
        return _try(_HALF_ESCAPE.sub("", text) + CUT_MARK + '"')
    open_brackets: list[str] = []
    whole, whole_brackets = 0, ""
    tail = ""
    for token in _TOKEN.finditer(text):
        found = token.group()
        if found in _CLOSER:
            open_brackets.append(_CLOSER[found])
            if len(open_brackets) > MAX_DEPTH:
                return None
            whole, whole_brackets = token.end(), _closing(open_brackets)
        elif found == ",":
            whole, whole_brackets = token.start(), _closing(open_brackets)
        elif found in ("}", "]"):
            if not open_brackets or open_brackets.pop() != found:
                return None
        elif token.end() == len(text) and not _is_closed(found):
            tail = found
    if not open_brackets:
        return None
    if tail:
        body = _HALF_ESCAPE.sub("", text) + CUT_MARK + '"'
        return _try(body + _closing(open_brackets)) or _try(text[:whole] + whole_brackets)
    return _try(text + _closing(open_brackets)) or _try(text[:whole] + whole_brackets)


def _closing(brackets: list[str]) -> str:
    return "".join(reversed(brackets))


def _is_closed(string: str) -> bool:
    body = string[1:]
    backslashes = len(body[:-1]) - len(body[:-1].rstrip("\\"))
    return body.endswith('"') and backslashes % 2 == 0


def _try(text: str) -> object | None:
    try:
        value: object = orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
    return value if isinstance(value, dict | list | str) else None
