"""The parts of a prompt that a template put together: the retrieved text, and the question after it."""

import re

_LABEL = r"^[^\w\n]{0,8}(?:%s)\b[^\n:>]{0,40}(?::|>|\n)"
_CONTEXT = re.compile(
    _LABEL
    % r"(?:retrieved |given |relevant |background )?(?:context|documents?|sources?|passages?|search results|excerpts)",
    re.IGNORECASE | re.MULTILINE,
)
_QUESTION = re.compile(_LABEL % r"(?:user |user's )?(?:question|query)", re.IGNORECASE | re.MULTILINE)
_AFTER = re.compile(
    r"</(?:context|documents?|sources?|question|query)>|"
    + _LABEL
    % r"(?:user |user's |helpful |your |final )?(?:question|query|input|request|instructions?|answer|response)",
    re.IGNORECASE | re.MULTILINE,
)


def context_part(prompt: str) -> str | None:
    """What a prompt labels as context; None where it labels nothing."""
    begin = _CONTEXT.search(prompt)
    return _until_next(prompt, begin.end()) if begin else None


def question_part(prompt: str) -> str:
    """The question of a prompt that labels its context and its question; "" of any other."""
    begin = _QUESTION.search(prompt) if _CONTEXT.search(prompt) else None
    return _until_next(prompt, begin.end()) if begin else ""


def _until_next(prompt: str, at: int) -> str:
    end = _AFTER.search(prompt, at)
    return prompt[at : end.start() if end else len(prompt)].strip()
