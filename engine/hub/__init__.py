"""The Hugging Face hub: what it has, and how its files come here. Only jobs' threads import it, as it is slow."""
