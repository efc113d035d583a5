"""What is to be measured on real text: each translator, the pairs it is asked, and what it is held to.

A translator is a recipe and what was changed in it, so that *the same data, the same command but for
the model* can be read off its command. A test set is scored once for each; choose on validation.
"""

import shlex
from dataclasses import dataclass
from pathlib import Path

from regard.errors import RegardError
from regard.recipe import Recipe

RECIPES = Path(__file__).parents[1] / "recipes"


@dataclass(frozen=True, kw_only=True)
class Asked:
    """Pairs that a translator is asked and has not seen. Files lie beside the recipes."""

    title: str
    files: tuple[str, ...]
    tokenization: str
    """How BLEU cuts words, as sacreBLEU calls it."""
    told: str
    quoted: str = ""
    """Whom to name where its sentences are quoted; they are not where this is empty."""


@dataclass(frozen=True, kw_only=True)
class Planned:
    """A translator to train and to score."""

    name: str
    title: str
    recipe: str
    asked: str
    changes: tuple[str, ...] = ()
    begins_with: str = ""
    """The translator whose parameters it starts from."""
    at_least: float | None = None
    """BLEU below this is not good enough."""
    hoped: float | None = None
    published: tuple[str, float] | None = None
    """The best we know of for the same pairs, scored alike, and whose it is."""

    def command(self, *, seed: int | None = None, into: str | None = None) -> str:
        """How it is trained.

        >>> one_called("hansards-en-fr-relative").command(into="runs/mine")
        'regard train recipes/hansards-en-fr.toml --set model.positions=relative --into runs/mine'
        """
        words = ["regard", "train", f"recipes/{self.recipe}"]
        for change in self.changes:
            words += ["--set", change]
        if self.begins_with:
            words += ["--from", f"runs/{self.begins_with}"]
        if seed is not None:
            words += ["--seed", str(seed)]
        return shlex.join([*words, "--into", into or f"runs/{self.name}"])

    def settings(self, recipes: Path = RECIPES) -> Recipe:
        """Its recipe, changed."""
        return Recipe.load(recipes / self.recipe).changed(self.changes)


@dataclass(frozen=True, kw_only=True)
class Aligned:
    """Two translators, one for each direction, whose heads are compared with links drawn by hand."""

    name: str
    title: str
    forward: str
    backward: str
    chosen_on: str
    pairs: tuple[str, str]
    gold: str


ASKED = {
    "multi30k-en-de": Asked(
        title="Multi30k, English to German",
        files=(
            "multi30k/test_2016_flickr.lc.norm.tok.en.gz",
            "multi30k/test_2016_flickr.lc.norm.tok.de.gz",
        ),
        tokenization="none",
        told="The 1,000 captions of test_2016_flickr, lowercased and tokenised as they come. The table holds "
        "every mechanism: the same data, the same command but for what it sets. Rows of 1,000 steps are to "
        "be compared with one another, not with those that learned longer.",
    ),
    "multi30k-raw-en-de": Asked(
        title="Multi30k, English to German, cased",
        files=("multi30k-raw/test_2016_flickr.en.gz", "multi30k-raw/test_2016_flickr.de.gz"),
        tokenization="13a",
        told="The same captions as they were written, by a translator trained on such.",
    ),
    "multi30k-en-fr": Asked(
        title="Multi30k, English to French",
        files=(
            "multi30k/test_2016_flickr.lc.norm.tok.en.gz",
            "multi30k/test_2016_flickr.lc.norm.tok.fr.gz",
        ),
        tokenization="none",
        told="The same captions in French.",
    ),
    "tatoeba-en-fr": Asked(
        title="Tatoeba, English to French",
        files=("tatoeba/en-fr.test.tsv",),
        tokenization="13a",
        told="Short everyday sentences, cased and not tokenised, parted by English sentence as told below.",
        quoted="tatoeba.org and manythings.org/anki, CC-BY 2.0 (France)",
    ),
    "tatoeba-en-zh": Asked(
        title="Tatoeba, English to Chinese",
        files=("tatoeba/en-zh.test.tsv",),
        tokenization="zh",
        told="As for French; simplified and traditional characters are mixed, as they came.",
        quoted="tatoeba.org and manythings.org/anki, CC-BY 2.0 (France)",
    ),
    "hansards-en-fr": Asked(
        title="Hansards, English to French",
        files=("hansards/test_bleu.en-fr.tsv.xz",),
        tokenization="none",
        told="2,000 pairs of parliament debates, tokenised and with clitics written out, as they come.",
    ),
    "hansards-fr-en": Asked(
        title="Hansards, French to English",
        files=("hansards/test_bleu.en-fr.tsv.xz",),
        tokenization="none",
        told="The same pairs the other way.",
    ),
}


def _on_multi30k(name: str, title: str, *changes: str, at_least: float | None = None) -> Planned:
    return Planned(
        name=f"multi30k-en-de-{name}",
        title=title,
        recipe="multi30k-en-de.toml",
        asked="multi30k-en-de",
        changes=changes,
        at_least=at_least,
    )


SHORT = ("model.dropout=0.1", "training.steps=1000", "training.dropout_steps=750")
"""What mechanisms that are compared with one another have in common: a quarter of an hour on a core."""

PLAN = (
    Planned(
        name="multi30k-en-de",
        title="Transformer (sinusoidal positions, pre-norm, four heads)",
        recipe="multi30k-en-de.toml",
        asked="multi30k-en-de",
        at_least=41.0,
        hoped=42.5,
        published=("Wu et al. 2021, Transformer-Tiny", 41.02),
    ),
    _on_multi30k("sinusoidal", "Transformer, sinusoidal positions", *SHORT),
    _on_multi30k("relative", "Transformer, relative positions (Shaw)", *SHORT, "model.positions=relative"),
    _on_multi30k("rotary", "Transformer, rotary positions", *SHORT, "model.positions=rotary"),
    _on_multi30k("alibi", "Transformer, ALiBi", *SHORT, "model.positions=alibi"),
    _on_multi30k("none", "Transformer, no positions", *SHORT, "model.positions=none"),
    _on_multi30k(
        "post-norm",
        "Transformer, post-norm",
        *SHORT,
        "model.norm=post",
        "training.peak_learning_rate=0.0015",
    ),
    _on_multi30k("one-head", "Transformer, one head", *SHORT, "model.heads=1"),
    _on_multi30k(
        "recurrent",
        "recurrent (Bahdanau)",
        "model.kind=recurrent",
        "model.normalised=true",
        "model.layers=1",
        "training.steps=3600",
        "training.dropout_steps=2700",
        at_least=34.0,
    ),
    _on_multi30k(
        "convolutional",
        "convolutional (ConvS2S)",
        "model.kind=convolutional",
        "model.normalised=true",
        "model.width=192",
        "model.layers=4",
        "training.steps=2400",
        "training.dropout_steps=1800",
        at_least=36.0,
    ),
    Planned(
        name="multi30k-raw-en-de",
        title="Transformer",
        recipe="multi30k-raw-en-de.toml",
        asked="multi30k-raw-en-de",
    ),
    Planned(
        name="multi30k-en-fr",
        title="Transformer",
        recipe="multi30k-en-fr.toml",
        asked="multi30k-en-fr",
        at_least=60.0,
        hoped=63.0,
    ),
    Planned(name="tatoeba-en-fr", title="Transformer", recipe="tatoeba-en-fr.toml", asked="tatoeba-en-fr"),
    Planned(name="tatoeba-en-zh", title="Transformer", recipe="tatoeba-en-zh.toml", asked="tatoeba-en-zh"),
    *(
        Planned(
            name=f"hansards-{languages}{name}",
            title=title,
            recipe=f"hansards-{languages}.toml",
            asked=f"hansards-{languages}",
            changes=changes,
        )
        for languages in ("en-fr", "fr-en")
        for name, title, changes in (
            ("", "Transformer, sinusoidal positions", ()),
            ("-relative", "Transformer, relative positions (Shaw)", ("model.positions=relative",)),
        )
    ),
    Planned(
        name="hansards-en-fr-longer",
        title="Transformer, sinusoidal positions, gone on with",
        recipe="hansards-en-fr.toml",
        asked="hansards-en-fr",
        changes=(
            "training.steps=4000",
            "training.peak_learning_rate=0.003",
            "training.dropout_steps=0",
        ),
        begins_with="hansards-en-fr",
    ),
)
ALIGNED = tuple(
    Aligned(
        name=f"hansards{name}",
        title=title,
        forward=f"hansards-en-fr{forward}",
        backward=f"hansards-fr-en{backward}",
        chosen_on="hansards/dev.en-fr.tsv.xz",
        pairs=("hansards/hansards_trial.en-fr.src", "hansards/hansards_trial.en-fr.tgt"),
        gold="hansards/hansards_trial.en-fr.gold",
    )
    for name, title, forward, backward in (
        ("", "sinusoidal positions", "", ""),
        ("-longer", "sinusoidal positions, into French gone on with", "-longer", ""),
        ("-relative", "relative positions (Shaw)", "-relative", "-relative"),
    )
)


def one_called(name: str) -> Planned:
    """The translator of this name."""
    found = next((one for one in PLAN if one.name == name), None)
    if found is None:
        raise RegardError(f"{name!r} is not planned; there are {', '.join(one.name for one in PLAN)}.")
    return found
