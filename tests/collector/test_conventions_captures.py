"""Request bodies that the unmodified libraries exported are read as the key beside them says."""

import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pytest
import yaml

from collector.codec import Codec
from collector.conventions.origin import FACTS
from collector.conventions.reader import TraceReader
from collector.conventions.rules import OperatorRule
from collector.spans import ClosedTrace, KeptSpan
from evaluators.sample import RagSample, Readiness

HERE = Path(__file__).parent.parent / "captures"
KEY = [json.loads(line) for line in (HERE / "expected.jsonl").read_text().splitlines()]
RULES = tuple(
    OperatorRule.model_validate(rule) for rule in yaml.safe_load((HERE / "rules.yaml").read_text())["operator_rules"]
)

Entry = dict[str, object]


@cache
def samples(*, ruled: bool) -> dict[str, RagSample]:
    """All traces of all captures, as the monitor would see them."""
    reader = TraceReader(RULES if ruled else ())
    codec = Codec(reader.markers)
    traces: dict[bytes, list[KeptSpan]] = {}
    for path in sorted(HERE.glob("*/*.pb")):
        for span in codec.decode(path.read_bytes()).spans:
            traces.setdefault(span.trace_id, []).append(KeptSpan(span.raw, span.resource))
    read = (reader.read(ClosedTrace(trace_id, tuple(spans), "root", 0.0)) for trace_id, spans in traces.items())
    return {sample.trace_id: sample for sample in read}


def test_all_that_traces_are_sliced_by_is_known_to_the_check() -> None:
    told = {name for one in samples(ruled=True).values() for name in one.attributes}
    assert len(told) > 5
    assert told <= set(FACTS)


def normal(text: object) -> str | None:
    return " ".join(text.split()) or None if isinstance(text, str) else None


def readable(texts: Iterable[object]) -> list[str]:
    return [text for text in map(normal, texts) if text]


def differences(entry: Entry, sample: RagSample) -> list[str]:
    """What is wrong; a trace that cannot be judged may lack texts but must not have wrong ones."""
    judged = entry["verdict"] == Readiness.RAG
    found = []
    if sample.readiness not in (entry["verdict"], *(entry.get("also_accept") or ())):
        found.append(f"verdict {sample.readiness}")
    for name in ("question", "answer"):
        read = normal(getattr(sample, name))
        if read != normal(entry.get(name)) and (judged or read is not None):
            found.append(f"{name} {read!r}")
    wanted = readable(chunk["text"] for chunk in entry["chunks"])  # type: ignore[attr-defined]
    accepted = [wanted, *(readable(texts) for texts in entry.get("chunks_accept") or ())]  # type: ignore[attr-defined]
    texts = readable(chunk.text for chunk in sample.chunks)
    if texts not in accepted and (judged or texts):
        found.append(f"texts {texts}")
    return found + wrong_ids(entry, sample)


def wrong_ids(entry: Entry, sample: RagSample) -> list[str]:
    chunks: list[dict[str, object]] = entry["chunks"]  # type: ignore[assignment]
    by_text = {normal(chunk["text"]): str(chunk["id"]) for chunk in chunks if chunk["text"] and chunk["id"] is not None}
    if not by_text:
        wanted = [str(chunk["id"]) for chunk in chunks if chunk["id"] is not None]
        return [] if [chunk.id for chunk in sample.chunks if chunk.id] == wanted else ["ids in another order"]
    read = {normal(chunk.text): chunk.id for chunk in sample.chunks}
    return [f"id {read[text]}" for text, wanted in by_text.items() if text in read and read[text] != wanted]


def name_of(entry: Entry) -> str:
    return f"{entry['lib']}-{entry['capture']}-{str(entry['trace_id'])[:8]}"


@pytest.mark.parametrize("entry", KEY, ids=name_of)
def test_a_captured_trace_is_read_exactly(entry: Entry) -> None:
    sample = samples(ruled=False).get(str(entry["trace_id"]))
    if sample is None:
        assert entry["verdict"] == Readiness.NO_RETRIEVAL
        return
    assert differences(entry, sample) == []
    assert (sample.session, sample.user) == (entry["session"], entry["user"])
    assert sample.service == entry["service"]
    assert sample.incomplete == bool(entry.get("incomplete"))
    assert sample.excluded is None


@pytest.mark.parametrize("entry", [entry for entry in KEY if entry.get("with_rule")], ids=name_of)
def test_a_tool_that_a_rule_names_is_read_as_a_retrieval(entry: Entry) -> None:
    ruled: dict[str, object] = entry["with_rule"]  # type: ignore[assignment]
    assert differences(ruled, samples(ruled=True)[str(entry["trace_id"])]) == []


@pytest.mark.parametrize("entry", [entry for entry in KEY if entry.get("forbidden")], ids=name_of)
def test_what_an_application_hid_is_nowhere_in_the_sample(entry: Entry) -> None:
    shown = repr(samples(ruled=False)[str(entry["trace_id"])])
    assert not [text for text in entry["forbidden"] if text in shown]  # type: ignore[attr-defined]
    assert "REDACTED__" not in shown


def test_every_library_of_the_key_is_recognised_by_a_dialect() -> None:
    found = {str(entry["lib"]): samples(ruled=False).get(str(entry["trace_id"])) for entry in KEY}
    assert all(sample is not None and sample.dialects for sample in found.values())
