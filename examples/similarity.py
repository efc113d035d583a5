"""Three words look at one another: softmax(XXᵀ)X.

The whole of self-attention in one call, and the map of who looks at whom.
"""

import torch

import regard
from regard import scores
from regard.viewing import AttentionMap

words = ["I", "am", "good"]
X = torch.tensor([[1.0, 3.0, 2.0], [1.0, 1.0, 3.0], [1.0, 2.0, 1.0]])

print(regard.attend(X, score=scores.Dot()))
weights = regard.weigh(X, score=scores.Dot())
AttentionMap(weights, query_labels=words, name="I am good").save("similarity.svg")
