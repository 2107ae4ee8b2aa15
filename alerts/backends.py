"""Where trace backends show a trace."""

from collections.abc import Callable
from typing import Annotated, Literal, Self
from urllib.parse import quote

import orjson
from pydantic import Field, model_validator

from alerts.strict import Strict, Url

_ID = "TRACEID"
"""Stands for {trace_id} while the rest is quoted."""


class TraceBackend(Strict):
    """`url` is where people open the backend: Grafana for tempo, else the backend's own pages.

    `datasource` is the uid of the Tempo data source in Grafana; `project` is the project's id in Langfuse.
    """

    type: Literal["tempo", "jaeger", "phoenix", "langfuse"]
    url: Url
    datasource: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,40}$")] = "tempo"
    project: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")] | None = None

    @model_validator(mode="after")
    def _has_project(self) -> Self:
        if (self.type == "langfuse") != (self.project is not None):
            raise ValueError("`project` belongs to langfuse, which needs it: the id in the address of its pages")
        return self

    @property
    def template(self) -> str:
        """The address of a trace, with {trace_id} in it."""
        return f"{self.url.rstrip('/')}/{_PATHS[self.type](self)}"


def _tempo(backend: TraceBackend) -> str:
    """Grafana's Explore (https://grafana.com/docs/grafana/latest/explore/)."""
    source = {"type": "tempo", "uid": backend.datasource}
    query = {"refId": "A", "datasource": source, "queryType": "traceql", "query": _ID}
    panes = {"gw": {"datasource": backend.datasource, "queries": [query], "range": {"from": "now-7d", "to": "now"}}}
    return f"explore?schemaVersion=1&panes={quote(orjson.dumps(panes).decode(), safe='').replace(_ID, '{trace_id}')}"


_PATHS: dict[str, Callable[[TraceBackend], str]] = {
    "tempo": _tempo,
    "jaeger": lambda _: "trace/{trace_id}",
    "phoenix": lambda _: "redirects/traces/{trace_id}",
    "langfuse": lambda backend: f"project/{backend.project}/traces/{{trace_id}}",
}
