"""Operator rules: retrieval that no dialect marks, named by the people who run the application."""

from collections.abc import Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from collector.codec import Span
from collector.conventions.documents import read_documents
from collector.conventions.reading import Documents, Kind, SpanReading
from collector.conventions.values import decode

_WILD = "*?["
_MIN_LITERAL = 3


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)


class Match(_Strict):
    """Which spans: by name, by attributes, or by both; all must hold. `*`, `?` and `[..]` are wildcards."""

    name: str | None = Field(None, min_length=1, description="the span's name, or a pattern for it")
    attributes: dict[str, str | bool | int | float] = Field(
        default_factory=dict, description="attribute keys with their value, or with a pattern for it"
    )

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not self.literals:
            raise ValueError(
                "match needs an attribute, or a name with at least three letters that are no wildcard: "
                "otherwise every span would have to be kept"
            )
        return self

    @cached_property
    def literals(self) -> tuple[str, ...]:
        """Texts that every matching span holds, the most telling one first."""
        exact = [value for value in self.attributes.values() if isinstance(value, str) and not _is_pattern(value)]
        texts = [*exact, *self.attributes, *_literals(self.name or "")]
        return tuple(text for text in texts if len(text) >= _MIN_LITERAL)

    def fits(self, span: Span) -> bool:
        """Whether the span is meant."""
        if self.name is not None and not _same(span.name, self.name):
            return False
        return all(_same(span.attributes.get(key), wanted) for key, wanted in self.attributes.items())


class Place(_Strict):
    """Where in a span something is: an attribute, and where that is JSON a dotted path into it (`hits.0.text`)."""

    attribute: str = Field(min_length=1)
    path: str | None = Field(None, min_length=1)

    def value_in(self, span: Span) -> object | None:
        """The value, None where it is missing."""
        value = span.attributes.get(self.attribute)
        return value if self.path is None else _follow(decode(value).value, self.path.split("."))


class DocumentsPlace(Place):
    """Where the documents are, and under which of their keys text, id and score are, if not under a usual one."""

    text: str | None = Field(None, min_length=1)
    id: str | None = Field(None, min_length=1)
    score: str | None = Field(None, min_length=1)

    def documents_in(self, span: Span) -> Documents:
        """The documents, however many of them can be read."""
        value = self.value_in(span)
        renamed = {"content": self.text, "id": self.id, "score": self.score}
        wanted = {ours: theirs for ours, theirs in renamed.items() if theirs is not None}
        return read_documents(_renamed(decode(value).value, wanted) if wanted else value)


class OperatorRule(_Strict):
    """One rule. Without `query` and `documents` they are taken from the span's own input and output.

    Example:
        match: {attributes: {gen_ai.operation.name: execute_tool, gen_ai.tool.name: search_docs}}
        documents: gen_ai.tool.call.result
    """

    match: Match
    kind: Kind = Kind.RETRIEVAL
    query: Place | None = None
    documents: DocumentsPlace | None = None

    @field_validator("query", "documents", mode="before")
    @classmethod
    def _key_alone(cls, value: object) -> object:
        return {"attribute": value} if isinstance(value, str) else value

    def apply(self, span: Span, reading: SpanReading | None) -> SpanReading:
        """The span as the rule sees it; `reading` is what the dialects made of it."""
        reading = reading or SpanReading(None)
        query = self.query.value_in(span) if self.query else reading.query or reading.input
        if self.kind not in (Kind.RETRIEVAL, Kind.RERANKING):
            return replace(reading, kind=self.kind, query=query)
        documents = self.documents.documents_in(span) if self.documents else _own(reading)
        return replace(reading, kind=self.kind, query=query, documents=documents, output=None)


def rule_markers(rules: Sequence[OperatorRule], known: Sequence[bytes]) -> tuple[bytes, ...]:
    """Byte strings one of which every span holds that a rule means; none where one of the `known` ones does it."""
    needed: dict[bytes, None] = {}
    for rule in rules:
        literals = [text.encode() for text in rule.match.literals]
        if not any(marker in literal for literal in literals for marker in known):
            needed[literals[0]] = None
    return tuple(needed)


def _own(reading: SpanReading) -> Documents:
    return reading.documents or read_documents(reading.output)


def _is_pattern(text: str) -> bool:
    return any(sign in text for sign in _WILD)


def _literals(pattern: str) -> list[str]:
    """What a pattern says literally, longest first."""
    for sign in _WILD:
        pattern = pattern.replace(sign, "\0")
    return sorted(pattern.split("\0"), key=len, reverse=True)


def _same(value: object, wanted: str | bool | float) -> bool:
    if isinstance(wanted, str) and isinstance(value, str):
        return fnmatchcase(value, wanted) if _is_pattern(wanted) else value == wanted
    return type(value) is type(wanted) and value == wanted


def _follow(value: object, path: Sequence[str]) -> object | None:
    for step in path:
        value = decode(value).value
        if isinstance(value, dict):
            value = value.get(step)
        elif isinstance(value, list) and step.isdecimal() and int(step) < len(value):
            value = value[int(step)]
        else:
            return None
    return value


def _renamed(value: object, wanted: dict[str, str]) -> object:
    """The documents with the operator's keys under the usual names; a key may be a dotted path."""
    if isinstance(value, list):
        return [_renamed(decode(item).value, wanted) for item in value]
    if not isinstance(value, dict):
        return value
    found = {ours: _follow(value, theirs.split(".")) for ours, theirs in wanted.items()}
    return {**value, **{ours: inner for ours, inner in found.items() if inner is not None}}
