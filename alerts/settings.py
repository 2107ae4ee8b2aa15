"""The settings of alerting. Every default works without a file."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from alerts.backends import TraceBackend
from alerts.explain import Content, Links
from alerts.inhibition import unknown_causes
from alerts.notifiers.grouped import GroupedSettings
from alerts.notifiers.jsonlines import JsonLinesSettings
from alerts.notifiers.registry import NotifierSettings, repeated_names
from alerts.rules import KINDS, Rule
from alerts.rules.base import RuleSettings
from alerts.rules.defaults import DEFAULT_RULES
from alerts.slices import RESERVED, AttributeName, label_name
from alerts.strict import Strict, Url

_DEFAULTS = {rule.name: rule for rule in DEFAULT_RULES}


def _complete(rules: object) -> object:
    """A rule named like a default one only says what is different about it."""
    if not isinstance(rules, Sequence) or isinstance(rules, str):
        return rules
    return [_over_default(rule) if isinstance(rule, Mapping) else rule for rule in rules]


def _over_default(rule: Mapping[str, Any]) -> Mapping[str, Any]:
    default = _DEFAULTS.get(str(rule.get("name")))
    if default is None:
        return rule
    known = default.model_dump(mode="json", by_alias=True)
    return {**known, **rule} if rule.get("kind", known["kind"]) == known["kind"] else rule


def _check_template(template: str) -> str:
    if "{trace_id}" not in template:
        raise ValueError("is not a template: put {trace_id} where the id belongs")
    return template


def _check_runbook(template: str) -> str:
    if "{rule}" not in template:
        raise ValueError("is not a template: put {rule} where the name of the rule belongs")
    return template


TraceUrl = Annotated[Url, AfterValidator(_check_template)]
RunbookUrl = Annotated[Url, AfterValidator(_check_runbook)]

CHANGES = (
    "gen_ai.request.model",
    "gen_ai.prompt.version",
    "gen_ai.embeddings.model",
    "gen_ai.reranker.model",
    "gen_ai.data_source.id",
    "service.version",
)
"""Model, prompt, index and release: what people change, and then look at last."""


class AlertSettings(Strict):
    """Rules, notifiers, and what an alert may say.

    `rules` are added to the default ones, or change them by name; `default_rules: false` leaves the latter out.
    `base_url` is where people reach this monitor's pages. `trace_url` is the trace backend's page of a trace, with
    {trace_id} in it; `trace_backend` knows it for some backends. `runbook_url` says what to do, with {rule} in it,
    where a rule has no `runbook`; built-in rules without either name their page in this repository. An alert says how
    the values of the attributes in `changes` shifted before it. `content: ids` keeps question, answer and chunks out of
    alerts. `max_services` bounds how many services are watched apart; those that come later are watched as one.
    `outbox_path` is a file in which notifications survive a restart.
    """

    rules: Annotated[tuple[Rule, ...], BeforeValidator(_complete), Field(strict=False)] = ()
    default_rules: bool = True
    notifiers: Annotated[tuple[NotifierSettings, ...], Field(strict=False)] = (JsonLinesSettings(type="jsonlines"),)
    base_url: Url = "http://127.0.0.1:9464"
    trace_url: TraceUrl | None = None
    trace_backend: TraceBackend | None = None
    runbook_url: RunbookUrl | None = None
    changes: Annotated[tuple[AttributeName, ...], Field(strict=False, max_length=16)] = CHANGES
    content: Content = "full"
    max_services: Annotated[int, Field(ge=1, le=10_000)] = 500
    outbox_path: Annotated[Path | None, Field(strict=False)] = None

    @model_validator(mode="after")
    def _names_are_unique(self) -> Self:
        names = [rule.name for rule in self.rules]
        if doubled := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(f"rules: more than one is called {', '.join(doubled)}")
        if self.trace_url and self.trace_backend:
            raise ValueError("give trace_url or trace_backend, not both")
        active = [rule.name for rule in self.active_rules]
        if doubled := sorted({name for name in active if active.count(name) > 1}):
            raise ValueError(f"rules: more than one comes to be called {', '.join(doubled)}")
        if unknown := unknown_causes(self.active_rules, KINDS):
            raise ValueError(f"rules: inhibited_by names {', '.join(unknown)}, which is neither a rule nor a kind")
        if unknown := sorted(self._unknown_labels()):
            raise ValueError(f"notifiers: group_by names {', '.join(unknown)}, a label that no alert has")
        if doubled := repeated_names(self.notifiers):
            raise ValueError(f"notifiers: more than one is called {', '.join(doubled)}: give them a name")
        return self

    def _unknown_labels(self) -> set[str]:
        known = RESERVED | {label_name(name) for rule in self.active_rules for name in rule.slice}
        return {label for one in self.notifiers if isinstance(one, GroupedSettings) for label in one.group_by} - known

    @property
    def active_rules(self) -> tuple[RuleSettings, ...]:
        """The default rules, as changed, and the others."""
        rules: dict[str, RuleSettings] = dict(_DEFAULTS) if self.default_rules else {}
        rules |= {rule.name: rule for rule in self.rules}
        return tuple(part for rule in rules.values() if rule.enabled for part in rule.parts())

    @property
    def links(self) -> Links:
        """Where alerts point to."""
        backend = self.trace_backend.template if self.trace_backend else ""
        return Links(self.base_url, self.trace_url or backend, self.runbook_url or "")
