"""The command line's exit codes. Knows nothing of the commands."""

from __future__ import annotations

EXIT_OK = 0
EXIT_ERROR = 2
"""A known error, told in one line; argparse ends with the same for words it does not know."""
EXIT_INTERRUPTED = 130
"""What shells give a program that Ctrl+C ended: 128 and the signal's number."""
