"""Measuring in a process that keeps its memory.

As a process comes, glibc gives large blocks back to the kernel and has them zeroed anew each time. In a
virtual machine that takes more or less long by chance, the same for everybody who is measured, and
drowns what differs between them.
"""

KEEPING = {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": str(1 << 36), "MALLOC_TOP_PAD_": str(1 << 26)}
"""Tells glibc's allocator, by its environment, to keep what it was given."""
