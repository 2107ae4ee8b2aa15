"""Whether a configuration works on this machine."""

from collections.abc import Callable
from functools import partial

from collector.chunk_stores.registry import build_store
from collector.config import Config
from collector.receivers.kafka_optional import check_kafka
from collector.receivers.tls import Certificate
from evaluators.clock import SystemClock
from evaluators.errors import PermanentError
from evaluators.judges.registry import build_lane


def check(config: Config) -> None:
    """Build all that needs neither listening nor sending. Raises PermanentError with one line per problem."""
    kafka = config.receivers.kafka
    listening = [(name, one) for name, one in (("grpc", config.receivers.grpc), ("http", config.receivers.http)) if one]
    trials: list[tuple[str, Callable[[], object]]] = [
        *((f"judges.{one.judge.name}", partial(build_lane, one.judge, one.lane)) for one in config.judges),
        *((f"alerts.notifiers.{one.name}", partial(one.build, SystemClock())) for one in config.alerts.notifiers),
        *((f"receivers.{name}", one.read_token) for name, one in listening),
        *((f"receivers.{name}", partial(Certificate, one)) for name, one in listening if one.tls_cert),
        *([("cache.redis", config.cache.redis.read_url)] if config.cache.redis else []),
        *([("chunk_store", partial(build_store, config.chunk_store))] if config.chunk_store else []),
        *([("receivers.kafka", partial(check_kafka, kafka))] if kafka else []),
        *([("streams", partial(check_kafka, config.streams))] if config.streams else []),
    ]
    problems = []
    for path, trial in trials:
        try:
            trial()
        except PermanentError as error:
            problems.append(f"{path}: {error}")
    if problems:
        raise PermanentError("\n".join(problems))
