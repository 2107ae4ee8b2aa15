"""What an application says about the whole trace: its context, and whether it is to be monitored.

Every dialect has a place for metadata, as attributes of its own (`langfuse.trace.metadata.retrievalContext`) or as one
JSON object (`metadata`, `confident.trace.metadata`), so the last part of the key decides.
"""

from collector.attributes import Attributes
from collector.codec import Span
from collector.conventions.documents import read_documents
from collector.conventions.reading import ABSENT, Dialect, Documents, SpanReading
from collector.conventions.values import decode

_NAMES = ("retrievalContext", "retrieval_context")
_MONITOR = "monitor"
_METADATA = "metadata"
_ENDINGS = (*_NAMES, _MONITOR, _METADATA)
_OF_A_SPAN = ("confident.span.retrieval_context", "document.metadata")
_PLACES = ("metadata.", "properties.", "groundwatch.")


def read(span: Span) -> SpanReading | None:
    """A span whose metadata declares context or refuses monitoring."""
    attributes = span.attributes
    documents, refused = ABSENT, False
    for key in [key for key in attributes if key.endswith(_ENDINGS)]:
        if key.endswith(_OF_A_SPAN):
            continue
        if key.endswith(_METADATA):
            if metadata := _members(attributes, key):
                documents = documents or _declared(metadata)
                refused |= _is_false(metadata.get(_MONITOR))
        elif key.endswith(_NAMES):
            documents = documents or read_documents(attributes.get(key))
        elif key == _MONITOR or any(place in key for place in _PLACES):
            refused |= _is_false(attributes.get(key))
    if not documents and not refused:
        return None
    return SpanReading(None, explicit=documents, excluded="monitor=false" if refused else None)


def _members(attributes: Attributes, key: str) -> dict[str, object]:
    value = attributes.get(key)
    if isinstance(value, str) and "retrieval" not in value and _MONITOR not in value:
        return {}
    members = decode(value).value
    return members if isinstance(members, dict) else {}


def _declared(metadata: dict[str, object]) -> Documents:
    return read_documents(next((metadata[name] for name in _NAMES if metadata.get(name)), None))


def _is_false(value: object) -> bool:
    decoded = decode(value).value
    return decoded is False or (isinstance(decoded, str) and decoded.strip().lower() == "false")


DIALECT = Dialect(
    name="retrieval_context",
    markers=(b"retrievalContext", b"retrieval_context"),
    keys=tuple(f"*{ending}" for ending in _ENDINGS),
    read=read,
)
