"""Which word stands for which: from the weights of a head to links, and how wrong they are.

Plain attention may look at one word twice and at another never; where the words compete for
each other, and two directions are joined, fewer links are wrong.
"""

import torch

from regard.translation import alignment_error_rate, contest, links_of, pharaoh, read_pharaoh, symmetrise
from regard.translation.alignment import to_links
from regard.viewing import AttentionMap

seen = AttentionMap(
    [
        [0.80, 0.10, 0.05, 0.05],
        [0.05, 0.15, 0.75, 0.05],
        [0.00, 0.48, 0.52, 0.00],
        [0.05, 0.05, 0.10, 0.80],
    ],
    query_labels=["la", "maison", "rouge", "."],
    key_labels=["the", "red", "house", "."],
    name="a head",
)
sure, possible = read_pharaoh("0-0 1-2 2-1 3-3")

plain = links_of(seen)
contested = to_links(contest(torch.as_tensor(seen.weights)))
backward, _ = read_pharaoh("0-0 0-1 1-2 2-1 3-3")  # of a translator that reads the other way
ways = {
    "plain": plain,
    "contested": contested,
    "plain, both ways": symmetrise(plain, backward, "intersection"),
    "joined": symmetrise(contested, backward),
}
for name, links in ways.items():
    wrong = alignment_error_rate([links], [sure], [possible])
    print(f"{name:<17} {pharaoh(links):<20} error rate {wrong:.0%}")

seen.save("align.svg", "flow")
