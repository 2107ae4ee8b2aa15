"""`groundwatch inspect` reads what exporters and the Collector wrote, and explains what the monitor sees in it."""

import base64
import gzip
import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import yaml
from google.protobuf.json_format import MessageToDict
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from rich.console import Console

from collector.cli import main
from collector.conventions.reader import TraceReader
from collector.conventions.rules import OperatorRule
from collector.inspect import inspect_files, run_inspect
from collector.inspect_report import print_report, suggested_rule
from collector.inspection import Inspection
from evaluators.sample import Readiness
from tests.captures.apps.shop import CASES
from tests.captures.own.key import OWN
from tests.collector.handmade import QUESTION, REFUNDS, Made, chain, model, retriever

CAPTURES = Path(__file__).parent.parent / "captures"
LCEL = CAPTURES / "oi_langchain" / "lcel-00.pb"
SHOWN = [
    "trace_id",
    "service",
    "verdict",
    "question",
    "chunks",
    "answer",
    "session",
    "incomplete",
    "dialects",
    "reason",
]


def body(*spans: Made) -> bytes:
    """A request with the spans."""
    request = ExportTraceServiceRequest()
    scope = request.resource_spans.add().scope_spans.add()
    for span in spans:
        scope.spans.add().ParseFromString(span.raw())
    return bytes(request.SerializeToString())


def as_json(data: bytes) -> str:
    """OTLP/JSON of a request: the protobuf mapping, with ids in hex as OTLP wants them."""
    document = MessageToDict(ExportTraceServiceRequest.FromString(data), use_integers_for_enums=True)
    for resource in document["resourceSpans"]:
        for scope in resource["scopeSpans"]:
            for span in scope["spans"]:
                _hex_ids(span)
    return json.dumps(document)


def _hex_ids(span: dict[str, Any]) -> None:
    for name in ("traceId", "spanId", "parentSpanId"):
        if name in span:
            span[name] = base64.b64decode(span[name]).hex()


def inspected(*paths: Path, rules: tuple[OperatorRule, ...] = ()) -> Inspection:
    return inspect_files(paths, TraceReader(rules))


def report(found: Inspection) -> str:
    console = Console(file=StringIO(), width=200, highlight=False)
    print_report(found, console)
    return console.file.getvalue()  # type: ignore[attr-defined, no-any-return]


def write(path: Path, data: bytes | str) -> Path:
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


def test_protobuf_json_json_lines_and_gzip_say_the_same(tmp_path: Path) -> None:
    data = LCEL.read_bytes()
    request = ExportTraceServiceRequest.FromString(data)
    lines = []
    for resource in request.resource_spans:
        for scope in resource.scope_spans:
            for span in scope.spans:
                one = ExportTraceServiceRequest()
                one.resource_spans.add(resource=resource.resource).scope_spans.add(scope=scope.scope).spans.append(span)
                lines.append(as_json(one.SerializeToString()))
    expected = [examination.sample for examination in inspected(LCEL).examinations]
    assert [sample.readiness for sample in expected] == [Readiness.RAG] * 3
    for name, content in {
        "body.json": as_json(data),
        "pretty.json": json.dumps(json.loads(as_json(data)), indent=2),
        "traces.jsonl": "\n".join(lines) + "\n",
        "body.pb.gz": gzip.compress(data),
        "traces.jsonl.gz": gzip.compress("\n".join(lines).encode()),
    }.items():
        found = inspected(write(tmp_path / name, content))
        assert (name, [examination.sample for examination in found.examinations]) == (name, expected)
        assert found.problems == []


def test_a_trace_may_be_spread_over_files_and_repeated_spans_count_once(tmp_path: Path) -> None:
    one = write(tmp_path / "1.pb", body(retriever(2, REFUNDS), model()))
    two = write(tmp_path / "2.json", as_json(body(chain(), retriever(2, REFUNDS))))
    found = inspected(two, one)
    assert [examination.sample.readiness for examination in found.examinations] == [Readiness.RAG]
    assert len(found.examinations[0].tree.nodes) == 3
    assert found.rejected["duplicate"] == 1


def test_what_cannot_be_read_is_named_and_the_rest_goes_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = "\n".join([as_json(body(chain())), '{"resourceSpans": [{]}', as_json(body(retriever(2, REFUNDS), model()))])
    files = {
        "cut.pb": LCEL.read_bytes()[:3000],
        "readme.md": "# What this is\n\nSome words about spans.\n",
        "other.json": '{"hello": "world"}',
        "cut.gz": gzip.compress(LCEL.read_bytes())[:500],
        "lines.jsonl": lines,
    }
    paths = [tmp_path / "missing.pb", tmp_path, *(write(tmp_path / name, content) for name, content in files.items())]
    assert run_inspect(paths, as_json=True) == 1
    printed = capsys.readouterr()
    assert [json.loads(line)["verdict"] for line in printed.out.splitlines()] == ["rag"]
    problems = printed.err.splitlines()
    assert len(problems) == len(paths)
    for path, problem in zip(paths, problems, strict=True):
        assert str(path) in problem
    assert "line 2" in problems[-1]


def test_requests_without_spans_are_no_mistake(tmp_path: Path) -> None:
    empty = [write(tmp_path / "empty.json", '{"resourceSpans": []}')]
    logs = write(tmp_path / "logs.json", '{"resourceLogs": [{"scopeLogs": []}]}')
    assert inspected(*empty, logs).problems == []


def test_where_nothing_could_be_read_the_problem_stands_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    empty, zipped = write(tmp_path / "empty.pb", b""), write(tmp_path / "empty.gz", gzip.compress(b""))
    assert main(["inspect", str(tmp_path), str(empty), str(zipped)]) == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    folder, *files = printed.err.splitlines()
    assert folder == f"groundwatch: {tmp_path}: Is a directory"
    assert files == [
        f"groundwatch: {path}: the file is empty: nothing was exported into it" for path in (empty, zipped)
    ]


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_where_no_span_has_a_marker_it_says_how_to_set_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str]
) -> None:
    names = ["answer_question", "search", "llm", "search", "\x1b[31mred", "five", "six"]
    spans = [Made(number, {"http.route": "/"}, name=name) for number, name in enumerate(names, start=1)]
    assert main(["inspect", *options, str(write(tmp_path / "a.pb", body(*spans)))]) == 0
    printed = capsys.readouterr()
    assert "No span carries a marker" in printed.err
    assert "(seen: answer_question, search, llm,  [31mred, five)" in printed.err
    assert "openinference.span.kind=RETRIEVER" in printed.err
    assert "No span carries" not in printed.out


def test_recognised_spans_need_no_advice_about_markers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", str(write(tmp_path / "a.pb", body(model(1, parent=0))))]) == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    assert "1 span, 1 recognised, 1 trace; 1 no_retrieval" in printed.out
    assert "1 recognised span\n" in printed.out


@pytest.mark.parametrize("first", ["logs", "spans"])
def test_log_exports_among_the_files_are_joined_to_their_spans(first: str) -> None:
    bodies = OWN / "otel_genai_langchain_events"
    files = [bodies / "00.logs", bodies / "00.pb"]
    found = inspected(*(files if first == "logs" else files[::-1]))
    assert found.problems == []
    assert found.rejected.total() == 0
    assert sorted(str(one.sample.answer) for one in found.examinations) == sorted(case.answer for case in CASES)


def test_log_exports_in_json_are_read_too(tmp_path: Path) -> None:
    bodies = OWN / "otel_genai_langchain_events"
    request = ExportLogsServiceRequest.FromString((bodies / "00.logs").read_bytes())
    document = MessageToDict(request, use_integers_for_enums=True)
    for scope in document["resourceLogs"][0]["scopeLogs"]:
        for record in scope["logRecords"]:
            _hex_ids(record)
    found = inspected(bodies / "00.pb", write(tmp_path / "logs.json", json.dumps(document)))
    assert all(one.sample.answer for one in found.examinations)


def test_rejected_spans_are_counted_and_cost_only_themselves(tmp_path: Path) -> None:
    request = ExportTraceServiceRequest.FromString(body(chain(), retriever(2, REFUNDS), model()))
    request.resource_spans[0].scope_spans[0].spans.add(trace_id=b"short", span_id=b"short", name="bad")
    found = inspected(write(tmp_path / "some.pb", request.SerializeToString()))
    assert found.received == 4
    assert sum(found.rejected.values()) == 1
    assert "1 span not taken (invalid_id)" in report(found)


def test_json_has_one_object_a_trace_with_everything_in_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", "--json", str(LCEL)]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len(lines) == 3
    for line in lines:
        assert list(line) == SHOWN
        assert [sorted(chunk) for chunk in line["chunks"]] == [["id", "score", "text"]] * 2


def test_traces_without_retrieval_are_shown_and_ordinary_ones_are_not(tmp_path: Path) -> None:
    ordinary = Made(1, {"http.route": "/health"})
    assert inspected(write(tmp_path / "a.pb", body(ordinary))).examinations == []
    found = inspected(write(tmp_path / "b.pb", body(model(1, parent=0))))
    assert [examination.sample.readiness for examination in found.examinations] == [Readiness.NO_RETRIEVAL]


def test_rules_of_the_configuration_apply(capsys: pytest.CaptureFixture[str]) -> None:
    rules = str(CAPTURES / "rules.yaml")
    files = [str(path) for path in sorted((CAPTURES / "pydantic_ai").glob("*.pb"))]
    assert main(["inspect", "--json", "-c", rules, *files]) == 0
    assert {json.loads(line)["verdict"] for line in capsys.readouterr().out.splitlines()} == {"rag"}


def test_the_report_explains_spans_chunks_and_where_texts_came_from() -> None:
    shown = report(inspected(CAPTURES / "oi_llamaindex" / "rerank-00.pb"))
    assert "RAG" in shown
    assert "question from the application's input; answer" not in shown
    assert "[warranty#1] (0.99) Warranty: every kettle" in shown
    assert "TinyReranker._postprocess_nodes  reranking  openinference  2 documents  <- the context" in shown
    assert "within another retrieval" in shown


def test_the_report_says_what_to_set_where_texts_are_hidden() -> None:
    shown = report(inspected(CAPTURES / "oi_langchain" / "masked_docs-00.pb"))
    assert "the documents are masked" in shown
    assert "OPENINFERENCE_HIDE_RETRIEVAL_DOCUMENTS" in shown
    assert "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT" in report(
        inspected(CAPTURES / "otel_genai" / "lc_default-00.pb")
    )


@pytest.mark.parametrize("capture", ["pydantic_ai/default", "vercel/plain", "vercel/v7"])
def test_the_rule_that_the_report_suggests_makes_the_tool_a_retrieval(capture: str) -> None:
    path = CAPTURES / f"{capture}-00.pb"
    found = inspected(path)
    assert "operator_rules:" in report(found)
    tool = next(node for node in found.examinations[0].tree.nodes if node.kind == "tool")
    suggested = yaml.safe_load(suggested_rule(tool))["operator_rules"]
    rules = tuple(OperatorRule.model_validate(rule) for rule in suggested)
    again = inspected(path, rules=rules)
    assert {examination.sample.readiness for examination in again.examinations} == {Readiness.RAG}


def test_a_terminal_gets_no_control_characters_and_no_markup_from_spans(tmp_path: Path) -> None:
    hostile = "\x1b]0;owned\x07\x1b[31m[bold red]boo[/bold red]"
    spans = [chain(asked=hostile, name=hostile), retriever(2, hostile), model(said=hostile * 100)]
    shown = report(inspected(write(tmp_path / "a.pb", body(*spans))))
    assert "\x1b" not in shown
    assert "\x07" not in shown
    assert "[bold red]boo[/bold red]" in shown


def test_long_traces_are_shown_in_part(tmp_path: Path) -> None:
    many = [retriever(number, *(f"{number}/{rank}" for rank in range(9))) for number in range(2, 90)]
    shown = report(inspected(write(tmp_path / "a.pb", body(chain(asked=QUESTION), *many))))
    assert shown.count("\n") < 120
    assert "and 29 more" in shown


def test_what_costs_and_slices_are_computed_from_is_shown(tmp_path: Path) -> None:
    counts = {"llm.token_count.prompt": 50, "llm.token_count.completion": 12, "llm.prompt_template.version": "v2"}
    told = model()
    spans = (chain(), retriever(2, REFUNDS), Made(9, {**told.attributes, **counts}, 1))
    printed = " ".join(report(inspected(write(tmp_path / "told.pb", body(*spans)))).split())
    assert (
        "tokens 50 in, 12 out: fake-1 attribute gen_ai.prompt.version=v2 attribute gen_ai.request.model=fake-1"
        in printed
    )


def test_calls_that_tell_no_tokens_are_shown(tmp_path: Path) -> None:
    printed = report(inspected(write(tmp_path / "untold.pb", body(chain(), retriever(2, REFUNDS), model()))))
    assert "0 in, 0 out, and 1 call without tokens: fake-1" in printed
