"""The configuration: one YAML file, every key optional, every mistake told at once before anything starts."""

from collections import Counter
from collections.abc import Hashable
from pathlib import Path
from typing import Annotated, Any, Self

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, ValidationInfo, field_validator, model_validator

from alerts.settings import AlertSettings
from alerts.slices import DEFAULT, Attributes
from alerts.web import WebSettings
from alerts.writeback.settings import WriteBackSettings
from collector import config_errors
from collector.assembler import AssemblySettings
from collector.chunk_stores.settings import ChunkStoreSettings
from collector.conventions.context_settings import ContextSettings
from collector.conventions.rules import OperatorRule
from collector.receivers.kafka_settings import KafkaReceiverSettings
from collector.receivers.settings import ReceiverSettings
from collector.streams.settings import StreamSettings
from evaluators.cache import CacheSettings
from evaluators.dispatcher import LaneSettings
from evaluators.errors import PermanentError
from evaluators.judges.lexical import LexicalSettings
from evaluators.judges.registry import JudgeSettings, default_metrics, unanswered
from evaluators.judges.settings import ServerSettings
from evaluators.metrics import METRICS
from evaluators.prices import Price, PriceTable
from evaluators.sampler import SamplingRule

MAX_FILE_BYTES = 1 << 20

_NEUTRAL: dict[str, Any] = {
    "receivers": {"grpc": None, "http": None},
    "web": {"port": 0},
    "prices": {"*": {"input_usd": 1, "output_usd": 1}},
}
"""Stand-ins for parts with mistakes that clash with no other part."""


class Strict(BaseModel):
    """An unknown key is a mistake, and no message repeats a value: it might be a secret."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)


Model = Annotated[str, Field(min_length=1, max_length=128)]


class ReceiversConfig(Strict):
    """OTLP in. `null` turns a receiver off; Kafka is off unless configured."""

    grpc: ReceiverSettings | None = ReceiverSettings(port=4317)
    http: ReceiverSettings | None = ReceiverSettings(port=4318)
    kafka: KafkaReceiverSettings | None = None

    @field_validator("grpc", "http", mode="before")
    @classmethod
    def _usual_port(cls, value: object, info: ValidationInfo) -> object:
        default = cls.model_fields[str(info.field_name)].default
        return {"port": default.port, **value} if isinstance(value, dict) else value


def _default_metrics(given: dict[str, Any]) -> tuple[str, ...]:
    """By the judge; none where the judge itself is a mistake, which is told already."""
    return default_metrics(given["judge"]) if "judge" in given else ()


class JudgeConfig(Strict):
    """A judge, what is computed from its answers, and the traces it looks at."""

    judge: Annotated[JudgeSettings, Field(discriminator="type")] = LexicalSettings()
    metrics: tuple[str, ...] = Field(default_factory=_default_metrics)
    sampling: tuple[SamplingRule, ...] = (SamplingRule(rate=1.0),)
    judge_excluded: bool = False
    lane: LaneSettings = LaneSettings()

    @model_validator(mode="after")
    def _known_metrics(self) -> Self:
        unknown = sorted(set(self.metrics) - set(METRICS))
        if unknown:
            raise ValueError(f"unknown metrics {unknown}; known are {sorted(METRICS)}")
        if without := unanswered(self.judge, self.metrics):
            raise ValueError(
                f"a judge of type {self.judge.type} has no answers for {without}: use another judge for them"
            )
        return self


class Config(Strict):
    """Everything that an operator can set."""

    receivers: ReceiversConfig = ReceiversConfig()
    assembly: AssemblySettings = AssemblySettings()
    operator_rules: tuple[OperatorRule, ...] = ()
    context: ContextSettings = ContextSettings()
    chunk_store: ChunkStoreSettings | None = None
    judges: tuple[JudgeConfig, ...] = (JudgeConfig(),)
    prices: dict[Model, Price] = Field({}, max_length=1_000, description="by model, which may hold * and ?")
    cache: CacheSettings = CacheSettings()
    slices: Attributes = DEFAULT
    alerts: AlertSettings = AlertSettings()
    write_back: WriteBackSettings | None = None
    web: WebSettings = WebSettings()
    streams: StreamSettings | None = None
    drain_s: float = Field(25.0, gt=0, le=600, description="time to finish what is in flight after SIGTERM")
    log_level: str = Field("info", pattern="^(debug|info|warning|error)$")

    @property
    def pages_url(self) -> str:
        """Where the pages are: as set for alerts, or else on this machine."""
        if "base_url" in self.alerts.model_fields_set:
            return self.alerts.base_url
        host = "127.0.0.1" if self.web.host in ("0.0.0.0", "::") else self.web.host  # noqa: S104  compared only
        return f"http://{f'[{host}]' if ':' in host else host}:{self.web.port}"

    @model_validator(mode="after")
    def _no_clashes(self) -> Self:
        problems = [
            *self._clashing_names(),
            *self._clashing_ports(),
            *self._unknown_references(),
            *self._unpriced_budgets(),
        ]
        if problems:
            raise ValueError("\n".join(problems))
        return self

    def _clashing_names(self) -> list[str]:
        names = Counter(judge.judge.name for judge in self.judges)
        return [f"judges: two are called {name!r}" for name, count in names.items() if count > 1]

    def _clashing_ports(self) -> list[str]:
        listeners = {"receivers.grpc": self.receivers.grpc, "receivers.http": self.receivers.http, "web": self.web}
        taken: dict[int, str] = {}
        problems = []
        for path, settings in listeners.items():
            if settings is None or settings.port == 0:
                continue
            if settings.port in taken:
                problems.append(f"{path}.port: {settings.port} is also the port of {taken[settings.port]}")
            taken[settings.port] = path
        return problems

    def _unpriced_budgets(self) -> list[str]:
        """Caps in dollars of judges whose dollars nobody can count."""
        table, problems = PriceTable(self.prices), []
        free = Price(input_usd=0, output_usd=0)
        for number, judge in enumerate(self.judges):
            path, settings = f"judges[{number}].lane.budget.usd_per_day", judge.judge
            if judge.lane.budget.usd_per_day is None:
                continue
            if not isinstance(settings, ServerSettings):
                problems.append(f"{path}: a judge of type {settings.type} tells no tokens: use calls_per_day")
            elif (price := table.of(settings.model)) == free:
                problems.append(f"{path}: its model costs nothing by prices: use tokens_per_day")
            elif price is None:
                problems.append(
                    f"{path}: its model has no price: add prices: "
                    f"{{{settings.model!r}: {{input_usd: ..., output_usd: ...}}}}, in US dollars per million tokens"
                )
        return problems

    def _unknown_references(self) -> list[str]:
        judges = {judge.judge.name for judge in self.judges}
        return [
            f"alerts.rules.{rule.name}: no judge is called {rule.judge!r}; there are {sorted(judges)}"
            for rule in self.alerts.rules
            if rule.judge is not None and rule.judge not in judges
        ]


def load(path: Path | None) -> Config:
    """Read and validate a file; no file gives the defaults. Raises PermanentError with one line per mistake."""
    if path is None:
        return Config()
    text = _read(path)
    try:
        return parse(text)
    except PermanentError as error:
        raise PermanentError("\n".join(f"{path}: {line}" for line in str(error).splitlines())) from error


def parse(text: str) -> Config:
    """Validate a YAML document. Raises PermanentError with one line per mistake: the key's path and what is wrong."""
    try:
        document: Any = yaml.load(text, Loader=_UniqueKeys) or {}  # noqa: S506  a SafeLoader
    except yaml.YAMLError as error:
        raise PermanentError(f"not valid YAML: {_where(error)}") from error
    except RecursionError as error:
        raise PermanentError("not valid YAML: nested too deep") from error
    except (ValueError, OverflowError) as error:
        raise PermanentError("not valid YAML: an escape that names no character") from error
    try:
        return Config.model_validate(document)
    except ValidationError as error:
        told = [*config_errors.lines(error, Config), *_clashes_besides(error, document)]
        raise PermanentError("\n".join(told)) from error


def _clashes_besides(error: ValidationError, document: Any) -> list[str]:
    """What does not go together among the parts that are right in themselves."""
    broken = {str(item["loc"][0]) for item in error.errors(include_input=False) if item["loc"]}
    if not broken or "judges" in broken:
        return []
    rest = {key: value for key, value in document.items() if str(key) not in broken}
    try:
        Config.model_validate({**{key: _NEUTRAL[key] for key in broken & _NEUTRAL.keys()}, **rest})
    except ValidationError as clashes:
        return config_errors.lines(clashes, Config)
    return []


def _read(path: Path) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
        if len(data) > MAX_FILE_BYTES:
            raise PermanentError(f"{path}: larger than {MAX_FILE_BYTES} bytes, this is no configuration")
        return data.decode()
    except OSError as error:
        raise PermanentError(f"{path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise PermanentError(f"{path}: not UTF-8 text") from error


class _UniqueKeys(yaml.SafeLoader):
    """YAML takes the last of two equal keys in silence; an operator would look for the first for hours."""

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        """The value of a node. PyYAML lets whatever its parsers of numbers and dates raise pass as it is."""
        try:
            return super().construct_object(node, deep=deep)
        except (ValueError, TypeError, LookupError, AttributeError) as error:
            what = f"not a value of the type {node.tag.rpartition(':')[2]!r}"
            raise yaml.constructor.ConstructorError(None, None, what, node.start_mark) from error


def _mapping(loader: _UniqueKeys, node: yaml.MappingNode) -> dict[Any, Any]:
    seen: set[Any] = set()
    for key_node, _ in node.value:
        key = loader.construct_object(key_node, deep=True)
        if not isinstance(key, Hashable):
            raise yaml.constructor.ConstructorError(None, None, "a key must be a plain word", key_node.start_mark)
        if key in seen:
            raise yaml.constructor.ConstructorError(None, None, f"the key {key!r} stands twice", key_node.start_mark)
        seen.add(key)
    return loader.construct_mapping(node, deep=True)


_UniqueKeys.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _mapping)


def _where(error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or "unreadable"
    if "alias" in f"{problem} {getattr(error, 'context', None)}":
        problem = 'what begins with * needs quotes, as in "*"'
    return f"line {mark.line + 1}, column {mark.column + 1}: {problem}" if mark else str(problem)
