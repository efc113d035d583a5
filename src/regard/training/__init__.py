"""TRAIN: loss, schedule, loop, checkpoints and many processes."""

from regard.training.checkpoints import (
    Checkpoint,
    best_of,
    checkpoints_in,
    keep_best_and_last,
    read_checkpoint,
    save_checkpoint,
    sweep,
)
from regard.training.loop import Learner, Report, StepSettings, loss_of, make_optimizer, parts_of, train_steps
from regard.training.loss import agreeing_loss, smoothed_loss
from regard.training.processes import ALONE, Processes, SharedError, join, was_restarted
from regard.training.schedule import learning_rate
from regard.training.state import (
    average_last,
    check_parameters,
    gathered,
    load_parameters,
    progress,
    restore,
    training_state,
)

__all__ = [
    "ALONE",
    "Checkpoint",
    "Learner",
    "Processes",
    "Report",
    "SharedError",
    "StepSettings",
    "agreeing_loss",
    "average_last",
    "best_of",
    "check_parameters",
    "checkpoints_in",
    "gathered",
    "join",
    "keep_best_and_last",
    "learning_rate",
    "load_parameters",
    "loss_of",
    "make_optimizer",
    "parts_of",
    "progress",
    "read_checkpoint",
    "restore",
    "save_checkpoint",
    "smoothed_loss",
    "sweep",
    "train_steps",
    "training_state",
    "was_restarted",
]
