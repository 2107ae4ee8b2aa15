"""What a rate of traces needs, from what one trace costs: `python -m tests.bench.capacity`.

The defaults are what `python -m tests.bench.kafka scale` and `python -m tests.bench.memory` measured; give your own
figures where your traces are larger or your judge is another.
"""

import argparse
import math

RATES = (10_000, 100_000, 1_000_000)
USE = 0.6
"""Of a core, so that a worker's share of another one's death finds room."""

CPU_MS = 2.0
"""The most that a case of `tests.bench.kafka scale` cost; the least was 1.3."""

REPLY_BYTES = 1_500
"""Of a verdict in the shared cache, with its key and Redis's own overhead."""

DAY_S = 86_400


def sizing(rate: float, given: argparse.Namespace) -> list[str]:
    """The column of one rate, in traces a second."""
    workers = math.ceil(rate * given.cpu_ms / 1000 / USE)
    opened = rate * (given.trace_s + given.grace_s)
    judged = rate * given.sampling
    tokens = judged * given.tokens
    cached = judged * given.ttl_h * 3600
    return [
        f"{workers:,}",
        f"{2 * workers:,}",
        f"{rate * given.trace_kb / 1e6:,.2f} GB/s",
        f"{opened * given.open_bytes / workers / 2**20:,.0f} MiB",
        f"{judged:,.0f}",
        f"{math.ceil(judged * given.judge_s):,}",
        f"{2 * judged:,.0f}",
        f"{cached * REPLY_BYTES / 2**30:,.1f} GiB",
        f"${tokens * DAY_S / 1e6 * given.usd_per_million:,.0f}",
    ]


NAMES = (
    "workers, one core each",
    "partitions",
    "network from the brokers",
    "open traces a worker",
    "LLM calls a second",
    "LLM calls at once",
    "Redis commands a second",
    "Redis memory",
    "LLM cost a day",
)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("--cpu-ms", type=float, default=CPU_MS, help="CPU of a worker for a trace")
    parser.add_argument("--trace-kb", type=float, default=3.0, help="of a trace in the topic")
    parser.add_argument("--open-bytes", type=float, default=3_861, help="memory of an open trace")
    parser.add_argument("--trace-s", type=float, default=5.0, help="from a trace's first span to its last")
    parser.add_argument("--grace-s", type=float, default=2.0, help="assembly.grace_s")
    parser.add_argument("--sampling", type=float, default=0.01, help="share that the LLM judge looks at")
    parser.add_argument("--judge-s", type=float, default=2.0, help="of an LLM call")
    parser.add_argument("--tokens", type=float, default=1_500, help="of an LLM call, in and out")
    parser.add_argument("--usd-per-million", type=float, default=0.3, help="price of a million tokens")
    parser.add_argument("--ttl-h", type=float, default=24.0, help="cache.ttl_s, in hours")
    given = parser.parse_args()
    columns = [sizing(rate, given) for rate in RATES]
    print(f"{'traces a second':26}" + "".join(f"{rate:>16,}" for rate in RATES))
    for name, *values in zip(NAMES, *columns, strict=True):
        print(f"{name:26}" + "".join(f"{value:>16}" for value in values))


if __name__ == "__main__":
    main()
