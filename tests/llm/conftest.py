from collections.abc import Iterator

import pytest

from tests.llm.server import LlmServer, require_llm, running_llm


@pytest.fixture(scope="session")
def llm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LlmServer]:
    """A model's server, with nothing to do at the beginning of a test."""
    require_llm()
    with running_llm(tmp_path_factory.mktemp("llm")) as server:
        yield server
