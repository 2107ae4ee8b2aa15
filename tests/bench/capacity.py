"""What a rate of traces needs, from what one trace costs: `python -m tests.bench.capacity`.

The defaults of CPU and bytes are what `python -m tests.bench.kafka roles` and `python -m tests.bench.memory` measured,
for traces of 5 spans and 5 chunks of 1 KB; give your own where your traces, your machines or your judge are others.
"""

import argparse
import math

RATES = (10_000, 100_000, 1_000_000)
DAY_S = 86_400

Row = tuple[str, str]


def sizing(rate: float, given: argparse.Namespace) -> list[Row]:
    """The rows of one rate, in traces a second."""
    lexical, llm = rate * given.lexical, rate * given.llm
    verdicts = lexical + llm
    evaluate_ms = rate * given.assemble_ms + lexical * given.lexical_ms + llm * given.llm_ms
    workers = _processes(evaluate_ms, given.use)
    opened = rate * (given.trace_s + given.grace_s)
    return [
        ("receive processes", f"{_processes(rate * given.receive_ms, given.use):,}"),
        ("evaluate workers", f"{workers:,}"),
        ("partitions of spans", f"{2 * workers:,}"),
        ("alert processes", f"{_processes(verdicts * given.alert_ms, given.use):,}"),
        ("spans into brokers", f"{rate * given.trace_bytes / 1e9:,.2f} GB/s"),
        ("verdicts into brokers", f"{verdicts * given.verdict_bytes / 1e9:,.3f} GB/s"),
        ("open traces, a worker", f"{opened * given.open_bytes / workers / 2**20:,.0f} MiB"),
        ("LLM calls a second", f"{llm:,.0f}"),
        ("LLM calls at once", f"{math.ceil(llm * given.judge_s):,}"),
        ("Redis, cores", f"{llm * given.redis_ms / 1000:,.2f}"),
        ("Redis, memory", f"{llm * given.ttl_h * 3600 * given.redis_bytes / 2**30:,.1f} GiB"),
        ("LLM tokens a day", f"{llm * given.tokens * DAY_S / 1e9:,.1f} billion"),
        ("LLM cost a day", f"${llm * given.tokens * DAY_S / 1e6 * given.usd_per_million:,.0f}"),
    ]


def _processes(cpu_ms_a_second: float, use: float) -> int:
    return math.ceil(cpu_ms_a_second / 1000 / use)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    add = parser.add_argument
    add("--receive-ms", type=float, default=0.8, help="CPU of receive for a trace; 0 where Collectors write to Kafka")
    add("--assemble-ms", type=float, default=0.8, help="CPU of evaluate for a trace that no judge looks at")
    add("--lexical-ms", type=float, default=3.0, help="further CPU where the lexical judge looks at it")
    add("--llm-ms", type=float, default=2.2, help="further CPU where an LLM judge looks at it")
    add("--alert-ms", type=float, default=0.7, help="CPU of alert for a verdict")
    add("--redis-ms", type=float, default=0.06, help="CPU of Redis for an LLM verdict")
    add("--use", type=float, default=0.6, help="of a core, so that a dead worker's share finds room")
    add("--trace-bytes", type=float, default=30_200, help="of a trace in the topic")
    add("--verdict-bytes", type=float, default=8_500, help="of a verdict in the topic")
    add("--redis-bytes", type=float, default=1_724, help="of a verdict in Redis")
    add("--open-bytes", type=float, default=32_000, help="memory of an open trace: its own bytes and about 2 KB")
    add("--trace-s", type=float, default=5.0, help="from a trace's first span to its last")
    add("--grace-s", type=float, default=2.0, help="assembly.grace_s")
    add("--lexical", type=float, default=0.1, help="share that the lexical judge looks at")
    add("--llm", type=float, default=0.01, help="share that the LLM judge looks at")
    add("--judge-s", type=float, default=2.0, help="of an LLM call")
    add("--tokens", type=float, default=3_000, help="of an LLM call, in and out")
    add("--usd-per-million", type=float, default=0.3, help="price of a million tokens")
    add("--ttl-h", type=float, default=1.0, help="cache.ttl_s, in hours")
    return parser


def main() -> None:
    """Print the table."""
    given = _parser().parse_args()
    columns = [sizing(rate, given) for rate in RATES]
    print(f"{'traces a second':24}" + "".join(f"{rate:>18,}" for rate in RATES))
    for rows in zip(*columns, strict=True):
        print(f"{rows[0][0]:24}" + "".join(f"{value:>18}" for _, value in rows))


if __name__ == "__main__":
    main()
