"""TRAIN: loss, schedule, loop and checkpoints."""

from regard.training.checkpoints import (
    Checkpoint,
    best_of,
    checkpoints_in,
    keep_best_and_last,
    read_checkpoint,
    save_checkpoint,
    sweep,
)
from regard.training.loop import Learner, Report, StepSettings, loss_of, make_optimizer, train_steps
from regard.training.loss import agreeing_loss, smoothed_loss
from regard.training.schedule import learning_rate
from regard.training.state import load_parameters, progress, restore, training_state

__all__ = [
    "Checkpoint",
    "Learner",
    "Report",
    "StepSettings",
    "agreeing_loss",
    "best_of",
    "checkpoints_in",
    "keep_best_and_last",
    "learning_rate",
    "load_parameters",
    "loss_of",
    "make_optimizer",
    "progress",
    "read_checkpoint",
    "restore",
    "save_checkpoint",
    "smoothed_loss",
    "sweep",
    "train_steps",
    "training_state",
]
