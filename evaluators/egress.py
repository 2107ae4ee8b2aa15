"""What leaves this machine towards a judge: nothing that looks like personal data or a key, unless it is wanted."""

import importlib
from collections.abc import Callable
from dataclasses import dataclass, replace

from pydantic import BaseModel, ConfigDict, Field

from evaluators.clean_text import clean
from evaluators.errors import PermanentError
from evaluators.evaluation import FailReason
from evaluators.facets import FacetAnswers
from evaluators.judges.base import JudgeError
from evaluators.redaction import Pseudonyms

Hook = Callable[[str], str]


class EgressSettings(BaseModel):
    """`redact`: null means on for a judge on another machine and off for one on this.

    `redaction_hook`, `module:function`, gets each text before anything else does and gives the text to send.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    redact: bool | None = None
    redaction_hook: str | None = Field(None, pattern=r"^[A-Za-z_][\w.]*:[A-Za-z_]\w*$")


@dataclass(frozen=True, slots=True)
class Egress:
    """How texts are treated before they are sent, and what comes back after it."""

    redacts: bool
    hook: Hook | None = None
    hook_name: str = ""

    @property
    def parameters(self) -> dict[str, str]:
        """Its part of a judge's identity: a verdict on redacted text is another verdict."""
        return {
            **({"redaction": "1"} if self.redacts else {}),
            **({"redaction_hook": self.hook_name} if self.hook else {}),
        }

    def open(self) -> "Passage":
        """For the texts of one sample."""
        return Passage(self, Pseudonyms())


@dataclass(frozen=True, slots=True)
class Passage:
    """The texts of one sample on their way out, and the verdict on them on its way back."""

    egress: Egress
    pseudonyms: Pseudonyms

    def protect(self, text: str) -> str:
        """The text to send. Raises JudgeError where the hook fails: then nothing is sent."""
        if self.egress.hook is not None:
            text = _hooked(self.egress.hook, text)
        return self.pseudonyms.hide(text) if self.egress.redacts else text

    def restored(self, answers: FacetAnswers) -> FacetAnswers:
        """The answers about the texts as they are here: quotes stand in the chunks again."""
        if not self.egress.redacts:
            return answers
        return _each_text(answers, self.pseudonyms.restore)


def build_egress(judge: str, settings: EgressSettings, *, remote: bool) -> Egress:
    """Raises PermanentError where the hook cannot be had."""
    redacts = remote if settings.redact is None else settings.redact
    if settings.redaction_hook is None:
        return Egress(redacts)
    return Egress(redacts, _load(judge, settings.redaction_hook), settings.redaction_hook)


def _load(judge: str, name: str) -> Hook:
    module, _, function = name.partition(":")
    try:
        hook = getattr(importlib.import_module(module), function)
    except Exception as error:  # whatever importing somebody's module raises
        raise PermanentError(f"judge {judge!r}: redaction_hook: {name}: {type(error).__name__}") from error
    if not callable(hook):
        raise PermanentError(f"judge {judge!r}: redaction_hook: {name} is no function")
    return hook  # type: ignore[no-any-return]


def _hooked(hook: Hook, text: str) -> str:
    try:
        changed = hook(text)
    except Exception as error:
        raise JudgeError(FailReason.ERROR, f"redaction_hook: {type(error).__name__}") from None
    if not isinstance(changed, str):
        raise JudgeError(FailReason.ERROR, "redaction_hook: it gave no text")
    return clean(changed)


def _each_text(answers: FacetAnswers, change: Callable[[str], str]) -> FacetAnswers:
    def quoted(quote: str | None) -> str | None:
        return None if quote is None else change(quote)

    support, compared, rubric = answers.claim_support, answers.reference_claims, answers.rubric
    if support is not None:
        support = replace(
            support,
            claims=tuple(
                replace(
                    one,
                    claim=change(one.claim),
                    quote=quoted(one.quote),
                    conflict=one.conflict
                    and replace(one.conflict, claimed=change(one.conflict.claimed), found=change(one.conflict.found)),
                )
                for one in support.claims
            ),
        )
    if compared is not None:
        compared = replace(
            compared,
            reference=tuple(replace(c, claim=change(c.claim), quote=quoted(c.quote)) for c in compared.reference),
            answer=tuple(replace(c, claim=change(c.claim), quote=quoted(c.quote)) for c in compared.answer),
            entities=tuple(map(change, compared.entities)),
        )
    if rubric is not None:
        rubric = replace(rubric, criteria=tuple(replace(c, quote=quoted(c.quote)) for c in rubric.criteria))
    grade = answers.grade and replace(answers.grade, reason=change(answers.grade.reason))
    return replace(answers, claim_support=support, reference_claims=compared, rubric=rubric, grade=grade)
