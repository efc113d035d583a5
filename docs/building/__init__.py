"""How the docs are built: code that runs in pages, formulas, search, notebooks."""
