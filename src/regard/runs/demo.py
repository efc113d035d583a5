"""The recipes of ``regard demo``: small models that learn an embedded corpus in minutes."""

from dataclasses import replace

from regard.recipe import DataSettings, ModelSettings, Recipe, TokenizerSettings, TrainingSettings

SENTENCES = {"en-fr": "i'm home .", "en-zh": "look at the kitten , it is so cute !"}
"""What each demo translates and looks into."""


def demo_recipe(pair: str, kind: str) -> Recipe:
    """The recipe of a demo: which pair of languages, which kind of model."""
    languages = pair.split("-")
    model = {
        "transformer": ModelSettings(
            kind=kind, width=128, layers=2, heads=4, hidden_width=256, dropout=0.1, positions="sinusoidal"
        ),
        "recurrent": ModelSettings(kind=kind, width=128, layers=1, dropout=0.1, normalised=False),
        "convolutional": ModelSettings(kind=kind, width=128, layers=3, dropout=0.1, normalised=False),
    }[kind]
    training = TrainingSettings(
        steps=1_300,
        tokens_per_batch=1_280,
        peak_learning_rate=3e-3,
        warmup_steps=150,
        schedule="cosine",
        weight_decay=0.0,  # what its minutes and its BLEU were measured with
        dropout_steps=0,
        validate_every=250,
        validation_pairs=200,
    )
    if kind != "transformer":
        training = replace(training, peak_learning_rate=2e-3)
    if kind == "recurrent":  # it learns later where to look
        training = replace(training, steps=1_900)
    return Recipe(
        data=DataSettings(
            train=(f"embedded:{pair}",), source_language=languages[0], target_language=languages[1]
        ),
        tokenizer=TokenizerSettings(kind="byte-level", size=4_000),
        model=model,
        training=training,
    )
