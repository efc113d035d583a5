"""A learner to tensors and back, so that training goes on bit for bit."""

from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from regard.errors import RunError
from regard.training.checkpoints import Checkpoint
from regard.training.loop import Learner
from regard.training.processes import ALONE


def training_state(learner: Learner) -> dict[str, Tensor]:
    """The optimizer's state, and the parameters where those to translate with are averages."""
    state: dict[str, Tensor] = {}
    slots = learner.optimizer.state
    for name, parameter in learner.model.named_parameters():
        for slot, value in slots.get(parameter, {}).items():
            state[f"{slot}.{name}"] = torch.as_tensor(value)
        if learner.averaged is not None:
            state[f"parameter.{name}"] = parameter.detach()
    return state


def gathered(learner: Learner) -> tuple[Learner, dict[str, Tensor]]:
    """A learner in one piece and its training state, to be judged and saved by the first process.

    All processes must ask for it; what it gives the others is of no use.
    """
    sharded = learner.sharded
    if sharded is None:
        return learner, training_state(learner)
    parameters = sharded.for_first(dict(learner.model.named_parameters()))
    averaged = sharded.for_first(learner.averaged or {})
    state = sharded.for_first(training_state(learner))
    if not learner.processes.is_first:
        return learner, state
    model = sharded.model_of(parameters, sharded.device)
    kept = {name: one.to(sharded.device) for name, one in averaged.items()}
    whole = replace(learner, model=model, averaged=kept or None, processes=ALONE, sharded=None)
    return whole, state


def average_last(learner: Learner, checkpoints: list[Checkpoint]) -> None:
    """Let a learner translate with the mean of its parameters and those of the last checkpoints.

    Only checkpoints with a score count: where a run was interrupted must not show in its result.
    """
    wanted = learner.settings.average_last
    if not wanted or learner.averaged is None:
        return
    before = [one for one in checkpoints if one.score is not None and one.step < learner.step]
    others = [one.optimizer() for one in before[len(before) - wanted + 1 :]] if wanted > 1 else []
    for name, parameter in learner.model.named_parameters():
        known = [one[f"parameter.{name}"].to(parameter.device) for one in others]
        learner.averaged[name] = torch.stack([*known, parameter.detach()]).mean(0)


def progress(learner: Learner) -> dict[str, Any]:
    """The numbers of a learner."""
    return {"skipped": learner.skipped, "skipped_in_a_row": learner.skipped_in_a_row}


def load_parameters(model: torch.nn.Module, parameters: dict[str, Tensor], where: str) -> None:
    """Put parameters into a model; every one must be there, of the right shape, and none else."""
    check_parameters(model, parameters, where)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.copy_(parameters[name])


def check_parameters(model: torch.nn.Module, parameters: dict[str, Tensor], where: str) -> None:
    """Refuse parameters that are not, by name and shape, those of a model."""
    own = dict(model.named_parameters())
    for name, parameter in own.items():
        if name not in parameters:
            raise RunError(f"{where} lacks the parameter {name}.")
        if parameters[name].shape != parameter.shape:
            raise RunError(
                f"{where} holds {name} of shape {tuple(parameters[name].shape)}, but the model's is "
                f"{tuple(parameter.shape)}."
            )
    for name in parameters:
        if name not in own:
            raise RunError(f"{where} holds a parameter {name} that the model does not have.")


def restore(learner: Learner, parameters: dict[str, Tensor], state: dict[str, Tensor], where: str) -> None:
    """Put a saved state back into a fresh learner of the same settings."""
    if learner.sharded is not None:
        parameters, state = learner.sharded.parts_of(parameters), learner.sharded.parts_of(state)
    if learner.averaged is None:
        load_parameters(learner.model, parameters, where)
    else:
        own = {
            name.removeprefix("parameter."): one
            for name, one in state.items()
            if name.startswith("parameter.")
        }
        load_parameters(learner.model, own, where)
        for name, tensor in learner.averaged.items():
            tensor.copy_(parameters[name])
    for name, parameter in learner.model.named_parameters():
        slots = {}
        for key, value in state.items():
            slot, _, of = key.partition(".")
            if of == name and slot != "parameter":
                slots[slot] = value.to(parameter.device) if slot != "step" else value.clone()
        if slots:
            learner.optimizer.state[parameter] = slots
