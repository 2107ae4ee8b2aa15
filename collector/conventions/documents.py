"""Retrieved documents in what an instrumentation recorded."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from collector.conventions.document_fields import TEXT_KEYS, Fields
from collector.conventions.reading import ABSENT, Documents, State
from collector.conventions.values import as_number, clean, decode, is_masked, is_object_repr, is_repr
from evaluators.sample import Chunk

MAX_DOCUMENTS = 1000
"""Documents read of one retrieval; of more the rest is left out and the retrieval is flagged truncated."""

_ENVELOPES = (
    *("documents", "docs", "source_documents", "retrieved_documents", "output", "outputs", "result", "results"),
    *("matches", "points", "hits", "nodes", "source_nodes", "chunks", "passages", "items", "records"),
    *("retrieved_contexts", "contexts", "context", "data", "response", "value", "content"),
)
_COLUMNS = {"id": "ids", "distance": "distances", "metadata": "metadatas", "score": "scores"}
_MASKED = Documents(State.MASKED)
_EMPTY = Documents(State.EMPTY)
_UNREADABLE = Documents(State.UNREADABLE)


def read_documents(value: object) -> Documents:
    """Documents of any shape: strings, mappings, lists of either, JSON of those, envelopes, columns, pairs.

    Text that is not JSON is one document.
    """
    if isinstance(value, str) and is_masked(value):
        return _MASKED
    decoded = decode(value)
    read = _read(decoded.value, depth=0)
    return _cut(read) if decoded.cut else read


def documents_of(items: Iterable[Mapping[str, object]]) -> Documents:
    """Documents that are known to be one mapping each, at least one: flattened attributes and span events give them."""
    found = _Found()
    for item in items:
        found.add(item, item)
    return found.documents()


def _cut(read: Documents) -> Documents:
    chunks = read.chunks
    if not chunks:
        return replace(_UNREADABLE, truncated=True)
    if chunks[-1].text is None and any(chunk.text for chunk in chunks):
        chunks = chunks[:-1]
    return replace(read, chunks=chunks, truncated=True)


def _read(value: object, depth: int) -> Documents:
    if value is None:
        return ABSENT
    if isinstance(value, str):
        return _from_text(value)
    if isinstance(value, list):
        return _collect(_rows(value)) if value else _EMPTY
    if isinstance(value, dict):
        return _from_mapping(value, depth)
    return _UNREADABLE


def _from_text(value: str) -> Documents:
    if value.isspace():
        return ABSENT
    if is_masked(value):
        return _MASKED
    if is_repr(value):
        return _UNREADABLE
    return _collect([value])


def _from_mapping(value: Mapping[str, object], depth: int) -> Documents:
    if not value:
        return _MASKED
    if depth > 3:
        return _UNREADABLE
    columns = _columns(value)
    if columns is not None:
        return _collect(columns)
    listed = _enveloped(value, depth, list)
    if listed is not None and listed.state is not State.UNREADABLE:
        return listed
    single = _collect([value])
    if single.state is State.UNREADABLE or not any(chunk.text for chunk in single.chunks):
        return _enveloped(value, depth, dict) or listed or single
    return single


def _enveloped(
    value: Mapping[str, object], depth: int, kind: type[list[object]] | type[dict[str, object]]
) -> Documents | None:
    """The documents under the first key that holds some, or a mask in their place; the last failure where none does."""
    read = None
    for key in _ENVELOPES:
        inner = decode(value[key]).value if key in value else None
        if isinstance(inner, kind) or (isinstance(inner, str) and is_masked(inner) and key not in TEXT_KEYS):
            read = _read(inner, depth + 1)
            if read.state is not State.UNREADABLE:
                return read
    return read


def _columns(value: Mapping[str, object]) -> list[object] | None:
    """Vector stores answer in columns: {"ids": [[..]], "documents": [[..]], "distances": [[..]]}."""
    texts, ids = _column(value.get("documents")), _column(value.get("ids"))
    if texts is None or ids is None or len(texts) != len(ids):
        return None
    rows: list[dict[str, object]] = [{"content": text} for text in texts]
    for key, plural in _COLUMNS.items():
        for row, item in zip(rows, _column(value.get(plural)) or (), strict=False):
            row[key] = item
    return list(rows)


def _column(value: object) -> list[object] | None:
    if not isinstance(value, list) or not value:
        return None
    if isinstance(value[0], list):
        return [item for inner in value if isinstance(inner, list) for item in inner]
    return None if isinstance(value[0], dict) else value


def _rows(value: Sequence[object]) -> list[object]:
    """The documents of a list; [document, score] pairs become one mapping, lists in the list are joined."""
    rows: list[object] = []
    for item in value:
        if not isinstance(item, list):
            rows.append(item)
        elif len(item) == 2 and isinstance(item[0], str | dict) and as_number(item[1]) is not None:
            rows.append({"document": item[0], "score": item[1]})
        else:
            rows += item
    return rows


def _collect(rows: Sequence[object]) -> Documents:
    found = _Found()
    for row in rows[:MAX_DOCUMENTS]:
        decoded = decode(row)
        found.cut |= decoded.cut
        for item in _unpacked(decoded.value):
            found.add(item, row)
    found.cut |= len(rows) > MAX_DOCUMENTS
    return found.documents() if rows else _EMPTY


class _Found:
    """Documents on their way into one retrieval, with what could not be read of them."""

    __slots__ = ("_chunks", "_keys", "_masked", "_unread", "cut")

    def __init__(self) -> None:
        self._chunks: list[Chunk] = []
        self._keys: tuple[str, ...] = ()
        self._masked = self._unread = 0
        self.cut = False

    def add(self, item: object, row: object) -> None:
        """Add the document in `item`, which is `row` with its JSON undone."""
        chunk, hidden = _chunk(item)
        if chunk is None and not hidden and isinstance(row, str):
            chunk, hidden = _from_string(row)
        self._masked += hidden
        if chunk is not None:
            self._chunks.append(chunk)
        elif not hidden:
            self._unread += 1
        if not self._keys and isinstance(item, dict) and (chunk is None or chunk.text is None):
            self._keys = tuple(str(key)[:40] for key in list(item)[:6])

    def documents(self) -> Documents:
        """All of them."""
        if not self._chunks and not self._masked:
            return replace(_UNREADABLE, keys=self._keys)
        chunks = tuple(self._chunks)
        if self._masked and not any(chunk.text for chunk in chunks):
            return Documents(State.MASKED, chunks, self.cut)
        return Documents(State.PRESENT, chunks, self.cut or bool(self._unread or self._masked), self._keys)


def _unpacked(value: object) -> Sequence[object]:
    """Content parts of a tool result whose text is itself JSON: the documents in it."""
    if not (isinstance(value, dict) and value.get("type") == "text" and isinstance(value.get("text"), str)):
        return (value,)
    inner = decode(value["text"]).value
    if isinstance(inner, dict):
        inner = next((inner[key] for key in _ENVELOPES if isinstance(inner.get(key), list)), [inner])
    return inner if isinstance(inner, list) else (value,)


def _chunk(item: object) -> tuple[Chunk | None, bool]:
    """The chunk in one document, and whether its text was masked."""
    if isinstance(item, str):
        return _from_string(item)
    return _from_fields(item) if isinstance(item, dict) else (None, False)


def _from_string(item: str) -> tuple[Chunk | None, bool]:
    if is_masked(item):
        return Chunk(None, masked=True), True
    if not item or item.isspace():
        return Chunk(None), False
    if is_object_repr(item):
        return None, False
    text, cut = clean(item)
    return Chunk(text, truncated=cut), False


def _from_fields(item: Mapping[str, object]) -> tuple[Chunk | None, bool]:
    """The chunk in a mapping: what the mapping says itself, else what is in it, else its metadata."""
    found = Fields()
    found.take(item)
    text = found.text
    if text is None or is_masked(text):
        hidden = text is not None
        known = found.id is not None or found.score is not None
        return (replace(found.chunk(None), masked=hidden) if hidden or known else None), hidden
    return found.chunk(text), False
