"""The paged KV cache: physical blocks, their owners, and the prefixes that may be reused."""
