"""The page on conventions holds examples that work."""

import json
import re
import textwrap
from pathlib import Path

import collector.conventions
from collector.codec import decode_span
from collector.config import parse
from collector.conventions.reading import Dialect, Kind
from collector.conventions.registry import DIALECTS
from tests.collector.handmade import QUESTION, REFUNDS, Made

PAGE = (Path(collector.conventions.__file__).parent / "README.md").read_text()


def block(language: str) -> str:
    found = re.search(rf"^( *)```{language}\n(.*?)^\1```$", PAGE, re.MULTILINE | re.DOTALL)
    assert found is not None
    return textwrap.dedent(found.group(2))


def test_the_example_dialect_reads_its_spans() -> None:
    module: dict[str, object] = {}
    exec(block("python"), module)  # noqa: S102 (our own page)
    dialect = module["DIALECT"]
    assert isinstance(dialect, Dialect)
    hits = json.dumps([{"id": "a", "text": REFUNDS}])
    search = Made(1, {"acme.kind": "search", "acme.query": QUESTION, "acme.hits": hits, "acme.session": "s"})
    reading = dialect.read(decode_span(search.raw()))
    assert reading is not None
    assert (reading.kind, reading.query, reading.session) == (Kind.RETRIEVAL, QUESTION, "s")
    assert [(chunk.id, chunk.text) for chunk in reading.documents.chunks] == [("a", REFUNDS)]
    assert any(marker in search.raw() for marker in dialect.markers)
    used = {"acme.kind": "llm", "acme.model": "m", "acme.tokens.in": 50, "acme.tokens.out": 12}
    call = dialect.read(decode_span(Made(2, used).raw()))
    assert call is not None
    assert (call.tokens, call.attributes) == ((50, 12), {"gen_ai.request.model": "m"})


def test_the_examples_of_configuration_are_valid() -> None:
    context, rules = (parse(text) for text in re.findall(r"^```yaml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))
    assert context.context.from_prompt
    assert context.context.is_agentic("bot-7")
    assert context.chunk_store is not None
    assert [rule.kind for rule in rules.operator_rules] == [Kind.RETRIEVAL]


def test_every_module_of_a_dialect_is_registered() -> None:
    modules = {
        path.stem
        for path in Path(collector.conventions.__file__).parent.glob("*.py")
        if "DIALECT = " in path.read_text()
    }
    assert modules == {dialect.name for dialect in DIALECTS}
