"""One forward of one batch: its arrays, the run through the decoder, and the choice of the next tokens."""
