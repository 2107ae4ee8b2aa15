"""A submitted sample, while its calls are under way."""

from dataclasses import dataclass, field

from evaluators.call import CallResult
from evaluators.evaluation import Failed, Skipped
from evaluators.facets import Facet, FacetAnswers
from evaluators.judges.base import JudgeReply, Usage
from evaluators.sample import RagSample


@dataclass(slots=True, eq=False)
class Submission:
    """Gathers the parts of an answer. It is whole or not at all: the first failure stands for all of it."""

    sample: RagSample
    facets: frozenset[Facet]
    closed_at: float
    pending: int
    result: FacetAnswers | Skipped | Failed = field(default_factory=FacetAnswers)
    usage: Usage = field(default_factory=Usage)
    model: str | None = None
    flags: tuple[str, ...] = ()
    cached: bool = True

    def add(self, result: CallResult, cached: bool) -> None:
        """Take the end of one of the calls."""
        self.pending -= 1
        if isinstance(result, JudgeReply):
            self._add_reply(result, cached)
        elif isinstance(self.result, FacetAnswers):
            self.result = result
        self.cached = self.cached and cached

    def _add_reply(self, reply: JudgeReply, cached: bool) -> None:
        if isinstance(self.result, FacetAnswers):
            self.result = self.result.merged(reply.answers)
        if not cached:
            self.usage += reply.usage
        self.model = reply.model or self.model
        self.flags = tuple(sorted({*self.flags, *reply.flags}))
