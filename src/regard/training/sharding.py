"""A model in shares, for what one device cannot hold: each process keeps a part of every tensor.

    [training]
    sharding = "full"

torch's FSDP2 gathers the parameters of a block when it is reached, forwards and backwards, and adds
up its gradients into the parts. Optimizer and averages are in parts for good. What is saved is
whole, and the same as ever.
"""

import atexit
import copy
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard, register_fsdp_forward_method
from torch.distributed.tensor import DTensor, distribute_tensor

from regard.models.blocks import DecoderBlock, EncoderBlock
from regard.models.contract import TranslationModel
from regard.training.processes import Processes


class Sharded:
    """A model whose parameters were dealt to the processes, and how to make it whole again.

    It is dealt in place: make its optimizer afterwards.
    """

    def __init__(self, model: TranslationModel[Any], processes: Processes) -> None:
        self.model, self.processes = model, processes
        self.device = next(model.parameters()).device
        # Everything but the parameters, which are put in when it is wanted whole.
        empty = {id(one): nn.Parameter(one.detach().to("meta")) for one in model.parameters()}
        self._pattern = copy.deepcopy(model, dict(empty))
        if self.device.type == "cuda":
            torch.cuda.set_device(self.device)
        # Keys and values are views of one product, and nothing is done to them in place.
        warnings.filterwarnings("ignore", "FSDP2-wrapped module .* returned a view", UserWarning)
        mesh = init_device_mesh(self.device.type, (processes.world,))
        # Torch remembers the mesh for good, and with it the group, whose threads would outlive Python.
        atexit.register(vars(mesh).get("_pg_registry", {}).clear)
        for part in (*_parts(model), model):
            sharded = fully_shard(part, mesh=mesh)
            # How many tokens there are, and so what to divide by, is known afterwards.
            sharded.set_gradient_divide_factor(1.0)
            sharded.set_force_sum_reduction_for_comms(True)
            for method in ("hidden", "remember"):  # they are called from outside in the place of forward
                if method in dir(part):
                    register_fsdp_forward_method(part, method)

    def clear(self) -> None:
        """Begin a step."""
        self.model.zero_grad(set_to_none=True)

    def add_up(self, processes: Processes, numbers: Sequence[float]) -> list[float]:
        """Sum numbers over the processes; the gradients are summed already."""
        sums = torch.tensor(numbers, dtype=torch.float64, device=self.device)
        processes.add_up(sums)
        return sums.tolist()

    def divide(self, by: float) -> None:
        """Divide all gradients."""
        parts = [one.grad.to_local() for one in self.model.parameters() if isinstance(one.grad, DTensor)]
        torch._foreach_div_(parts, by)

    def whole_of(self, tensor: Tensor) -> Tensor:
        """A tensor in one piece; all processes must ask for it."""
        return tensor.full_tensor() if isinstance(tensor, DTensor) else tensor

    def for_first(self, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """Tensors in one piece for the first process, off its device; the others get none, but must ask."""
        found = {}
        for name, tensor in tensors.items():
            whole = self.whole_of(tensor.detach())
            if self.processes.is_first:
                found[name] = whole.cpu()
        return found

    def model_of(self, parameters: Mapping[str, Tensor], device: torch.device) -> TranslationModel[Any]:
        """A plain model with these parameters."""
        places = {
            id(one): nn.Parameter(parameters[name].detach().to(device))
            for name, one in self._pattern.named_parameters()
        }
        return copy.deepcopy(self._pattern, dict(places)).to(device)

    def whole_model(self, device: torch.device) -> TranslationModel[Any]:
        """A plain model with the parameters of now, for every process."""
        parameters = {name: self.whole_of(one.detach()) for name, one in self.model.named_parameters()}
        return self.model_of(parameters, device)

    def parts_of(self, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """Of whole tensors, named after parameters, the parts of this process."""
        known = dict(self.model.named_parameters())
        parts = {}
        for name, tensor in tensors.items():
            like = known.get(name, known.get(name.partition(".")[2]))
            if isinstance(like, DTensor) and like.shape == tensor.shape:
                here = tensor.to(self.device)
                tensor = distribute_tensor(here, like.device_mesh, like.placements, src_data_rank=None)
            parts[name] = tensor
        return parts


def _parts(model: nn.Module) -> list[nn.Module]:
    """What is gathered by itself, inner before outer: the blocks of a Transformer.

    The attention to the source stands alone, because the decoder projects the source before any block
    is reached. Blocks that share a parameter, and other models, are gathered whole.
    """
    blocks = [one for one in model.modules() if isinstance(one, EncoderBlock | DecoderBlock)]
    parameters = [id(one) for block in blocks for one in block.parameters()]
    if len(set(parameters)) < len(parameters):
        return []
    return [*(block.cross for block in blocks if isinstance(block, DecoderBlock)), *blocks]
