"""The command line, one module per group of commands. Each offers `add_parsers`, which names the function to run."""
