"""Decoder models: what the families call things, their weights in memory, and the one decoder."""
