"""Sentences: where one ends and the next begins, for prose, lists and tables in any script."""

import re

# One class of characters first: the search then skips through text that holds none of them.
_STOP = re.compile(r"[.!?؟।…。！？｡\n][.!?…。！？\n]*[\"'”’»)\]」』）]*")
_ENDS_ANYWHERE = frozenset("。！？｡")
_ABBREVIATIONS = frozenset(
    [
        "mr",
        "mrs",
        "ms",
        "dr",
        "prof",
        "st",
        "sr",
        "jr",
        "vs",
        "etc",
        "inc",
        "ltd",
        "co",
        "corp",
        "no",
        "nos",
        "vol",
        "fig",
        "figs",
        "eq",
        "al",
        "ca",
        "approx",
        "dept",
        "est",
        "jan",
        "feb",
        "mar",
        "apr",
        "jun",
        "jul",
        "aug",
        "sep",
        "sept",
        "oct",
        "nov",
        "dec",
        "gen",
        "col",
        "sen",
        "rep",
        "gov",
        "hon",
        "rev",
        "bzw",
        "ca",
        "z.b",
        "u.a",
        "d.h",
        "nr",
        "str",
        "abs",
        "art",
        "usw",
        "bspw",
        "evtl",
    ]
)
# A sentence without an end is cut here, at the next space: tables and logs have no full stops.
_LONGEST = 480


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """(start, end) of every sentence, without surrounding white space; none is longer than about 480 characters."""
    spans: list[tuple[int, int]] = []
    start = 0
    for match in _STOP.finditer(text):
        stop, end = match.span()
        if _ends_sentence(text, start, stop, end):
            _add(spans, text, start, end)
            start = end
    _add(spans, text, start, len(text))
    return spans


def _ends_sentence(text: str, start: int, stop: int, end: int) -> bool:
    if text[stop] == "\n" or text[stop] in _ENDS_ANYWHERE or "\n" in text[stop:end]:
        return True
    if end == len(text) or text[end].isspace():
        return end - stop > 1 or text[stop] != "." or not _abbreviates(text, start, stop)
    # Line breaks were lost: `in Nashville.Ryman Auditorium`.
    return (
        end - stop == 1
        and text[end].isupper()
        and stop > start
        and text[stop - 1].islower()
        and text[end + 1 : end + 2].islower()
    )


def _abbreviates(text: str, start: int, dot: int) -> bool:
    word = text[max(start, dot - 12) : dot].rsplit(None, 1)[-1:]
    if not word or text[dot - 1].isspace():
        return False
    last = word[0].lstrip("(\"'“‘[").lower()
    if last.isdigit():
        return not text[start : dot - len(last)].strip(" \t*#-")
    return (
        len(last) == 1 or last in _ABBREVIATIONS or ("." in last and last.replace(".", "").isalpha() and len(last) <= 5)
    )


def _add(spans: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    piece = text[start:end]
    bare = piece.strip()
    if not bare:
        return
    start += len(piece) - len(piece.lstrip())
    end = start + len(bare)
    while end - start > _LONGEST:
        cut = text.find(" ", start + _LONGEST - 120, start + _LONGEST)
        cut = cut if cut > 0 else start + _LONGEST
        spans.append((start, cut))
        start = cut + 1 if text[cut] == " " else cut
    spans.append((start, end))
