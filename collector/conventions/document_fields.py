"""What one retrieved document says: its text, id, score and source, under whatever keys."""

from collections.abc import Callable, Mapping

from collector.conventions.messages import parts_text
from collector.conventions.values import as_id, as_number, clean, decode, is_object_repr
from evaluators.sample import Chunk

MAX_PARTS = 6
"""Mappings of one document that are looked into."""

_KEYS: dict[str, tuple[str, ...]] = {
    "text": (
        *("content", "page_content", "text", "document.content", "document.page_content", "document.text"),
        *("document", "body", "snippet", "passage", "chunk", "chunk_text"),
    ),
    "id": ("id", "id_", "document.id", "doc_id", "document_id", "chunk_id", "node_id", "_id"),
    "score": (
        "score",
        "relevance_score",
        "relevanceScore",
        "document.score",
        "similarity",
        "similarity_score",
        "_score",
    ),
    "distance": ("distance",),
    "metadata": ("metadata", "meta", "document.metadata"),
    "source": ("source", "file_name", "file_path", "doc_uri", "url", "title"),
}
_ROLES = {key: (role, rank) for role, keys in _KEYS.items() for rank, key in enumerate(keys)}
_WITHIN = frozenset({"node", "document", "doc", "chunk", "kwargs", "payload", "_source", "entity", "fields", "data"})
TEXT_KEYS = frozenset(_KEYS["text"])
# In metadata these name a file or a place in one.
_NO_TEXT = frozenset({"document", "body", "chunk", "snippet"})


class Fields:
    """What one document says, collected key by key; a nearer and better key is never replaced."""

    __slots__ = ("_found", "_ranks")

    def __init__(self) -> None:
        self._found: dict[str, object] = {}
        self._ranks: dict[str, int] = {}

    def take(self, item: Mapping[str, object]) -> None:
        """Collect from the document, from the mappings that are the document proper, and from its metadata."""
        parts = [item]
        for level, part in enumerate(parts):
            for key, value in part.items():
                if key in _WITHIN and len(parts) < MAX_PARTS and isinstance(inner := decode(value).value, dict):
                    parts.append(inner)
                elif (role := _ROLES.get(key)) is not None:
                    self._note(role[0], level * 100 + role[1], value)
        metadata = self._found.get("metadata")
        if isinstance(metadata, dict):
            for key, value in metadata.items():
                role = _ROLES.get(key) if key not in _NO_TEXT else None
                if role is not None and role[0] != "metadata":
                    # Rerankers leave the retriever's score in the metadata and add their own beside it.
                    self._note(role[0], 10_000 - (key == "relevance_score") * 100 + role[1], value)

    def _note(self, role: str, rank: int, value: object) -> None:
        if rank < self._ranks.get(role, 1_000_000) and (read := _READ[role](value)) is not None:
            self._ranks[role], self._found[role] = rank, read

    @property
    def text(self) -> str | None:
        """The text as it was recorded, a mask too."""
        text = self._found.get("text")
        return text if isinstance(text, str) else None

    @property
    def id(self) -> str | None:
        """The identifier."""
        found = self._found.get("id")
        return found if isinstance(found, str) else None

    @property
    def score(self) -> float | None:
        """The retriever's score, higher is better: a distance is turned round."""
        score, distance = self._found.get("score"), self._found.get("distance")
        if isinstance(score, float):
            return score
        return -distance if isinstance(distance, float) else None

    def chunk(self, text: str | None) -> Chunk:
        """The chunk with this text."""
        cut = False
        if text is not None:
            text, cut = clean(text)
        source = self._found.get("source")
        return Chunk(
            text=text if text and not text.isspace() else None,
            id=self.id,
            score=self.score,
            source=source if isinstance(source, str) else None,
            truncated=cut,
        )


def _as_text(value: object) -> str | None:
    if isinstance(value, list):
        return parts_text(value)
    return value if isinstance(value, str) and value and not is_object_repr(value) else None


def _as_mapping(value: object) -> object | None:
    metadata = decode(value).value
    return metadata if isinstance(metadata, dict) else None


_READ: dict[str, Callable[[object], object | None]] = {
    "text": _as_text,
    "id": as_id,
    "score": as_number,
    "distance": as_number,
    "metadata": _as_mapping,
    "source": as_id,
}
