"""What the dispatcher counts."""

from typing import Protocol


class DispatchMetrics(Protocol):
    """Labels are from closed sets: configured judge names, facets or `combined`, reasons, results, states."""

    def judge_call(self, judge: str, facet: str, outcome: str, seconds: float) -> None:
        """One call has ended: `answered`, `skipped` or a FailReason."""
        ...

    def judge_tokens(self, judge: str, direction: str, count: int) -> None:
        """The provider reported `count` tokens, `input` or `output`."""
        ...

    def judge_cost(self, judge: str, usd: float) -> None:
        """What a call cost, at the price of the judge's model."""
        ...

    def judge_call_unpriced(self, judge: str, reason: str) -> None:
        """A call whose cost is not known, or not wholly: an Unpriced."""
        ...

    def cache_request(self, result: str) -> None:
        """`hit`, `miss`, `joined` (the same question was already being asked), `write_dropped` or `error`."""
        ...

    def queue_depth(self, judge: str, depth: int) -> None:
        """Calls that wait."""
        ...

    def breaker_state(self, judge: str, state: str) -> None:
        """`closed`, `open` or `half_open`."""
        ...
