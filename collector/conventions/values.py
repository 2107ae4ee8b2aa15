"""Attribute values as instrumentations write them: JSON in strings, JSON in JSON, masks, Python reprs, cut ends."""

import json
import math
import re
from dataclasses import dataclass

import orjson

from collector.conventions.cut_json import CUT_MARK, repair

MAX_NESTING = 4
"""JSON strings inside JSON strings are followed this deep."""

_JSON_START = re.compile(r'\s*(?:\{\s*(?:["}]|$)|\[|")')
_MASK = re.compile(
    r"[\[<{(_*]+\s*(?:redacted|masked|filtered|hidden|scrubbed|removed|sanitized|anonymized)(?![a-z])[^\]>})]{0,80}[\]>})_*]+",
    re.IGNORECASE,
)
_STARS = re.compile(r"\*{3,}|_{0,4}REDACTED_{0,4}|█{3,}")
_MASK_STARTS = ("[", "<", "{", "(", "_", "*", "█", "R")
_OBJECT = re.compile(
    r"""<[^<>]*>\s*\Z                          # <generator object f at 0x7f..>, <3-dimensional vector>
      |<[\w.]+\ object(?:\ at\ 0x|\s|$)       # a cut one
      |<[A-Z]\w*\(                            # <NodeWithScore(node=..)>
      |[A-Z]\w*\((?:\w+=|['"].*\)\s*\Z)      # Document(id=.., GeneratedAnswer('..')
      |content='.*'\s+(?:additional_kwargs|response_metadata)=
    """,
    re.VERBOSE | re.DOTALL,
)
_OBJECT_STARTS = ("<", "content=")
# {'answer': ..}, [{'id': ..}], ['a', 'b'], [Document(id=..)], [<Node(..)>]
_COLLECTION = re.compile(r"\{'|\[\{'|\['|\[<[A-Z]|\[[A-Z]\w*\(\w+=")


@dataclass(frozen=True, slots=True)
class Decoded:
    """A value with its JSON undone. `cut` says that a length limit had cut it and `value` is what was left."""

    value: object
    cut: bool = False


def decode(value: object) -> Decoded:
    """Undo JSON, also JSON that holds a JSON string. Text that is not JSON stays text; "" and null become None."""
    cut = False
    for _ in range(MAX_NESTING):
        if not isinstance(value, str):
            break
        if not value or value == "null":
            return Decoded(None, cut)
        if _JSON_START.match(value) is None:
            break
        undone = _loads(value)
        if undone is None:
            break
        value, cut = undone.value, cut or undone.cut
    return Decoded(value, cut)


def _loads(text: str) -> Decoded | None:
    """The JSON in `text`, mended where it is cut; None where it is none."""
    try:
        return Decoded(orjson.loads(text))
    except orjson.JSONDecodeError:
        pass
    try:
        # NaN and lone surrogates, as Python's own encoder writes them.
        return Decoded(json.loads(text))
    except (ValueError, RecursionError):
        mended = repair(text)
    return None if mended is None else Decoded(mended, cut=True)


def is_masked(value: object) -> bool:
    """Whether the value stands for one that the application hid."""
    if not isinstance(value, str) or len(value) > 120:
        return False
    text = value.strip()
    return text.startswith(_MASK_STARTS) and bool(_MASK.fullmatch(text) or _STARS.fullmatch(text))


def is_object_repr(text: str) -> bool:
    """Whether the text is how Python prints an object: not what anybody wrote or read."""
    text = text.lstrip()
    return (text.startswith(_OBJECT_STARTS) or "(" in text[:64]) and _OBJECT.match(text) is not None


def is_repr(text: str) -> bool:
    """Whether the text is how Python prints an object, a list or a mapping."""
    return is_object_repr(text) or _COLLECTION.match(text.lstrip()) is not None


def clean(text: str) -> tuple[str, bool]:
    """The text without what cannot be stored (NUL, lone surrogates), and whether it was cut."""
    cut = text.endswith(CUT_MARK)
    if cut:
        text = text[:-1]
    if "\x00" in text:
        text = text.replace("\x00", "")
    if not text.isascii():
        text = text.encode("utf-8", "replace").decode()
    return text, cut


def as_id(value: object) -> str | None:
    """An identifier or a short name as text; numbers are written out, anything else and what was cut is None."""
    if isinstance(value, str):
        text, cut = clean(value.strip())
        return None if cut else text or None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else None
    return str(value)


def as_number(value: object) -> float | None:
    """A finite number, also where it was written as text."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None
