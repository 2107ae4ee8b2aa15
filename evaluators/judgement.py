"""What the dispatcher hands on: a judge's word on a sample, or why there is none."""

from dataclasses import dataclass, field

from evaluators.evaluation import Failed, Skipped
from evaluators.facets import Facet, FacetAnswers
from evaluators.judges.base import Usage
from evaluators.sample import RagSample


@dataclass(frozen=True, slots=True)
class Judgement:
    """The end of one submitted sample; there is exactly one for each.

    `result` holds all facets asked or the reason why there are none. `identity` names the model as the provider
    reported it. `usage` is what this judgement cost, nothing where it was `cached`. `age_s` counts from the trace's
    closing. `flags` are those of JudgeReply.
    """

    sample: RagSample
    judge: str
    identity: str
    facets: frozenset[Facet]
    result: FacetAnswers | Skipped | Failed
    usage: Usage = field(default_factory=Usage)
    flags: tuple[str, ...] = ()
    cached: bool = False
    age_s: float = 0.0
