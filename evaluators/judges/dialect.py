"""Which of its own parameters a server of OpenAI's API really takes."""

from dataclasses import dataclass, replace
from typing import Literal, Self

from evaluators.judges.http import BadRequestError


@dataclass(frozen=True, slots=True)
class Dialect:
    """What this server takes, learnt from what it refuses."""

    format: Literal["json_schema", "json_object", "text"] = "json_schema"
    limit_field: str = "max_tokens"
    temperature: bool = True
    seed: bool = True

    def without(self, refusal: BadRequestError) -> Self:
        """The dialect without what `refusal` names; equal to this one where it names nothing of it."""
        text = refusal.text.lower()
        if "response_format" in text or "json_schema" in text or "json_object" in text:
            return replace(self, format="json_object" if self.format == "json_schema" else "text")
        if "max_tokens" in text and "max_completion_tokens" in text:
            return replace(self, limit_field="max_completion_tokens")
        if "temperature" in text:
            return replace(self, temperature=False)
        if "seed" in text:
            return replace(self, seed=False)
        return self
