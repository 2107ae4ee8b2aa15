"""The JSON Schema of a verdict, within what servers' strict modes accept: every field required, none else allowed."""

from typing import Any

from evaluators.facets import Facet, Support


def verdict_schema(facets: frozenset[Facet]) -> dict[str, Any]:
    """The schema of a verdict on `facets`. It names no chunk ids, so that a server compiles it once."""
    return _object({_FIELDS[facet][0]: _FIELDS[facet][1] for facet in Facet if facet in facets})


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _list_of(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": _object(properties)}


_TEXT = {"type": "string"}
_TEXT_OR_NULL = {"type": ["string", "null"]}
_NUMBER = {"type": "number"}
_KINDS = {"type": "string", "enum": ["number", "unit", "date", "name", "negation", "statement"]}

_FIELDS = {
    Facet.CLAIM_SUPPORT: (
        "claims",
        _list_of(
            {
                "claim": _TEXT,
                "support": {"type": "string", "enum": [support.value for support in Support]},
                "chunk": _TEXT_OR_NULL,
                "quote": _TEXT_OR_NULL,
                "conflict": {"anyOf": [_object({"kind": _KINDS, "claimed": _TEXT, "found": _TEXT}), {"type": "null"}]},
            }
        ),
    ),
    Facet.CHUNK_RELEVANCE: ("relevance", _list_of({"chunk": _TEXT, "score": _NUMBER})),
    Facet.ANSWER_FIT: ("answer", _object({"relevancy": _NUMBER, "abstained": {"type": "boolean"}})),
}
