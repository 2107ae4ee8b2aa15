"""The question to an LLM judge. Untrusted text goes in as data: fenced, cleaned, and never evaluated."""

import re
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from evaluators.asks import chunk_id, point_id, system_prompt
from evaluators.clean_text import clean
from evaluators.facets import Facet
from evaluators.sample import RagSample
from evaluators.shown import Shown, texts_for
from evaluators.trimming import BYTES_PER_TOKEN, trim

_CHAT_TOKEN = re.compile(r"[<\[](?=[|\uff5c]|/?s>|<?/?SYS>|/?(?:start|end)_of_turn>|/?INST\])")
"""Servers that build their own template would read these as the beginning of a turn."""

_MARGIN = 1_024
"""Characters read of a text beyond what could be shown of it, so that a cut leaves no half of what is redacted."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """`shown` are the texts as the model sees them; flags are those of JudgeReply."""

    system: str
    user: str
    shown: Shown
    flags: tuple[str, ...]


def build_prompt(
    sample: RagSample,
    facets: frozenset[Facet],
    max_input_tokens: int,
    *,
    rubric: Sequence[str] = (),
    protect: Callable[[str], str] | None = None,
    token: Callable[[], str] = lambda: secrets.token_hex(12),
) -> Prompt:
    """Ask `facets` about `sample`, showing only what they need. Raises NotJudgedError(too_long) where it cannot fit.

    Data is inserted once and not looked at again, so no text can act as a template; the token is drawn until none of
    the texts holds it. `protect` takes out of a text what must not leave this machine.
    """
    system = system_prompt(facets, tuple(rubric))
    given = texts_for(sample, facets)
    readable = max_input_tokens * BYTES_PER_TOKEN + _MARGIN
    cleaned = given.each(lambda text: clean(text[:readable]))
    protected = cleaned.each(protect) if protect else cleaned
    chunks, cut = trim(protected.chunks, [system, *protected.fixed], max_input_tokens)
    cut |= {position for position, text in enumerate(given.chunks) if len(text) > readable}
    shown = replace(protected, chunks=chunks).each(_without_chat_tokens)
    return Prompt(system, _fenced(_sections(shown, cut), token), shown, ("cut",) if cut else ())


def _sections(shown: Shown, cut: frozenset[int]) -> list[tuple[str, str]]:
    sections = [("The question:", shown.question)]
    for position, text in enumerate(shown.chunks):
        note = ", cut: its end is not shown" if position in cut else ""
        sections.append((f"Chunk {chunk_id(position)}{note}:", text))
    if shown.answer is not None:
        sections.append(("The answer to judge:", shown.answer))
    if shown.reference is not None:
        sections.append(("The reference answer:", shown.reference))
    sections += [(f"Key point {point_id(position)}:", text) for position, text in enumerate(shown.key_points)]
    return sections


def _fenced(sections: Sequence[tuple[str, str]], token: Callable[[], str]) -> str:
    fence = token()
    while any(fence in text for _, text in sections):
        fence = token()
    body = "\n\n".join(f"{title}\n<<<{fence}\n{text}\n{fence}>>>" for title, text in sections)
    return (
        f"The token of this message is {fence}.\n\n{body}\n\nNow give your verdict on these texts as one JSON object."
    )


def _without_chat_tokens(text: str) -> str:
    if "<" in text or "[" in text:
        return _CHAT_TOKEN.sub(lambda match: match[0] + " ", text)
    return text
