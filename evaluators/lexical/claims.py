"""Claims: an answer, cut into the statements that can be true or false one by one."""

import re
from dataclasses import dataclass

from evaluators.lexical.abstention import abstains
from evaluators.lexical.phrases import is_aside, without_lead_in
from evaluators.lexical.sentences import sentence_spans
from evaluators.lexical.tokens import LONGEST_WORD

CLAIMS_AT_MOST = 64
ANSWER_CHARACTERS = 32_768
_LEAST_LETTERS = 2
_BEGINNING = 2_000

# All patterns are linear: every repetition is bounded, or cannot match what follows it.
_CODE = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL)
_IMAGE = re.compile(r"!\[[^\]\n]{0,300}\]\([^()\s]{0,2000}\)")
_LINK = re.compile(r"\[([^\[\]\n]{1,300})\]\([^()\s]{0,2000}(?:\s\"[^\"\n]{0,200}\")?\)")
_CITATION = re.compile(
    r"\[\^?\d{1,4}(?:\s{0,2}[,;\u2013-]\s{0,2}\^?\d{1,4}){0,20}\]|【[^】\n]{0,120}】"
    r"|\[(?:[a-z_]{1,40}#\d{1,4}|(?:doc(?:ument)?|source|chunk|ref|passage|context|id)s?[\s:_#-]{0,3}[\w.,# -]{0,60})\]"
    r"|\((?:sources?|see|cf\.?|ref|document|doc|chunk|passage|quelle|fuente)[\s:#]{1,3}[^()\n]{0,120}\)",
    re.IGNORECASE,
)
_TAG = re.compile(r"</?[a-zA-Z][^<>\n]{0,200}>")
_EMPHASIS = re.compile(r"\*{1,3}|_{2,3}|~~|`+")
# (what a text must hold for it, pattern, replacement)
_MARKUP = (
    ("```", _CODE, "\n"),
    ("~~~", _CODE, "\n"),
    ("![", _IMAGE, " "),
    ("](", _LINK, r"\1"),
    ("[", _CITATION, ""),
    ("【", _CITATION, ""),
    ("(", _CITATION, ""),
    ("<", _TAG, " "),
    ("*", _EMPHASIS, ""),
    ("`", _EMPHASIS, ""),
    ("__", _EMPHASIS, ""),
    ("~~", _EMPHASIS, ""),
)
_MARKER = re.compile(r"^(?:\s{0,12}(?:[-*+•‣◦·>–—]|#{1,6}|\(?\d{1,3}[.):、]|[a-zA-Z][.)])(?=\s|[^\x00-\x7f])\s{0,8})+")
_RULE = re.compile(r"^[\s|:=_*-]*$")
_CLAUSE = re.compile(
    r";\s|；|[—–]\s+(?=[A-Z])|,\s+(?=(?:but|whereas|while|although|aber|mais|pero|ma|mas|но)\s)|，(?=(?:但|而)\S)"
)
_ADVERSATIVE = re.compile(
    r",?\s+(?:but|however,?|aber|mais|pero|mas|но)\s+|,\s+(?=it (?:does|is|also)\b)|[，,](?:但是?|不过)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Statements:
    """The claims of an answer in order, and whether a part of it declines to answer. `text` is its beginning."""

    claims: tuple[str, ...]
    declines: bool
    text: str


def statements(answer: str) -> Statements:
    """The first 64 claims of the first 32 KiB of an answer, without markup, citations, code, asides and lead-ins."""
    claims: list[str] = []
    declines = False
    for sentence in _sentences(_unmarked(answer[:ANSWER_CHARACTERS])):
        if is_aside(sentence):
            continue
        if abstains(sentence):
            declines = True
            claims.extend(_besides(sentence))
            continue
        claims.extend(_atoms(without_lead_in(sentence)))
        if len(claims) >= CLAIMS_AT_MOST:
            break
    return Statements(tuple(claims[:CLAIMS_AT_MOST]), declines, answer[:_BEGINNING])


def _unmarked(text: str) -> str:
    for mark, pattern, replacement in _MARKUP:
        if mark in text:
            text = pattern.sub(replacement, text)
    return text


def _sentences(text: str) -> list[str]:
    found: list[str] = []
    for line in text.splitlines():
        if _RULE.match(line) or line.lstrip().startswith("#"):
            continue
        bare = _MARKER.sub("", line).replace("|", " ").strip()
        found.extend(_MARKER.sub("", bare[start:end]) for start, end in sentence_spans(bare))
    return [sentence for sentence in found if not sentence.endswith((":", "："))]


def _besides(sentence: str) -> list[str]:
    """What a declining sentence claims after its `but`."""
    return [atom for part in _ADVERSATIVE.split(sentence)[1:] if not abstains(part) for atom in _atoms(part)]


def _atoms(sentence: str) -> list[str]:
    parts = [part.strip(" ,;") for part in _CLAUSE.split(sentence)]
    return [part for part in parts if sum(map(str.isalnum, part)) >= _LEAST_LETTERS and not _is_a_key(part)]


def _is_a_key(part: str) -> bool:
    return len(part) > LONGEST_WORD and part.isascii() and " " not in part
