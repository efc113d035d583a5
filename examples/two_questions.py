"""Two questions to one paragraph: line width is weight.

The same keys answer both questions; different parts light up.
"""

import torch

import regard
from regard.viewing import AttentionMap

parts = ["Mei grew up by the sea .", "At six she began the cello .", "Her sister builds boats ."]
about = torch.tensor([[3.0, 0.0], [0.0, 3.0], [2.0, 0.0]])  # water, music: written by hand
questions = ["What music does she make ?", "Where is the water ?"]
asked = torch.tensor([[0.0, 2.0], [2.0, 0.0]])

seen = AttentionMap(
    regard.weigh(asked, about),
    query_labels=questions,
    key_labels=parts,
    name="two questions",
    axes=("questions", "paragraph"),
)
seen.show()
seen.save("two_questions.svg", "flow")
