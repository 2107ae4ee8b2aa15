"""What `groundwatch check` says of a configuration without mistakes."""

from collections.abc import Iterator

from alerts.rules.defaults import DEFAULT_RULES
from alerts.web import WebSettings
from collector.config import Config, JudgeConfig
from collector.conventions.origin import FACTS
from collector.plural import counted
from collector.receivers.settings import is_loopback
from evaluators.judges.settings import ServerSettings
from evaluators.prices import PriceTable
from evaluators.sampler import SamplingRule


def summary(config: Config) -> str:
    """One line: the judges with the traces that they look at, the rules, and who is told."""
    notifiers = config.alerts.notifiers
    judges = ", ".join(f"{one.judge.name}: {_sampled(one)}" for one in config.judges)
    parts = [
        f"{counted(len(config.judges), 'judge')} ({judges})" if config.judges else "no judge",
        *_rules(config),
        f"{counted(len(notifiers), 'notifier')} ({', '.join(one.name for one in notifiers)})"
        if notifiers
        else "no notifier",
    ]
    if config.operator_rules:
        parts.append(counted(len(config.operator_rules), "operator rule"))
    return f"good: {', '.join(parts)}"


def warnings(config: Config) -> list[str]:
    """What is no mistake, and seldom meant: a line each."""
    web = config.web
    found = []
    if not is_loopback(web.host) and web.token is None and web.token_env is None:
        found.append(
            f"web.host: {web.host} without token or token_env: anyone who reaches it reads questions and answers"
        )
    for name, receiver in (("grpc", config.receivers.grpc), ("http", config.receivers.http)):
        if receiver is not None and receiver.is_exposed:
            found.append(
                f"receivers.{name}.host: {receiver.host} without token, token_env or tls_client_ca: "
                "anyone who reaches it can send spans"
            )
    if "base_url" not in config.alerts.model_fields_set and web.port != WebSettings().port:
        found.append(
            f"alerts.base_url: not set, so links in alerts begin with {config.alerts.base_url}, "
            f"but web.port is {web.port}"
        )
    return [*found, *_unpriced(config), *_never_told(config)]


def _unpriced(config: Config) -> Iterator[str]:
    """Judges elsewhere are seldom free."""
    prices = PriceTable(config.prices)
    for judge in (one.judge for one in config.judges):
        if isinstance(judge, ServerSettings) and judge.remote and prices.of(judge.model) is None:
            yield f"prices: none for {judge.model!r}, the model of judge {judge.name}: its cost is not counted"


def _never_told(config: Config) -> Iterator[str]:
    """Attributes that no sample has, so that nothing ever matches."""
    asked = [
        *((f"judges[{number}].sampling", rule.attributes) for number, one in enumerate(config.judges)
          for rule in one.sampling),
        ("slices", config.slices),
        *((f"alerts.rules.{rule.name}.slice", rule.slice) for rule in config.alerts.rules),
    ]  # fmt: skip
    for path, names in asked:
        for name in names:
            if name not in FACTS:
                yield f"{path}: {name!r} is not read from traces, so nothing matches; {', '.join(FACTS)} are"


def _sampled(judge: JudgeConfig) -> str:
    return ", ".join(_share(rule) for rule in judge.sampling) or "no traces"


def _share(rule: SamplingRule) -> str:
    limits = [*rule.services, *(f"{key}={value}" for key, value in rule.attributes.items())]
    share = "all traces" if rule.rate == 1 else f"{rule.rate:.4%}".rstrip("%").rstrip("0").rstrip(".") + "%"
    return share if limits == ["*"] else f"{share} of {' '.join(limits)}"


def _rules(config: Config) -> Iterator[str]:
    built_in = {rule.name for rule in DEFAULT_RULES}
    given = {rule.name: rule.enabled for rule in config.alerts.rules}
    unchanged = built_in - given.keys() if config.alerts.default_rules else set()
    enabled = {name for name, is_on in given.items() if is_on}
    yield counted(len(unchanged | (enabled & built_in)), "built-in rule")
    if own := enabled - built_in:
        yield counted(len(own), "own rule")
