"""The four tokens that are not text. Their numbers are the same in every vocabulary."""

PADDING, BEGIN, END, UNKNOWN = range(4)

LABELS = ("<padding>", "<begin>", "<end>", "<unknown>")
"""How the special tokens are shown. Text may spell them too: it is never read as one."""
