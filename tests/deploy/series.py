"""What a monitor exposes, and what of it nobody looks at."""

import re

from tests.deploy.shipped import panels, rules

UNSEEN = {
    "process_virtual_memory_bytes": "address space costs nothing; process_resident_memory_bytes is shown",
    "groundwatch_coverage_ratio": "one process's share; service_metric:groundwatch_coverage:ratio1h is that of all",
}
"""Series that are in no panel and no rule, and why."""

_TYPE = re.compile(r"^# TYPE (\w+) ", re.MULTILINE)
_NAME = re.compile(r"\b(?:groundwatch|process)_\w+")
_OF_HISTOGRAMS = re.compile(r"_(bucket|count|sum)$")


def exposed(page: str) -> set[str]:
    """The names on a page of /metrics in the text format, those without a value so far included."""
    return set(_TYPE.findall(page))


def looked_at() -> set[str]:
    """The names in the shipped dashboards and rules."""
    texts = [target["expr"] for _, panel in panels() for target in panel["targets"]]
    texts += [rule["expr"] for kind in ("record", "alert") for rule in rules(kind)]
    return {_OF_HISTOGRAMS.sub("", name) for text in texts for name in _NAME.findall(text)}
