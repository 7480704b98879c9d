"""Long work beside the engine: downloads and conversions, resumable and cancellable. It knows nothing of sequences."""
