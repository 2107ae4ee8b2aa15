"""The texts of a sample, as a judge is shown them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from evaluators.facets import Facet
from evaluators.sample import RagSample, Reference
from evaluators.verdict_key import NEEDS_ANSWER, NEEDS_CONTEXT


@dataclass(frozen=True, slots=True)
class Shown:
    """`chunks` are at the positions of `RagSample.context`. What the facets do not need is None or empty."""

    question: str = ""
    chunks: tuple[str, ...] = ()
    answer: str | None = None
    reference: str | None = None
    key_points: tuple[str, ...] = ()

    @property
    def fixed(self) -> Iterator[str]:
        """All but the chunks: what is shown whole or not at all."""
        yield self.question
        yield from (text for text in (self.answer, self.reference) if text is not None)
        yield from self.key_points

    def each(self, change: Callable[[str], str]) -> "Shown":
        """The same, with `change` made to every text."""
        return replace(
            self,
            question=change(self.question),
            chunks=tuple(map(change, self.chunks)),
            answer=None if self.answer is None else change(self.answer),
            reference=None if self.reference is None else change(self.reference),
            key_points=tuple(map(change, self.key_points)),
        )


def texts_for(sample: RagSample, facets: frozenset[Facet]) -> Shown:
    """What `facets` need to see of `sample`."""
    reference = sample.reference or Reference()
    return Shown(
        question=sample.question or "",
        chunks=tuple(chunk.text or "" for chunk in sample.context) if facets & NEEDS_CONTEXT else (),
        answer=(sample.answer or "") if facets & NEEDS_ANSWER else None,
        reference=(reference.answer or "") if Facet.REFERENCE_CLAIMS in facets else None,
        key_points=reference.key_points if Facet.KEY_POINTS in facets else (),
    )
