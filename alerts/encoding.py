"""JSON that always encodes: texts come from anybody, and a lone surrogate has no UTF-8."""

from collections.abc import Mapping

import orjson


def to_json(document: object) -> bytes:
    """`document` as UTF-8; what it cannot carry is replaced by "?"."""
    try:
        return orjson.dumps(document)
    except orjson.JSONEncodeError:
        return orjson.dumps(_encodable(document))


def _encodable(value: object) -> object:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, Mapping):
        return {str(_encodable(key)): _encodable(one) for key, one in value.items()}
    return [_encodable(one) for one in value] if isinstance(value, list) else value
