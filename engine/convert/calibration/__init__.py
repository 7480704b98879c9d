"""Quantising with a look at what the model really computes. Knows nothing of where the layers come from and go."""
