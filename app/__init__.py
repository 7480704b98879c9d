"""DeepInfer's window. It talks to the engine through messages alone and never imports torch."""

__version__ = "0.1.0"
