"""Guesses of the next tokens, which one forward of the model verifies: who makes them, and how many pay."""
