"""How the C library's allocator treats the buffers of a receiver."""

import ctypes

# malloc.h of glibc
_M_TRIM_THRESHOLD = -1
_M_MMAP_THRESHOLD = -3

_MMAP_ABOVE = 16 << 20
_TRIM_ABOVE = 32 << 20


def keep_freed_buffers() -> bool:
    """Let glibc reuse the megabytes that one request frees for the next; False where the C library is another.

    By default it maps each large buffer anew and gives it back when freed: 1600 page faults for a request of 3 MB, more
    than half of all its CPU time. Buffers above 16 MiB are still given back, and so is free memory above 32 MiB.
    """
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError):
        return False
    return bool(mallopt(_M_MMAP_THRESHOLD, _MMAP_ABOVE)) and bool(mallopt(_M_TRIM_THRESHOLD, _TRIM_ABOVE))
