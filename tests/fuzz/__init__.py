"""Damaged and hostile files and answers: a short run with the tests, a long one as `python -m tests.fuzz`."""
