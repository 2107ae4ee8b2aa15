"""The key of the bodies in this folder, and how what the monitor reads differs from it."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict

from alerts.exposition import Metrics
from collector.codec import Codec
from collector.conventions.reader import TraceReader
from collector.conventions.rules import OperatorRule
from collector.log_codec import LogCodec
from collector.log_events import LogEvents
from collector.spans import ClosedTrace, KeptSpan
from evaluators.clock import SystemClock
from evaluators.sample import RagSample, Readiness
from tests.captures.apps.shop import CASES, DOCUMENTS, Case

OWN = Path(__file__).parent


class Expected(BaseModel):
    """What an app's bodies hold, as far as it is not what every app's hold."""

    model_config = ConfigDict(extra="forbid")

    service: str
    verdicts: tuple[Readiness, ...] = (Readiness.RAG, Readiness.RAG, Readiness.NO_DOCUMENTS)
    answers: dict[str, str] = {}
    documents: bool = True
    texts: bool = True
    ids: bool = True
    session: str | None = None
    user: str | None = None
    rule: OperatorRule | None = None


KEY = {app: Expected.model_validate(said) for app, said in yaml.safe_load((OWN / "expected.yaml").read_text()).items()}


def samples(app: str, reader: TraceReader) -> list[RagSample]:
    """What the reader makes of an app's bodies."""
    codec = Codec(reader.markers)
    events = LogEvents(Metrics(SystemClock()).series, SystemClock())
    traces: dict[bytes, list[KeptSpan]] = {}
    for path in sorted((OWN / app).glob("*.logs")):
        events.take(LogCodec().decode(path.read_bytes()))
    for path in sorted((OWN / app).glob("*.pb")):
        for span in codec.decode(path.read_bytes()).spans:
            traces.setdefault(span.trace_id, []).append(KeptSpan(span.raw, span.resource))
    closed = (ClosedTrace(trace_id, tuple(spans), "root", 0.0) for trace_id, spans in traces.items())
    return [reader.read(events.join(trace)) for trace in closed]


def differences(app: str) -> list[str]:
    """What is read otherwise than the key says, a line each."""
    expected = KEY[app]
    read = samples(app, TraceReader([expected.rule] if expected.rule else []))
    wanted = [_facts_of(case, verdict, expected) for case, verdict in zip(CASES, expected.verdicts, strict=True)]
    found = [_facts(sample) for sample in read]
    return [f"missing {_line(one)}" for one in _without(wanted, found)] + [
        f"unexpected {_line(one)}" for one in _without(found, wanted)
    ]


_Facts = tuple[object, ...]


def _facts_of(case: Case, verdict: Readiness, expected: Expected) -> _Facts:
    found = case.found if expected.documents else ()
    texts = tuple(DOCUMENTS[name] if expected.texts else None for name in found)
    ids = tuple(name if expected.ids else None for name in found)
    answer = expected.answers.get(case.question, case.answer)
    return verdict, case.question, texts, ids, answer, expected.service, expected.session, expected.user


def _facts(sample: RagSample) -> _Facts:
    texts, ids = tuple(chunk.text for chunk in sample.chunks), tuple(chunk.id for chunk in sample.chunks)
    return (
        sample.readiness, sample.question, texts, ids, sample.answer, sample.service, sample.session, sample.user
    )  # fmt: skip


def _without(some: Sequence[_Facts], others: Sequence[_Facts]) -> list[_Facts]:
    return list((Counter(some) - Counter(others)).elements())


def _line(facts: _Facts) -> str:
    return " | ".join(map(str, facts))
