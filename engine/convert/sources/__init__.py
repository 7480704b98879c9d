"""The files that can be converted: each source reads its own format and offers layers of matrices."""
