"""Measurements of quality and speed. Nothing here is used while serving."""
