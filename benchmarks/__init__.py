"""One question each: what is fast, and how much so."""
