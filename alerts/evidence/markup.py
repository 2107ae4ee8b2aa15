"""HTML that is escaped by construction: only what `tag` made is taken as markup, everything else is text."""

from html import escape


class Markup(str):
    """Finished HTML."""

    __slots__ = ()


def text(value: object) -> Markup:
    """Escaped; what UTF-8 cannot carry is replaced."""
    return value if isinstance(value, Markup) else Markup(escape(str(value).encode("utf-8", "replace").decode()))


def tag(name: str, *children: object, **attributes: object) -> Markup:
    """An element. None children and attributes are left out; `cls` is class, `_` in attribute names is `-`."""
    shown = "".join(
        f' {"class" if key == "cls" else key.replace("_", "-")}="{text(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Markup(f"<{name}{shown}>{join(*children)}</{name}>")


def join(*children: object) -> Markup:
    """Children one after the other."""
    return Markup("".join(text(child) for child in children if child is not None))
