"""The JSON Schema of a verdict, within what servers' strict modes accept: every field required, none else allowed."""

from typing import Any

from evaluators.facets import Facet, Support


def verdict_schema(facets: frozenset[Facet]) -> dict[str, Any]:
    """The schema of a verdict on `facets`. It names no chunk ids, so that a server compiles it once."""
    return _object({name: field for facet in Facet if facet in facets for name, field in _FIELDS[facet].items()})


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

_FLAG = {"type": "boolean"}
_EVIDENCE = {"chunk": _TEXT_OR_NULL, "quote": _TEXT_OR_NULL}
_CONFLICT = {"anyOf": [_object({"kind": _KINDS, "claimed": _TEXT, "found": _TEXT}), {"type": "null"}]}
_SUPPORT = {"type": "string", "enum": [support.value for support in Support]}

_FIELDS: dict[Facet, dict[str, Any]] = {
    Facet.CLAIM_SUPPORT: {
        "claims": _list_of({"claim": _TEXT, "support": _SUPPORT, **_EVIDENCE, "conflict": _CONFLICT}),
    },
    Facet.CHUNK_RELEVANCE: {"relevance": _list_of({"chunk": _TEXT, "score": _NUMBER})},
    Facet.ANSWER_FIT: {"answer": _object({"relevancy": _NUMBER, "abstained": _FLAG})},
    Facet.REFERENCE_CLAIMS: {
        "reference": _list_of({"claim": _TEXT, "stated": _FLAG, **_EVIDENCE}),
        "checked": _list_of({"claim": _TEXT, "correct": _FLAG, **_EVIDENCE}),
        "entities": {"type": "array", "items": _TEXT},
        "similarity": _NUMBER,
    },
    Facet.KEY_POINTS: {"points": _list_of({"point": _TEXT, "covered": _FLAG, "quote": _TEXT_OR_NULL})},
    Facet.RUBRIC: {
        "rubric": _list_of({"criterion": _TEXT, "met": _FLAG, "where": _TEXT_OR_NULL, "quote": _TEXT_OR_NULL}),
    },
}
