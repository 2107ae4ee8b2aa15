"""What an operator can set of where the context of a trace is looked for."""

from collections.abc import Sequence
from fnmatch import fnmatchcase

from pydantic import BaseModel, ConfigDict, Field


class ContextSettings(BaseModel):
    """By default context is what recognised retrievals returned, with the text that they recorded."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    from_prompt: bool = Field(
        False, description="where retrievals recorded no text, take what the model's prompt carries as one chunk"
    )
    agentic: bool | tuple[str, ...] = Field(
        False, description="what tools put out is context too: for every service, or for these (* ? [..] are wildcards)"
    )
    max_chars_per_source: int = Field(
        20_000, ge=200, le=1_000_000, description="of a tool's output or a prompt the rest is cut off and flagged"
    )

    def is_agentic(self, service: str) -> bool:
        """Whether tools of the service give context."""
        services: Sequence[str] = ("*",) if self.agentic is True else self.agentic or ()
        return any(fnmatchcase(service, pattern) for pattern in services)
