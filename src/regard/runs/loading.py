"""From a run folder back to a translator."""

from pathlib import Path
from typing import Self

from regard import translation
from regard.runs.building import build_model, choose_device, filled
from regard.runs.folder import RunFolder

UNTOLD = 100
"""Tokens translated in one piece where a run does not tell how long its sentences were."""


class Translator(translation.Translator):
    """A translator that knows how to load itself from a run folder."""

    @classmethod
    def load(
        cls,
        run: str | Path,
        *,
        checkpoint: str = "best",
        device: str | None = "cpu",
        engine: str = "regard",
        quantization: str | None = None,
        processes: int | None = 1,
        shortlist: bool = False,
    ) -> Self:
        """The translator of a run: its best checkpoint, its last, or that of a step.

        ``engine="ctranslate2"`` searches with CTranslate2 on the CPU, which is faster; its files are
        written into the run folder once. ``quantization="int8"`` makes either engine faster, at a
        small cost in quality. ``processes`` is how many search where there are many sentences, None as
        many as torch has threads. With ``shortlist`` a sentence is written in the tokens that are likely
        for it, which is faster; the list is learned once from the pairs the run was trained on.
        """
        from regard.runs.importing import imported_model

        folder = RunFolder(Path(run))
        chosen = folder.checkpoint(checkpoint)
        recipe, tokenizer = folder.recipe(), folder.tokenizer()
        model = filled(
            lambda: imported_model(folder, tokenizer) or build_model(recipe.model, tokenizer),
            chosen.parameters(),
            str(chosen.folder),
        )
        model = model.to(choose_device(device)).eval()
        other = None
        if (engine, quantization) != ("regard", None):
            from regard.runs.engine import engine_for  # only where asked for: a translator starts fast

            kept_in = folder.path / "engines"
            other = engine_for(engine, quantization, model, tokenizer, chosen, kept_in=kept_in)
        likely = None
        if shortlist:
            from regard.runs.shortlisting import shortlist_of

            likely = shortlist_of(folder, tokenizer)
        longest = int(chosen.progress.get("longest_sentence", UNTOLD))
        own = quantization if other is None else None
        return cls(
            model,
            tokenizer,
            longest_sentence=longest,
            engine=other,
            quantization=own,
            processes=processes,
            shortlist=likely,
        )
