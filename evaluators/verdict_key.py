"""What makes two questions to a judge the same question."""

import hashlib
from collections.abc import Iterable

from evaluators.facets import Facet
from evaluators.sample import RagSample

NEEDS_ANSWER = frozenset({Facet.CLAIM_SUPPORT, Facet.ANSWER_FIT})
NEEDS_CONTEXT = frozenset({Facet.CLAIM_SUPPORT, Facet.CHUNK_RELEVANCE})


def verdict_key(judge: str, facets: frozenset[Facet], sample: RagSample) -> bytes:
    """32 bytes over facets, judge (identity), question, and of answer and ordered context what these facets need."""
    asked = ",".join(sorted(facets))
    answer = sample.answer if facets & NEEDS_ANSWER else None
    context = (chunk.text for chunk in sample.context) if facets & NEEDS_CONTEXT else ()
    return _digest((asked, judge, sample.question, answer, *context))


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
