"""The arithmetic of DeepInfer: packed weights and the fused operations of a decoder layer.

Imports nothing: transformers probes any package of this name for a version, and must find a harmless one.
"""

__version__ = "0.1.0"
