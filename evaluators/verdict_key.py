"""What makes two questions to a judge the same question."""

import hashlib
from collections.abc import Iterable

from evaluators.facets import Facet
from evaluators.sample import RagSample

NEEDS_ANSWER = frozenset(Facet) - {Facet.CHUNK_RELEVANCE}
NEEDS_CONTEXT = frozenset(Facet) - {Facet.ANSWER_FIT, Facet.KEY_POINTS}
_NEEDS_REFERENCE = frozenset({Facet.REFERENCE_CLAIMS, Facet.KEY_POINTS, Facet.GRADE})


def verdict_key(judge: str, facets: frozenset[Facet], sample: RagSample) -> bytes:
    """32 bytes over facets, judge (identity), question, and of answer, ordered context and reference what these need.

    The operator's rubric is part of the judge's identity.
    """
    asked = ",".join(sorted(facets))
    answer = sample.answer if facets & NEEDS_ANSWER else None
    context = (chunk.text for chunk in sample.context) if facets & NEEDS_CONTEXT else ()
    compared: tuple[str | None, ...] = ()
    if sample.reference is not None and facets & _NEEDS_REFERENCE:
        # Their number first: a point is no chunk.
        compared = (str(len(sample.reference.key_points)), sample.reference.answer, *sample.reference.key_points)
    return _digest((asked, judge, sample.question, answer, *compared, *context))


def relevance_keys(judge: str, sample: RagSample) -> list[bytes]:
    """One key per chunk of the context: relevance is a matter between the question and the chunk alone."""
    return [_digest(("relevance", judge, sample.question, chunk.text)) for chunk in sample.context]


def _digest(parts: Iterable[str | None]) -> bytes:
    """sha256 over length-prefixed parts, so that no two lists of parts collide; None and "" differ."""
    data = bytearray()
    for part in parts:
        encoded = b"" if part is None else part.encode("utf-8", "surrogatepass")
        data += (0 if part is None else len(encoded) + 1).to_bytes(8, "big")
        data += encoded
    return hashlib.sha256(data).digest()
