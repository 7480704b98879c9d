"""Decoder models: what the families call things, the one decoder, and its way from disk into memory."""
