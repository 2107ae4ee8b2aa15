"""The question or the answer in what an application recorded as its input or output."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from collector.conventions.messages import ASSISTANT, USER, is_conversation, last_text, message_text, role
from collector.conventions.reading import Text
from collector.conventions.values import clean, decode, is_masked, is_repr

MAX_LEVELS = 5
MAX_STEPS = 400
MAX_ITEMS = 32
MAX_FIELDS = 64
"""How deep into a structure, and through how many of its values, a text is looked for."""

_ASIDE = frozenset(
    {
        *("context", "contexts", "documents", "docs", "source_documents", "source_nodes", "chunks"),
        *("chat_history", "history", "metadata", "meta", "usage", "config", "configurable", "tags", "callbacks"),
        *("filters", "tools", "response_metadata", "additional_kwargs"),
    }
)
_LISTED = frozenset({"args", "replies", "answers", "choices", "generations", "candidates"})
_SPOKEN = frozenset({"message", "messages", "content"})
_DSPY_FIELD = re.compile(r"\[\[ ## (\w{1,64}) ## \]\]")


@dataclass(frozen=True, slots=True)
class _Wanted:
    """Keys that name the text, best first; keys that hold any text; and who says it in a conversation."""

    keys: tuple[str, ...]
    vague: tuple[str, ...]
    roles: frozenset[str]


_QUESTION = _Wanted(
    keys=(
        *("question", "user_question", "query", "user_query", "query_str", "search_query", "user_input"),
        *("user_message", "input", "inputs", "prompt", "messages", "message", "q"),
    ),
    vague=("content", "text", "value"),
    roles=USER,
)
_ANSWER = _Wanted(
    keys=(
        *("answer", "final_answer", "response", "result", "final_result", "output", "outputs", "output_text"),
        *("generation", "completion", "reply", "replies", "answers", "choices", "generations", "candidates"),
        *("messages", "message", "return_values"),
    ),
    vague=("content", "text", "data", "value"),
    roles=ASSISTANT,
)


def question_in(value: object) -> Text | None:
    """The question in a recorded input; None where there is none that can be read."""
    return _Search(_QUESTION, not_under=_ANSWER.keys).find(value)


def answer_in(value: object) -> Text | None:
    """The answer in a recorded output; None where there is none that can be read."""
    return _Search(_ANSWER, not_under=_QUESTION.keys).find(value)


class _Search:
    """One look for one text, with a bound on its steps."""

    def __init__(self, wanted: _Wanted, not_under: tuple[str, ...]) -> None:
        self._wanted = wanted
        self._not_under = _ASIDE.union(not_under)
        self._all_keys = wanted.keys + wanted.vague
        self._steps = MAX_STEPS

    def find(self, value: object, level: int = 0, under: str = "") -> Text | None:
        """The text in `value`, which stood under the key `under`."""
        self._steps -= 1
        if self._steps < 0 or level > MAX_LEVELS:
            return None
        decoded = decode(value)
        value = decoded.value
        if isinstance(value, str):
            return self._in_string(value)
        if isinstance(value, list):
            return self._in_list(value, level, under)
        if isinstance(value, dict):
            found = self._in_mapping(value, level, self._all_keys)
            return found or (None if decoded.cut else self._only_sentence(value))
        return None

    def _in_string(self, value: str) -> Text | None:
        if is_masked(value):
            return Text("", masked=True)
        if not value or value.isspace() or is_repr(value):
            return None
        if value.startswith("[[ ## "):
            return self._in_fields(value)
        text, cut = clean(value)
        return Text(text, cut=cut)

    def _in_fields(self, value: str) -> Text | None:
        """DSPy's adapter writes `[[ ## field ## ]]` sections."""
        _, *parts = _DSPY_FIELD.split(value, maxsplit=MAX_FIELDS)
        fields = {name: text.strip() for name, text in zip(parts[::2], parts[1::2], strict=True)}
        named = next((fields[key] for key in self._wanted.keys if fields.get(key)), None)
        return None if named is None else Text(clean(named)[0], plain=False)

    def _in_list(self, value: Sequence[object], level: int, under: str) -> Text | None:
        if is_conversation(value):
            text = last_text(value, self._wanted.roles)
            return None if text is None else self.find(text, level + 1)
        if len(value) > 1 and under not in _LISTED and isinstance(value[0], str):
            return None
        for item in value[:MAX_ITEMS]:
            # Mappings in a list may be documents, so only a key that names the text counts.
            vague_too = under in _LISTED or not isinstance(item, dict)
            found = self.find(item, level + 1, under) if vague_too else self._named(item, level + 1)
            if found is not None or self._steps < 0:
                return found
        return None

    def _named(self, item: object, level: int) -> Text | None:
        return self._in_mapping(item, level, self._wanted.keys) if isinstance(item, dict) else None

    def _in_mapping(self, value: Mapping[str, object], level: int, keys: tuple[str, ...]) -> Text | None:
        who = role(value)
        if who:
            text = message_text(value) if who in self._wanted.roles else None
            return None if text is None else self.find(text, level + 1)
        for mappings in _levels(value):
            for key in keys:
                for mapping in mappings:
                    if key in mapping and (found := self.find(mapping[key], level + 1, key)):
                        return _dug_out(found, key)
        if self._wanted is _QUESTION and isinstance(value.get("args"), list):
            return self.find(value["args"], level + 1, "args")
        return None

    def _only_sentence(self, value: Mapping[str, object]) -> Text | None:
        """The one text of a mapping, under whatever key, where it is a sentence."""
        texts = [(key, item) for key, item in value.items() if isinstance(item, str) and item]
        if len(texts) != 1 or texts[0][0] in self._not_under or " " not in texts[0][1].strip():
            return None
        found = self._in_string(texts[0][1])
        return None if found is None else _dug_out(found, texts[0][0])


def _dug_out(found: Text, key: str) -> Text:
    if found.masked or key in _SPOKEN:
        return found
    return Text(found.value, plain=False, cut=found.cut)


def _levels(value: Mapping[str, object]) -> Iterator[list[Mapping[str, object]]]:
    """The mapping, then the mappings in it, then those in them; none that holds context or settings."""
    mappings: list[Mapping[str, object]] = [value]
    for _ in range(MAX_LEVELS):
        if not mappings:
            return
        yield mappings
        inner: list[Mapping[str, object]] = []
        for mapping in mappings:
            inner += (item for key, item in mapping.items() if isinstance(item, dict) and key not in _ASIDE)
        mappings = inner[:MAX_STEPS]
