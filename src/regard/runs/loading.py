"""From a run folder back to a translator."""

from pathlib import Path
from typing import Self

from regard import translation
from regard.runs.building import build_model, choose_device
from regard.runs.folder import RunFolder
from regard.training import load_parameters


class Translator(translation.Translator):
    """A translator that knows how to load itself from a run folder."""

    @classmethod
    def load(cls, run: str | Path, *, checkpoint: str = "best", device: str | None = "cpu") -> Self:
        """The translator of a run: its best checkpoint, its last, or that of a step."""
        folder = RunFolder(Path(run))
        chosen = folder.checkpoint(checkpoint)
        recipe, tokenizer = folder.recipe(), folder.tokenizer()
        model = build_model(recipe.model, tokenizer)
        load_parameters(model, chosen.parameters(), str(chosen.folder))
        return cls(model.to(choose_device(device)).eval(), tokenizer)
