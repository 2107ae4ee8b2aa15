"""Values as instrumentations write them: masks, reprs, JSON in JSON, cut ends, documents of every shape."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from collector.conventions.cut_json import CUT_MARK, repair
from collector.conventions.documents import MAX_DOCUMENTS, read_documents
from collector.conventions.reading import State
from collector.conventions.values import as_id, as_number, decode, is_masked, is_repr

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=20,
)


@pytest.mark.parametrize(
    "mask",
    [
        "__REDACTED__",
        "[redacted]",
        "[REDACTED]",
        "<REDACTED>",
        "***",
        "*****",
        "[Filtered]",
        "(hidden)",
        "REDACTED",
        "[REDACTED: EMAIL]",
        "[Scrubbed due to 'password']",
        "<MASKED_EMAIL>",
        " [redacted] ",
    ],
)
def test_placeholders_are_masks(mask: str) -> None:
    assert is_masked(mask)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Refunds take 30 days.",
        "[1] Refunds take 30 days.",
        "The price was redacted.",
        "Hidden",
        "Removed.",
        "{}",
        "[see the redacted part] of the page",
        "*note*",
    ],
)
def test_texts_are_no_masks(text: str) -> None:
    assert not is_masked(text)


@pytest.mark.parametrize(
    "text",
    [
        "<generator object f at 0x7f6a6eaaf710>",
        "<async_generator object f at 0x7f>",
        "<3-dimensional vector>",
        "<NodeWithScore(node=TextNode(id_=a), score=0.9)>",
        "Document(id=a, content: 'x', meta: {})",
        "{'answer': 'x'}",
        "[Document(id='a')]",
        "['a', 'b']",
        "content='x' additional_kwargs={}",
        "<app.Rag object at 0x7f6a6",
    ],
)
def test_printed_objects_are_reprs(text: str) -> None:
    assert is_repr(text)


@pytest.mark.parametrize(
    "text",
    ["Refunds (within 30 days) are free.", "[1] Refunds", "<b>Refunds</b> take 30 days", "Paris (France)", "f(x) = 2x"],
)
def test_texts_are_no_reprs(text: str) -> None:
    assert not is_repr(text)


@given(JSON, st.integers(0, 3))
def test_json_in_json_is_undone(value: object, times: int) -> None:
    text: object = {"value": value}
    for _ in range(times + 1):
        text = json.dumps(text)
    assert decode(text).value == {"value": value}


def test_numbers_that_only_python_writes_cost_nothing_else() -> None:
    documents = read_documents('[{"content": "a text", "score": NaN}, {"content": "\\ud800 more", "score": Infinity}]')
    assert [(chunk.text, chunk.score) for chunk in documents.chunks] == [("a text", None), ("? more", None)]


@given(
    st.lists(st.fixed_dictionaries({"content": st.text(min_size=1), "id": st.text(min_size=1)}), min_size=1), st.data()
)
def test_whatever_a_limit_leaves_of_json_is_read_as_a_beginning(
    value: list[dict[str, str]], data: st.DataObject
) -> None:
    text = json.dumps(value, ensure_ascii=data.draw(st.booleans()))
    cut = data.draw(st.integers(1, len(text) - 1))
    mended = repair(text[:cut])
    assert isinstance(mended, list)
    assert len(mended) <= len(value)
    for whole, part in zip(value, mended[:-1], strict=False):
        assert part == whole


@pytest.mark.parametrize(
    "text", ["", "no json", "{name}, hello", "[1] a footnote", "]", "}{", '{"a": 1}', "[" * 10_000]
)
def test_what_is_no_beginning_of_json_is_not_mended(text: str) -> None:
    assert repair(text) is None


def test_a_cut_json_string_loses_its_quote_and_is_flagged() -> None:
    decoded = decode('"You can get a full \\"refund\\u00')
    assert (decoded.value, decoded.cut) == ('You can get a full "refund' + CUT_MARK, True)
    assert decode('"Refunds" take 30 days').value == '"Refunds" take 30 days'


def test_a_footnote_at_the_start_of_a_text_does_not_make_it_json() -> None:
    assert decode("[1] Refunds take 30 days, see [2").value == "[1] Refunds take 30 days, see [2"


@pytest.mark.parametrize(
    "value",
    [
        ["a text"],
        "a text",
        json.dumps(["a text"]),
        json.dumps("a text"),
        {"documents": [{"content": "a text"}]},
        {"output": [{"page_content": "a text", "type": "Document"}]},
        [json.dumps({"node": {"id_": "x", "text": "a text"}, "score": 0.5})],
        [{"document": {"content": "a text"}}],
        [{"lc": 1, "kwargs": {"page_content": "a text"}}],
        [[{"text": "a text"}, 0.5]],
        [[{"text": "a text"}]],
        {"matches": [{"id": "x", "metadata": {"text": "a text"}}]},
        {"points": [{"id": 1, "payload": {"content": "a text"}}]},
        {"hits": {"hits": [{"_id": "x", "_source": {"body": "a text"}}]}},
        {"ids": [["x"]], "documents": [["a text"]], "distances": [[0.1]]},
        {"content": [{"type": "text", "text": json.dumps({"results": [{"snippet": "a text"}]})}]},
        [{"document.id": "x", "document.content": "a text"}],
        [{"content": [{"type": "text", "text": "a text"}]}],
        {"result": {"docs": [{"chunk": "a text"}]}},
    ],
)
def test_documents_of_every_shape_are_read(value: object) -> None:
    documents = read_documents(value)
    assert [chunk.text for chunk in documents.chunks] == ["a text"]
    assert (documents.state, documents.truncated) == (State.PRESENT, False)


@pytest.mark.parametrize(
    ("value", "state"),
    [
        (None, State.ABSENT),
        ("", State.ABSENT),
        ("null", State.ABSENT),
        ([], State.EMPTY),
        ("[]", State.EMPTY),
        ('{"documents": []}', State.EMPTY),
        ("{}", State.MASKED),
        ({}, State.MASKED),
        ("__REDACTED__", State.MASKED),
        (["__REDACTED__"], State.MASKED),
        ({"documents": "[redacted]"}, State.MASKED),
        ([{"content": "__REDACTED__", "id": "a"}], State.MASKED),
        (["<NodeWithScore(node=x)>"], State.UNREADABLE),
        ("[Document(id='a')]", State.UNREADABLE),
        ([{"paragraph": "a text"}], State.UNREADABLE),
        (17, State.UNREADABLE),
        (b"bytes", State.UNREADABLE),
        ([{"id": "a", "score": 0.9}], State.PRESENT),
    ],
)
def test_missing_texts_have_states_of_their_own(value: object, state: State) -> None:
    documents = read_documents(value)
    assert documents.state is state
    assert not any(chunk.text for chunk in documents.chunks)


def test_a_rerankers_score_beats_the_one_that_the_retriever_left() -> None:
    documents = read_documents(
        [{"page_content": "x", "metadata": {"score": 0.7, "relevance_score": 0.99, "source": "s"}}]
    )
    assert [(chunk.score, chunk.source) for chunk in documents.chunks] == [(0.99, "s")]


def test_a_file_name_in_the_metadata_is_no_text() -> None:
    documents = read_documents([{"id": "a", "metadata": {"document": "handbook.pdf"}}])
    assert [chunk.text for chunk in documents.chunks] == [None]


def test_json_records_are_texts_where_the_documents_are_strings() -> None:
    record = '{"product": "kettle", "price": 30}'
    assert [chunk.text for chunk in read_documents([record, "a text"]).chunks] == [record, "a text"]


@pytest.mark.parametrize(
    "code", ["['a', 'b'].index('b') is 1", "{'a': 1} is a mapping", "Print('hello') writes a line."]
)
def test_code_in_a_document_is_text(code: str) -> None:
    assert [chunk.text for chunk in read_documents([code, {"content": code}]).chunks] == [code, code]


def test_more_documents_than_anybody_retrieves_are_cut_and_flagged() -> None:
    documents = read_documents(["x"] * (MAX_DOCUMENTS + 1))
    assert (len(documents.chunks), documents.truncated) == (MAX_DOCUMENTS, True)


@pytest.mark.parametrize(
    ("value", "number"),
    [(1, 1.0), ("0.5", 0.5), (True, None), (math.nan, None), ("x", None), ("inf", None), (10**400, None)],
)
def test_scores_are_finite_numbers_or_none(value: object, number: float | None) -> None:
    assert as_number(value) == number


@pytest.mark.parametrize(
    ("value", "text"), [(7, "7"), (7.0, "7"), (7.5, None), ("a", "a"), ("", None), (True, None), ([1], None)]
)
def test_ids_are_texts_or_none(value: object, text: str | None) -> None:
    assert as_id(value) == text
