"""Where a word stands: the sinusoidal table, fast waves on the left, slow ones on the right."""

import torch

from regard import positions
from regard.viewing import positions as draw

table = positions.Sinusoidal(64)(torch.zeros(60, 64))
print(table[:3, :4])
draw(table, title="sinusoidal positions").save("where_words_stand.svg")
