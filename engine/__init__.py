"""DeepInfer's inference engine: model, cache and scheduler. It knows nothing of Qt and nothing of chats."""

__version__ = "0.1.0"
