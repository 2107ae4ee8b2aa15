"""The errors that travel through groundwatch.

    GroundwatchError
    ├── PermanentError      trying the same thing again cannot help
    └── RetryableError      it may help, not before `retry_after` seconds

Inside a stage other exceptions may fly; what leaves a stage is one of these, and the edge
(a receiver, a notifier's queue, the dispatcher) maps them to codes in one place.
"""


class GroundwatchError(Exception):
    """Root of the errors that cross a stage."""


class PermanentError(GroundwatchError):
    """Trying again cannot help: bad data, a wrong key, a refusal."""


class RetryableError(GroundwatchError):
    """Trying again may help.

    `retry_after`: seconds to wait at least, or None when the other side did not say.
    """

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after
