"""Writes the dashboards as Grafana loads them: `python -m deploy.grafana.build`."""

import json
from pathlib import Path
from typing import Any

from deploy.grafana import fleet, judges, monitor, service

FOLDER = Path(__file__).parent / "dashboards"


def dashboards() -> dict[str, dict[str, Any]]:
    """Every dashboard by the name of its file."""
    return {module.__name__.rpartition(".")[2]: module.build() for module in (fleet, service, judges, monitor)}


def render(dashboard: dict[str, Any]) -> str:
    """The file's text."""
    return json.dumps(dashboard, indent=2, ensure_ascii=False) + "\n"


def main() -> None:
    """Write all files."""
    for name, dashboard in dashboards().items():
        (FOLDER / f"{name}.json").write_text(render(dashboard))


if __name__ == "__main__":
    main()
