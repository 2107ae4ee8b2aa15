"""A signal: an alert as it leaves, with everything that its reader needs and nothing that must not travel."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from functools import cached_property

from alerts.findings import Finding
from alerts.mix import Change
from alerts.rules.base import Severity
from alerts.slices import WHOLE, Slice, labels_of
from evaluators.statistics import Estimate

SCHEMA = "groundwatch.signal/1"


class SignalState(StrEnum):
    """Whether it still goes on."""

    FIRING = "firing"
    RESOLVED = "resolved"


@dataclass(frozen=True)
class Cited:
    """A bad trace, presentable, and where to look at it; `trace_url` is the trace backend's, empty without one."""

    finding: Finding
    evidence_url: str
    trace_url: str = ""


@dataclass(frozen=True, kw_only=True)
class Signal:
    """One alert at one moment.

    Times are epoch seconds. `count` is how many traces failed since it was raised. `higher_is_worse` tells the
    direction of `estimate` and `limit`, where there is one. Texts are short, on one line and redacted; all come from
    the monitor or as quotes.
    """

    rule: str
    severity: Severity
    service: str
    judge: str = ""
    metric: str = ""
    slice: Slice = WHOLE
    state: SignalState = SignalState.FIRING
    starts_at: float
    ends_at: float | None = None
    summary: str
    description: str = ""
    estimate: Estimate | None = None
    limit: float | None = None
    baseline: Estimate | None = None
    higher_is_worse: bool = True
    count: int = 0
    diagnosis: str = ""
    changes: tuple[Change, ...] = ()
    traces: tuple[Cited, ...] = ()
    runbook: str = ""
    url: str = ""

    @cached_property
    def labels(self) -> dict[str, str]:
        """What identifies the alert, low in cardinality, without empty values."""
        labels = {
            "alertname": self.rule,
            "service": self.service,
            "metric": self.metric,
            "judge": self.judge,
            "severity": self.severity.value,
            **labels_of(self.slice),
        }
        return {name: value for name, value in labels.items() if value}

    @cached_property
    def fingerprint(self) -> str:
        """16 hex digits, equal for the same alert at all times and on all replicas."""
        text = "\xff".join(f"{name}\xfe{value}" for name, value in sorted(self.labels.items()))
        return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]

    @property
    def what_changed(self) -> str:
        """What the traffic is made of now and was not before, in a few words."""
        return "; ".join(map(str, self.changes))

    @property
    def leading_claim(self) -> str:
        """What an alert about single traces leads with, a failing claim or an order; empty for one about a number."""
        worst = self.traces[0].finding if self.traces and self.estimate is None else None
        return worst.claim or worst.excerpt if worst else ""

    def group(self, names: Sequence[str]) -> tuple[str, ...]:
        """What the alert has in common with those of its group."""
        return tuple(self.labels.get(name, "") for name in names)

    @cached_property
    def annotations(self) -> dict[str, str]:
        """What explains the alert, for receivers that take flat texts."""
        worst = self.traces[0].finding if self.traces else None
        texts = {
            "summary": self.summary,
            "description": self.description,
            "diagnosis": self.diagnosis,
            "changed": self.what_changed,
            "count": str(self.count) if self.count else "",
            "claim": worst.claim if worst else "",
            "chunk": worst.chunk if worst else "",
            "quote": worst.quote if worst else "",
            "place": worst.place or "" if worst else "",
            "excerpt": worst.excerpt if worst else "",
            "worst_traces": ", ".join(cited.finding.trace_id for cited in self.traces),
            "evidence_url": self.url,
            "trace_url": self.traces[0].trace_url if self.traces else "",
            "runbook_url" if is_link(self.runbook) else "runbook": self.runbook,
            **self._numbers(),
        }
        return {name: text for name, text in texts.items() if text}

    def _numbers(self) -> dict[str, str]:
        if self.estimate is None:
            return {}
        numbers = {
            "value": f"{self.estimate.value:.3f}",
            "interval": f"{self.estimate.low:.3f} to {self.estimate.high:.3f}",
            "n": str(self.estimate.n),
        }
        return numbers if self.limit is None else numbers | {"limit": f"{self.limit:g}"}

    @property
    def _worse_when(self) -> str | None:
        if self.estimate is None and self.limit is None:
            return None
        return "higher" if self.higher_is_worse else "lower"

    def to_json(self) -> dict[str, object]:
        """The signal for programs; fields are only ever added."""
        return {
            "schema": SCHEMA,
            "fingerprint": self.fingerprint,
            "state": self.state.value,
            "rule": self.rule,
            "severity": self.severity.value,
            "service": self.service,
            "metric": self.metric,
            "judge": self.judge,
            "slice": dict(self.slice),
            "starts_at": iso(self.starts_at),
            "ends_at": None if self.ends_at is None else iso(self.ends_at),
            "summary": self.summary,
            "description": self.description,
            "value": _estimate(self.estimate),
            "limit": self.limit,
            "baseline": _estimate(self.baseline),
            "worse_when": self._worse_when,
            "count": self.count,
            "diagnosis": self.diagnosis,
            "changes": [_change(change) for change in self.changes],
            "traces": [_cited(cited) for cited in self.traces],
            "runbook": self.runbook,
            "url": self.url,
            "labels": self.labels,
        }


def is_link(address: str) -> bool:
    """Whether it can be opened as it is; a path in the repository cannot."""
    return address.startswith(("http://", "https://"))


def iso(epoch: float) -> str:
    """RFC 3339 in UTC with milliseconds."""
    return datetime.fromtimestamp(epoch, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _estimate(estimate: Estimate | None) -> dict[str, object] | None:
    if estimate is None:
        return None
    return {"value": estimate.value, "low": estimate.low, "high": estimate.high, "n": estimate.n}


def _change(change: Change) -> dict[str, object]:
    return {"attribute": change.attribute, "value": change.value, "before": change.before, "after": change.after}


def _cited(cited: Cited) -> dict[str, object]:
    finding = cited.finding
    return {
        "trace_id": finding.trace_id,
        "value": finding.value,
        "diagnosis": finding.diagnosis,
        "question": finding.question,
        "claim": finding.claim,
        "contradicted": finding.contradicted,
        "chunk": finding.chunk,
        "quote": finding.quote,
        "claimed": finding.claimed,
        "found": finding.found,
        "place": finding.place,
        "excerpt": finding.excerpt,
        "evidence_url": cited.evidence_url,
        "trace_url": cited.trace_url,
    }
