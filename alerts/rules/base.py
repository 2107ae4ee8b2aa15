"""What all kinds of rules share: settings, what they are told, and what they say."""

from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatchcase
from typing import Annotated, ClassVar, NamedTuple, Protocol

from pydantic import AfterValidator, Field, StringConstraints

from alerts.findings import Finding, score_of
from alerts.slices import WHOLE, AttributeName, Slice, shown
from alerts.strict import Strict, Url
from alerts.windows import Tally
from evaluators.duration import Duration
from evaluators.evaluation import Assessment
from evaluators.facets import Facet
from evaluators.metrics import METRICS
from evaluators.statistics import Estimate


class Severity(StrEnum):
    """How soon a person should look: now, today, whenever."""

    PAGE = "page"
    TICKET = "ticket"
    INFO = "info"

    @property
    def rank(self) -> int:
        """0 for the most severe."""
        return list(Severity).index(self)


class Condition(StrEnum):
    """What a rule makes of what it has seen. Only BREACH raises and only CLEAR resolves."""

    BREACH = "breach"
    CLEAR = "clear"
    UNSURE = "unsure"
    TOO_FEW = "too_few"


class Observation(NamedTuple):
    """One thing that happened. `key` says what `value` is; `cause` is why, should it count as a failure."""

    key: str
    value: float
    cause: str = ""


CONTRADICTED = "contradicted"
"""Key: 1 where a claim of the answer is contradicted by a chunk, 0 where none is."""

TRAFFIC = "traffic"
"""Key: a trace of the service was seen."""

RETRIEVED = "retrieved"
"""Key: 1 where a trace's retrieval returned chunks, 0 where it returned none."""

SUSPICION = "suspicion"
"""Key: where a trace holds text that gives orders to a model, 0 where it holds none (`suspicions.value_of`)."""

BREAKER = "breaker"
"""Key: 1 the judge's breaker is open, 0.5 half open, 0 closed."""


def coverage_key(metric: str) -> str:
    """Key: 1 where an eligible trace got a score of `metric`, 0 where it did not."""
    return f"coverage:{metric}"


@dataclass(frozen=True, slots=True)
class Reading:
    """A condition and the numbers behind it. `silent_s` is for rules about absence.

    `p` is how likely such numbers are if all is just within the limit; None where no test was made, or where there are
    no slices to compare.
    """

    condition: Condition
    estimate: Estimate | None = None
    limit: float | None = None
    baseline: Estimate | None = None
    silent_s: float = 0.0
    p: float | None = None


@dataclass(frozen=True, slots=True)
class Case:
    """What a sentence about an alert is made of.

    `hits` counts the failures since it was raised. `cause` is the most frequent one. `finding` is the worst trace.
    """

    service: str
    judge: str
    reading: Reading
    hits: int = 0
    cause: str = ""
    finding: Finding | None = None
    slice: Slice = WHOLE

    @property
    def subject(self) -> str:
        """The service, and the slice of it if it is one."""
        return f"{self.service} ({shown(self.slice)})" if self.slice else self.service


class Watch(Protocol):
    """A rule's memory of one service (and judge). Times are monotonic and never go back.

    `add` counts an observation and returns the place that `retract` needs to take it back. `fails` says whether a
    value is one to cite. `read` forgets what is too old and judges the rest; it is a pure function of what was added,
    the time, and whether the alert is `active` (raised or about to be).
    """

    @property
    def tally(self) -> Tally: ...

    def add(self, at: float, observation: Observation) -> int: ...

    def retract(self, place: int, observation: Observation) -> None: ...

    def fails(self, value: float) -> bool: ...

    def read(self, now: float, *, active: bool) -> Reading: ...


def _known_metric(name: str) -> str:
    if name not in METRICS:
        raise ValueError(f"is not a metric: use one of {', '.join(METRICS)}")
    return name


MetricName = Annotated[str, AfterValidator(_known_metric)]
Share = Annotated[float, Field(ge=0.0, le=1.0)]
Count = Annotated[int, Field(ge=1)]
Names = Annotated[tuple[str, ...], Field(strict=False, min_length=1)]
Attributes = Annotated[tuple[AttributeName, ...], Field(strict=False, max_length=4)]
Causes = Annotated[tuple[str, ...], Field(strict=False)]
Confidence = Annotated[float, Field(gt=0.5, lt=1.0)]


class RuleSettings(Strict):
    """What every rule has.

    `services` are globs. `judge` limits the rule to one judge; without it every judge is watched apart, because scores
    of different judges do not compare. `slice` names attributes of traces: each of their values (each combination, if
    they are several) is watched apart, the first `max_slices` of a service by themselves and the rest as one; of many
    slices tested at once only those count that stand Benjamini and Hochberg's correction. `for` is how long a breach
    must last before it is raised, `clear_for` how long it must be clear before it is resolved. `inhibited_by` names
    rules or kinds that are its causes: while one fires for the same traffic this one is not raised.
    """

    name: Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,63}$")]
    enabled: bool = True
    severity: Annotated[Severity, Field(strict=False)] = Severity.TICKET
    services: Names = ("*",)
    judge: str | None = None
    slice: Attributes = ()
    max_slices: Annotated[int, Field(ge=1, le=1000)] = 50
    for_: Duration = Field(default=0.0, alias="for")
    clear_for: Duration = 0.0
    runbook: Url | None = None
    inhibited_by: Causes = ()

    per_judge: ClassVar[bool] = True
    """Whether judges are watched apart."""

    holds: ClassVar[bool] = True
    """Whether the rule keeps its state while its judge is unavailable."""

    cites: ClassVar[bool] = True
    """Whether alerts name the worst traces."""

    leads_with_finding: ClassVar[bool] = False
    """Whether the worst trace says more than the number."""

    @property
    def kind_name(self) -> str:
        """The kind, as it is written in `kind`."""
        return str(getattr(self, "kind", ""))

    def parts(self) -> tuple["RuleSettings", ...]:
        """The rules that do the work: itself, unless the kind is a shorthand for others."""
        return (self,)

    @property
    def level(self) -> float:
        """How often a single test may err; one half of what lies outside a 95% interval."""
        return 0.025

    def is_compared(self, n: int) -> bool:
        """Whether a slice with so many values takes part in the comparison of slices."""
        return bool(self.slice) and n >= getattr(self, "min_n", 1)

    @property
    def observes(self) -> str:
        """The key of the observations that it wants."""
        raise NotImplementedError

    @property
    def about(self) -> str:
        """The metric that it is about, empty where it is about none."""
        return ""

    @property
    def remembers(self) -> float:
        """Seconds for which a bad trace is worth citing."""
        return 0.0

    @property
    def higher_is_worse(self) -> bool:
        """The direction of the value that is reported."""
        return True

    @property
    def forget_after(self) -> float:
        """Seconds without any observation after which a service is no longer watched."""
        return 86_400.0

    def watch(self) -> Watch:
        """A new, empty memory."""
        raise NotImplementedError

    def badness(self, value: float) -> float:
        """Orders traces: the larger, the more worth citing."""
        return value

    def finding(self, assessment: Assessment) -> Finding:
        """What a bad trace is cited for."""
        metric = METRICS.get(self.about)
        is_about_claims = metric is not None and Facet.CLAIM_SUPPORT in metric.facets
        return Finding.of(assessment, score_of(assessment, self.about), with_claim=is_about_claims)

    def title(self, case: Case) -> str:
        """What the alert is about."""
        return f"{self.about} of {case.subject}"

    def sentence(self, case: Case) -> str:
        """What is wrong, in one sentence without content of a trace."""
        raise NotImplementedError

    def matches(self, service: str, judge: str) -> bool:
        """Whether the rule is about this service and judge."""
        return (self.judge in (None, judge)) and any(fnmatchcase(service, pattern) for pattern in self.services)
