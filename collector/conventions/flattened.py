"""Lists that were flattened into attributes: `retrieval.documents.3.document.content`."""

from collector.attributes import Attributes

Rows = dict[int, dict[str, object]]


def rows(attributes: Attributes, prefix: str) -> Rows:
    """The entries of a flattened list by index, lowest first, each with its fields; indices may be missing.

    A count limit in the sender drops some of the attributes, mostly the oldest, so the first index is not always 0.
    """
    start = len(prefix) + 1
    found: dict[int, dict[str, object]] = {}
    for key in _keys(attributes, prefix):
        number, _, name = key[start:].partition(".")
        value = attributes.get(key) if name and number.isascii() and number.isdigit() and len(number) < 10 else None
        if value is not None:
            found.setdefault(int(number), {})[name] = value
    return dict(sorted(found.items()))


def is_present(attributes: Attributes, prefix: str) -> bool:
    """Whether the list has an entry."""
    return bool(_keys(attributes, prefix))


def has_gaps(indices: Rows) -> bool:
    """Whether an entry before the last one is missing."""
    return bool(indices) and max(indices) != len(indices) - 1


def _keys(attributes: Attributes, prefix: str) -> list[str]:
    dotted = prefix + "."
    return [key for key in attributes if key.startswith(dotted)]
