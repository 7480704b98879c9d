"""One forward of one batch: its tensors, the run through the decoder, and the choice of the next tokens."""
