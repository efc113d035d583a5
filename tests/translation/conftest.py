"""Models too small to share among threads."""

import torch

torch.set_num_threads(1)
