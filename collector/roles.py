"""What a process does of the whole line, where several share it."""

from enum import StrEnum


class Role(StrEnum):
    """`all` is the whole line in one process; the others meet in Kafka topics."""

    ALL = "all"
    RECEIVE = "receive"
    EVALUATE = "evaluate"
    ALERT = "alert"

    @property
    def receives(self) -> bool:
        """Takes OTLP."""
        return self in (Role.ALL, Role.RECEIVE)

    @property
    def evaluates(self) -> bool:
        """Assembles and judges traces."""
        return self in (Role.ALL, Role.EVALUATE)

    @property
    def alerts(self) -> bool:
        """Watches verdicts and notifies."""
        return self in (Role.ALL, Role.ALERT)
