"""Log lines for people and machines: one line an event, nothing in it can forge another line."""

import logging
import sys


class OneLine(logging.Formatter):
    """Escapes control characters, so that neither a new line nor a terminal sequence gets in from data."""

    def format(self, record: logging.LogRecord) -> str:
        """The record on one line; a traceback's lines are joined by a visible mark."""
        text = super().format(record)
        return "".join(char if char.isprintable() else _escape(char) for char in text)


def _escape(char: str) -> str:
    return " | " if char == "\n" else f"\\x{ord(char):02x}"


def configure(level: str) -> None:
    """Log to standard error from `level` on; libraries from warning on."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(OneLine("%(asctime)s %(levelname)s %(name)s %(message)s", "%Y-%m-%dT%H:%M:%S"))
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    for name in ("collector", "alerts", "evaluators"):
        logging.getLogger(name).setLevel(level.upper())
