"""Whose trace it is, whether it is to be judged at all, and what to slice by."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from collector.conventions.reading import Kind
from collector.conventions.tree import Tree
from collector.resources import OURSELVES, UNKNOWN_SERVICE

MAX_ATTRIBUTES = 16
MAX_FACT = 128
MAX_DURATION_S = 86_400.0

_TEST_PROJECTS = frozenset({"playground", "evaluators"})
_RESOURCE_FACTS = {
    "deployment.environment.name": "deployment.environment",
    "deployment.environment": "deployment.environment",
    "service.version": "service.version",
    "service.namespace": "service.namespace",
}

FACTS = (
    "gen_ai.request.model",
    "gen_ai.provider.name",
    "gen_ai.prompt.name",
    "gen_ai.prompt.version",
    "gen_ai.embeddings.model",
    "gen_ai.reranker.model",
    "gen_ai.data_source.id",
    "gen_ai.agent.name",
    "gen_ai.workflow.name",
    *dict.fromkeys(_RESOURCE_FACTS.values()),
)
"""All that `facts_of` may tell, whatever a dialect calls it."""


def service_of(tree: Tree) -> str:
    """The application's name: `service.name`, or where nobody set that, the name of its project."""
    first = tree.root or tree.nodes[0]
    service = first.resource.service
    if not service.startswith(UNKNOWN_SERVICE):
        return service
    project = first.resource.attributes.get("openinference.project.name")
    named = (node.reading.application for node in tree.nodes)
    return project or next((name for name in named if name), service)


def exclusion(tree: Tree) -> str | None:
    """Why the trace is not to be judged: an evaluation run, a playground, ourselves; None for ordinary traffic."""
    for node in tree.nodes:
        if node.reading.excluded:
            return node.reading.excluded
    for resource in {id(node.resource): node.resource for node in tree.nodes}.values():
        if reason := _by_resource(resource.service, resource.attributes):
            return reason
    tops = [node for node in tree.nodes if node.parent is None]
    return "an evaluation run" if tops and all(node.kind is Kind.EVALUATION for node in tops) else None


def _by_resource(service: str, attributes: Mapping[str, str]) -> str | None:
    if service == OURSELVES:
        return "the monitor's own spans"
    if attributes.get("monitor", "").lower() == "false":
        return "monitor=false"
    project = attributes.get("openinference.project.name", "")
    if project in _TEST_PROJECTS or project.startswith("Experiment-"):
        return f"project {project[:MAX_FACT]}"
    return None


def facts_of(tree: Tree) -> Mapping[str, str]:
    """At most MAX_ATTRIBUTES low-cardinality facts; of those of the spans the last generation's win."""
    first = tree.root or tree.nodes[0]
    found = {ours: first.resource.attributes[key][:MAX_FACT] for key, ours in _present(first.resource.attributes)}
    for node in tree.nodes:
        found.update(node.reading.attributes)
    return MappingProxyType(dict(sorted(found.items())[:MAX_ATTRIBUTES]))


def _present(attributes: Mapping[str, str]) -> Iterable[tuple[str, str]]:
    return ((key, ours) for key, ours in _RESOURCE_FACTS.items() if attributes.get(key))


def first_said(tree: Tree, *, session: bool) -> str | None:
    """The session or the user: as the root says, else as the first span does."""
    nodes = tree.nodes if tree.root is None else (tree.root, *tree.nodes)
    said = (node.reading.session if session else node.reading.user for node in nodes)
    return next((value for value in said if value), None)


def duration_of(tree: Tree) -> float | None:
    """Seconds from start to end of the root, or of all there is without one; None where the clocks make no sense."""
    spans = [node.span for node in ((tree.root,) if tree.root else tree.nodes)]
    starts = [span.start_ns for span in spans if span.start_ns]
    ends = [span.end_ns for span in spans if span.end_ns]
    if not starts or not ends:
        return None
    seconds = (max(ends) - min(starts)) / 1e9
    return seconds if 0.0 <= seconds <= MAX_DURATION_S else None
