"""Models on disk: the checkpoint of one, and the library of all. It knows nothing of where models come from."""
