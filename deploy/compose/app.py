"""The sample application: a shop's assistant whose model is wrong now and then.

Its spans go where OTEL_EXPORTER_OTLP_ENDPOINT says, by OTLP/gRPC, as with any application.
"""

import argparse
import random
import time

from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter

from collector.demo.app import ShopAssistant
from collector.demo.corpus import TURNS, Turn

WRONG = tuple(turn for turn in TURNS if "90 days" in turn.answer)
MODELS = ("scripted-model", "scripted-model", "scripted-model-mini")
"""Two models share the customers, as in a trial of a cheaper one."""

RIGHT = tuple(turn for turn in TURNS if turn not in WRONG)


def next_turn(wrong: float, chance: random.Random) -> Turn:
    """What a customer asks next; `wrong` is the share of turns with a wrong answer."""
    return chance.choice(WRONG if chance.random() < wrong else RIGHT)


def main() -> None:
    """Answer customers until stopped."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--per-second", type=float, default=1.0, help="customers a second")
    parser.add_argument("--wrong", type=float, default=0.02, help="share of wrong answers, 0 to 1")
    options = parser.parse_args()
    app, chance = ShopAssistant(OTLPSpanExporter()), random.Random()  # noqa: S311  no secret
    try:
        while True:
            app.ask(next_turn(options.wrong, chance), chance.choice(MODELS))
            time.sleep(1.0 / options.per_second)
    finally:
        app.close()


if __name__ == "__main__":
    main()
