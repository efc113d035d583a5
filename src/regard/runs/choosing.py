"""What a recipe leaves open, chosen from the data: rules of thumb, each in one place."""

from dataclasses import replace

from regard.recipe import ModelSettings, Recipe, TrainingSettings

EPOCHS = {"adam": 60, "muon": 20}
"""How often training goes through the pairs."""
FEWEST_STEPS, MOST_TOKENS = 1_000, 30_000 * 4_096
"""However few pairs there are, or many."""
SMALL, MIDDLING = 100_000, 1_000_000
"""Fewer pairs than this are few, or neither few nor many."""
TOKENS, TOKENS_OF_FEW = 4_096, 2_048
"""Of a batch. With few pairs what is learned early is the same of half as many."""
PEAKS = {"adam": 0.36, "muon": 1.15}
"""The peak of the learning rate, times the width, where vectors are normalised."""
WARMUPS = {"adam": 2_000, "muon": 100}
"""The most steps to the peak: Adam must first see how large gradients are, Muon's steps are of one size."""
DECAYS = {"adam": 0.0, "muon": 0.3}
"""A step of one size changes little of matrices that have grown: so Muon's are kept small."""
DROPPING = 0.75
"""The share of the steps over which dropout grows."""


def complete_batches(recipe: Recipe, *, pairs: int, longest: int | None) -> Recipe:
    """The recipe with batches for this many pairs of sentences of at most so many bytes, if that is known."""
    if recipe.training.tokens_per_batch is not None:
        return recipe
    # There is a token for a byte at the most, one for the space before it, and one for the end.
    few = pairs < SMALL and longest is not None and longest + 2 <= TOKENS_OF_FEW
    tokens = TOKENS_OF_FEW if few else TOKENS
    return replace(recipe, training=replace(recipe.training, tokens_per_batch=tokens))


def complete(recipe: Recipe, *, pairs: int, batches: int) -> Recipe:
    """The recipe with everything chosen for this many pairs in this many batches an epoch."""
    model = complete_model(recipe.model, pairs)
    return replace(recipe, model=model, training=complete_training(recipe.training, model, batches))


def complete_model(model: ModelSettings, pairs: int) -> ModelSettings:
    """A size that this many pairs can fill: small data overfits large models."""
    small, middling = pairs < SMALL, pairs < MIDDLING
    if model.kind == "recurrent":
        width, layers, dropout = (256, 1, 0.2) if small else (512, 2, 0.2)
    elif model.kind == "convolutional":
        width, layers, dropout = (256, 4, 0.2) if small else (512, 6, 0.1)
    else:
        width, layers, dropout = (256, 3, 0.2) if small else (256, 3, 0.1) if middling else (512, 6, 0.1)
    width = model.width or width
    return replace(
        model,
        width=width,
        layers=model.layers or (layers if pairs >= 10_000 else min(layers, 2)),
        dropout=dropout if model.dropout is None else model.dropout,
        heads=model.heads or next(heads for heads in (4, 2, 1) if width % heads == 0),
        hidden_width=model.hidden_width or (2 if small else 4) * width,
        normalised=True if model.kind != "transformer" and model.normalised is None else model.normalised,
    )


def complete_training(training: TrainingSettings, model: ModelSettings, batches: int) -> TrainingSettings:
    """So many epochs, within bounds; wider models learn more slowly."""
    assert model.width is not None
    normalised = model.kind == "transformer" or model.normalised
    optimizer = training.optimizer or ("muon" if normalised and training.sharding == "none" else "adam")
    most = MOST_TOKENS // (training.tokens_per_batch or TOKENS)
    passes = EPOCHS[optimizer] * batches // training.accumulate
    steps = training.steps or min(max(passes, FEWEST_STEPS), most)
    peak = PEAKS[optimizer] / model.width if normalised else 1e-3
    return replace(
        training,
        steps=steps,
        schedule=training.schedule or "cosine",
        optimizer=optimizer,
        peak_learning_rate=training.peak_learning_rate or peak,
        warmup_steps=training.warmup_steps or max(min(WARMUPS[optimizer], steps // 8), 1),
        weight_decay=DECAYS[optimizer] if training.weight_decay is None else training.weight_decay,
        dropout_steps=_dropout_steps(training, steps),
        moving_average=_moving_average(training, steps),
        validate_every=training.validate_every or max(steps // 20, 1),
    )


def _dropout_steps(training: TrainingSettings, steps: int) -> int:
    return round(DROPPING * steps) if training.dropout_steps is None else training.dropout_steps


def _moving_average(training: TrainingSettings, steps: int) -> float:
    if training.average_last:
        return 0.0
    return max(0.0, 1 - 25 / steps) if training.moving_average is None else training.moving_average
