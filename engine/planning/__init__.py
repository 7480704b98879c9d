"""What a model needs before it is there. Standard library only; knows nothing of tensors."""
