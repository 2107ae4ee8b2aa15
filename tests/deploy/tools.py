"""Validators: programs, and those that come as Python packages."""

import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest


def run(*command: object) -> str:
    """What a program prints; the test fails where it fails."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.strip()


def tool(name: str) -> Path:
    """A program beside the interpreter; the test is skipped, or fails where all is required, without it."""
    path = Path(sys.executable).parent / name
    if not path.exists():
        _lacking(name)
    return path


def module(name: str) -> ModuleType:
    """An imported module, under the same condition."""
    try:
        return __import__(name)
    except ImportError:
        _lacking(name)
        raise


def _lacking(name: str) -> None:
    message = f"{name} is not packaged for this platform"
    if os.environ.get("GROUNDWATCH_REQUIRE_SERVERS") == "1":
        pytest.fail(message)
    pytest.skip(message)
