"""What holds beyond one machine, on a real broker: `python -m tests.bench.kafka [kills|scale|roles] [--traces N]`.

`kills`: workers are killed with -9 all the while, the broker restarts; what was lost, paid and told. `scale`: CPU and
memory of a trace with 1, 2 and 4 workers, and with ten times the services, the open traces and the length of the topic.
`roles`: CPU, bytes and memory of a large trace on its whole way through receive, evaluate and alert.
"""

import argparse
import asyncio
import logging
import tempfile
from pathlib import Path

import uvloop

from tests.bench.kafka_kills import kills
from tests.bench.kafka_roles import roles
from tests.bench.kafka_scale import scale
from tests.kafka.broker import require_kafka, running_broker


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("which", nargs="?", choices=["kills", "scale", "roles"], default="kills")
    parser.add_argument("--traces", type=int, help="20000 for kills, 2000 a round of scale, 1000 a case of roles")
    parser.add_argument("--per-second", type=float, default=150.0, help="traces sent (kills)")
    options = parser.parse_args()
    # The clients remark on every broken connection, and here everything is broken on purpose.
    logging.disable(logging.CRITICAL)
    require_kafka()
    with (
        tempfile.TemporaryDirectory() as folder,
        running_broker(Path(folder) / "kafka") as broker,
        asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner,
    ):
        if options.which == "kills":
            _table(runner.run(kills(broker, Path(folder), options.traces or 20_000, options.per_second)))
        elif options.which == "roles":
            _table(runner.run(roles(broker, Path(folder), options.traces or 1_000)))
        else:
            _table(runner.run(scale(broker, Path(folder), options.traces or 2_000)))


def _table(rows: list[tuple[str, str]]) -> None:
    width = max(len(name) for name, _ in rows)
    for name, value in rows:
        print(f"{name:{width}}  {value:>10}", flush=True)


if __name__ == "__main__":
    main()
