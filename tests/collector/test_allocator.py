"""Freed buffers stay with the process."""

import subprocess
import sys

import pytest

# Frees 3 MB again and again, as a receiver does, and prints the page faults of the last hundred times.
_CHURN = """
import resource, sys
from collector.allocator import keep_freed_buffers
if len(sys.argv) > 1:
    assert keep_freed_buffers()
def churn(times):
    for _ in range(times):
        buffers = [bytearray(3_000_000) for _ in range(3)]
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt
before = churn(20)
print(churn(100) - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="glibc alone")
def test_a_large_buffer_is_used_again_without_page_faults() -> None:
    command = [sys.executable, "-c", _CHURN, "keep"]
    faults = int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    assert faults < 1000
