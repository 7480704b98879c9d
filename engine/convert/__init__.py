"""From a foreign file to a checkpoint. It knows nothing of how the models are run."""
