"""Which traces a judge looks at: a function of the trace id only, equal on every replica, at every retry, for ever."""

import hashlib
from collections.abc import Mapping, Sequence
from enum import StrEnum
from fnmatch import fnmatchcase

from pydantic import BaseModel, ConfigDict, Field

from evaluators.sample import RagSample

_SCALE = float(1 << 64)


def position(trace_id: str) -> float:
    """The place of a trace in [0, 1): uniform over any way of making trace ids, equal everywhere.

    It is hashed because ids are not always random: X-Ray ids begin with the time, some SDKs count.
    """
    digest = hashlib.blake2b(trace_id.encode(), digest_size=8, person=b"groundwatch").digest()
    return int.from_bytes(digest, "big") / _SCALE


class SamplingRule(BaseModel):
    """A share of the traces that match. `services` and `attributes` values are globs; all that are given must match."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    rate: float = Field(ge=0.0, le=1.0, allow_inf_nan=False)
    services: tuple[str, ...] = ("*",)
    attributes: Mapping[str, str] = Field(default_factory=dict)

    def matches(self, sample: RagSample) -> bool:
        """Whether the rule is about this trace."""
        return any(fnmatchcase(sample.service, pattern) for pattern in self.services) and all(
            fnmatchcase(sample.attributes.get(key, ""), pattern) for key, pattern in self.attributes.items()
        )


class Decision(StrEnum):
    """What the sampler says of a trace."""

    SAMPLED = "sampled"
    SAMPLED_OUT = "sampled_out"
    EXCLUDED = "excluded"
    NO_RULE = "no_rule"


class Sampler:
    """The first rule that matches decides. Traces kept at a lower rate are a subset of those kept at a higher one."""

    def __init__(self, rules: Sequence[SamplingRule], *, judge_excluded: bool = False) -> None:
        self._rules = tuple(rules)
        self._judge_excluded = judge_excluded
        self.highest_rate = max((rule.rate for rule in self._rules), default=0.0)

    def decide(self, sample: RagSample) -> Decision:
        """Evaluation and playground traffic is excluded unless the operator asked for it."""
        if sample.excluded and not self._judge_excluded:
            return Decision.EXCLUDED
        for rule in self._rules:
            if rule.matches(sample):
                return Decision.SAMPLED if position(sample.trace_id) < rule.rate else Decision.SAMPLED_OUT
        return Decision.NO_RULE

    def can_sample(self, trace_id: str) -> bool:
        """False where no rule at any rate could take this trace: it need not even be read."""
        return position(trace_id) < self.highest_rate
