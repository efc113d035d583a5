"""Trainers of others, timed and judged by a watch: JoeyNMT's own, and Hugging Face's with Marian.

Both learn from the very pairs that regard's recipe reads. JoeyNMT cuts them by subword-nmt, as it
recommends; Marian is given regard's tokens. `make bench-peers` installs what they need.
"""

import io
import logging
import random
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import torch
from torch import Tensor

from benchmarks.minutes import Watch
from benchmarks.peers import SMALL, Size, marian
from benchmarks.results import Line
from regard.recipe import Recipe
from regard.runs.lessons import read_data
from regard.text import BEGIN, END, PADDING, Corpus, Tokenizer

RECOMMENDED = Size(layers=6, width=256, hidden_width=1024, heads=4, dropout=0.3)
"""The Transformer of JoeyNMT's ``configs/iwslt14_deen_bpe.yaml``."""
LONGEST = 64
"""Tokens of a translation that is judged; the longest reference has 33 words. A model that has learned little
does not end, and JoeyNMT, which keeps nothing between steps, then takes long."""
SPECIAL = ("<unk>", "<pad>", "<s>", "</s>")
"""In JoeyNMT's order."""
SENTENCES = 256
"""In a batch of Marian: with these pairs some 4,096 target tokens, as many as in the recipe."""


class Enough(Exception):
    """The watch is over."""


def by_joeynmt(watch: Watch, recipe: Recipe, validation: Corpus, into: Path) -> Line:
    """``python -m joeynmt train`` with the settings it recommends for data of the least size it has."""
    return _by_joeynmt(watch, recipe, validation, into, RECOMMENDED)


def by_small_joeynmt(watch: Watch, recipe: Recipe, validation: Corpus, into: Path) -> Line:
    """The same with a model of the recipe's size."""
    return _by_joeynmt(watch, recipe, validation, into, _size(recipe))


def joey_settings(size: Size, folder: Path, *, seed: int = 42) -> dict[str, Any]:
    """What JoeyNMT's ``configs/iwslt14_deen_bpe.yaml`` (2.3.0) says, but for data, size and device."""

    def side(language: str) -> dict[str, Any]:
        cut = {"codes": str(folder / "codes"), "pretokenizer": "none"}
        return {
            "lang": language,
            "max_length": 62,
            "lowercase": True,
            "normalize": False,
            "level": "bpe",
            "voc_min_freq": 1,
            "voc_file": str(folder / "vocabulary"),
            "tokenizer_type": "subword-nmt",
            "tokenizer_cfg": cut,
        }

    half = {
        "type": "transformer",
        "num_layers": size.layers,
        "num_heads": size.heads,
        "embeddings": {"embedding_dim": size.width, "scale": True, "dropout": 0.0},
        "hidden_size": size.width,
        "ff_size": size.hidden_width,
        "dropout": size.dropout,
        "layer_norm": "pre",
        "activation": "relu",
    }
    special = dict(zip(("unk", "pad", "bos", "eos"), SPECIAL, strict=True))
    return {
        "name": "multi30k",
        "joeynmt_version": "2.3.0",
        "model_dir": str(folder / "model"),
        "use_cuda": False,
        "fp16": False,
        "random_seed": seed,
        "data": {
            "train": str(folder / "train"),
            "dev": str(folder / "dev"),
            "dataset_type": "plain",
            "src": side("en"),
            "trg": side("de"),
            "special_symbols": {f"{name}_token": token for name, token in special.items()}
            | {f"{name}_id": number for number, name in enumerate(special)},
        },
        "testing": {
            "n_best": 1,
            "beam_size": 5,
            "beam_alpha": 1.0,
            "batch_size": 1024,
            "batch_type": "token",
            "max_output_length": 100,
            "eval_metrics": ["bleu"],
            "return_prob": "none",
            "return_attention": False,
            "sacrebleu_cfg": {"tokenize": "none", "lowercase": True},
        },
        "training": {
            "optimizer": "adamw",
            "normalization": "tokens",
            "adam_betas": [0.9, 0.999],
            "scheduling": "plateau",
            "patience": 5,
            "decrease_factor": 0.7,
            "loss": "crossentropy",
            "learning_rate": 0.0003,
            "learning_rate_min": 1e-8,
            "weight_decay": 0.0,
            "label_smoothing": 0.1,
            "batch_size": 4096,
            "batch_type": "token",
            "early_stopping_metric": "bleu",
            "epochs": 100,
            "validation_freq": 1000,
            "logging_freq": 100,
            "overwrite": False,
            "shuffle": True,
            "print_valid_sents": [],
            "keep_best_ckpts": 5,
        },
        "model": {
            "initializer": "xavier_uniform",
            "embed_initializer": "xavier_uniform",
            "embed_init_gain": 1.0,
            "init_gain": 1.0,
            "bias_initializer": "zeros",
            "tied_embeddings": True,
            "tied_softmax": True,
            "encoder": half,
            "decoder": half,
        },
    }


def _by_joeynmt(watch: Watch, recipe: Recipe, validation: Corpus, into: Path, size: Size) -> Line:
    import joeynmt.builders
    import joeynmt.training
    import yaml
    from joeynmt.config import load_config
    from joeynmt.helpers import make_model_dir
    from joeynmt.prediction import predict
    from torch.optim.lr_scheduler import ReduceLROnPlateau

    for name in logging.root.manager.loggerDict:
        if name.startswith("joeynmt"):
            logging.getLogger(name).setLevel(logging.WARNING)
    corpus = read_data(recipe.data).train
    folder = into.absolute()
    folder.mkdir(parents=True)
    _write(folder / "train", corpus)
    _write(folder / "dev", validation)
    vocabulary = learn_subwords(corpus, folder, recipe.tokenizer.size or 0)
    settings = joey_settings(size, folder)
    (folder / "config.yaml").write_text(yaml.safe_dump(settings, sort_keys=False), encoding="utf-8")
    made: list[Any] = []

    class Timed(joeynmt.training.TrainManager):  # type: ignore[misc]
        """JoeyNMT's trainer, watched at the begin of each step: the one before it is done by then."""

        def __init__(self, *given: Any, **named: Any) -> None:
            super().__init__(*given, **named)
            made.append(self.model)
            self.seen, self.last = 0, 0

        def train_and_validate(self, train_data: Any, valid_data: Any) -> None:
            self.judged_by = valid_data
            watch.begin()
            super().train_and_validate(train_data, valid_data)

        def _train_step(self, batch: Any) -> Any:
            if self.last:
                watch.stepped(passes=self.seen / len(corpus.pairs), tokens=self.last)
                if watch.is_due:
                    with watch.pausing():
                        watch.judged(self._translations())
                if watch.is_over:
                    raise Enough
            self.seen += int(batch.nseqs)
            self.last = int(batch.ntokens)
            return super()._train_step(batch)

        def _validate(self, valid_data: Any) -> None:
            with watch.pausing():
                super()._validate(valid_data)

        def _translations(self) -> list[str]:
            greedy = self.dev_cfg._replace(max_output_length=LONGEST)
            named = {"device": self.device, "n_gpu": 0, "args": greedy, "autocast": self.autocast}
            return predict(self.model, self.judged_by, **named)[2]

    def plateau(optimizer: Any, *, verbose: bool = False, **named: Any) -> Any:
        """Torch's, which JoeyNMT 2.3.0 still asks to be verbose; later ones cannot be."""
        return ReduceLROnPlateau(optimizer, **named)

    # As `python -m joeynmt train` does, with the trainer watched.
    make_model_dir(folder / "model")
    watched = patch.object(joeynmt.training, "TrainManager", Timed)
    with watched, patch.object(joeynmt.builders, "ReduceLROnPlateau", plateau), suppress(Enough):
        joeynmt.training.train(0, None, load_config(folder / "config.yaml"), skip_test=True)
    unplaced = {name: part for name, part in settings.items() if name in ("training", "model")}
    return {
        "parameters": sum(one.numel() for one in made[0].parameters()),
        "vocabulary": vocabulary,
        "pairs": len(corpus.pairs),
        "settings": unplaced | {"longest": 62, "tokenizer": "subword-nmt", "seed": settings["random_seed"]},
    }


def _write(name: Path, corpus: Corpus) -> None:
    """JoeyNMT ends a line wherever Python's ``splitlines`` does."""
    for place, language in enumerate(("en", "de")):
        lines = [" ".join(pair[place].splitlines()) for pair in corpus.pairs]
        name.with_suffix(f".{language}").write_text("".join(f"{one}\n" for one in lines), encoding="utf-8")


def learn_subwords(corpus: Corpus, folder: Path, size: int) -> int:
    """Joint merges by subword-nmt and a vocabulary of ``size`` tokens for JoeyNMT; how many there are."""
    from subword_nmt.apply_bpe import BPE
    from subword_nmt.learn_bpe import learn_bpe

    lines = [text for pair in corpus.pairs for text in pair]
    codes = io.StringIO()
    learn_bpe(io.StringIO("\n".join(lines)), codes, size - len(SPECIAL), total_symbols=True)
    (folder / "codes").write_text(codes.getvalue(), encoding="utf-8")
    cut = BPE(io.StringIO(codes.getvalue()))
    counts = Counter(piece for line in lines for piece in cut.process_line(line).split())
    kept = [piece for piece, _ in counts.most_common(size - len(SPECIAL))]
    (folder / "vocabulary").write_text("".join(f"{one}\n" for one in (*SPECIAL, *kept)), encoding="utf-8")
    return len(kept) + len(SPECIAL)


def by_huggingface(watch: Watch, recipe: Recipe, validation: Corpus, into: Path) -> Line:
    """Seq2SeqTrainer and a MarianMTModel of the recipe's size."""
    from transformers import Seq2SeqTrainer, Seq2SeqTrainingArguments, TrainerCallback, set_seed

    corpus = read_data(recipe.data).train
    settings = recipe.tokenizer
    tokenizer = Tokenizer.train(
        corpus.pairs, kind=settings.kind, size=settings.size, least_count=settings.least_count
    )
    seed = recipe.training.seed
    set_seed(seed)
    model = marian(replace(_size(recipe), vocabulary=len(tokenizer.target)))
    pairs = [
        {"input_ids": [*source, END], "labels": [*target, END]}
        for source, target in zip(
            tokenizer.source.encode_batch(pair.source for pair in corpus.pairs),
            tokenizer.target.encode_batch(pair.target for pair in corpus.pairs),
            strict=True,
        )
    ]
    random.Random(seed).shuffle(pairs)
    sources = [[*one, END] for one in tokenizer.source.encode_batch(pair.source for pair in validation.pairs)]
    chosen: dict[str, Any] = {
        "per_device_train_batch_size": SENTENCES,
        "train_sampling_strategy": "group_by_length",
        "learning_rate": 1e-3,
        "lr_scheduler_type": "inverse_sqrt",
        "warmup_steps": 1000,
        "adam_beta2": 0.98,
        "label_smoothing_factor": recipe.training.label_smoothing,
        "num_train_epochs": 1000,
        "seed": seed,
    }
    quiet = {"report_to": "none", "save_strategy": "no", "disable_tqdm": True, "logging_strategy": "no"}

    class Timed(Seq2SeqTrainer):  # type: ignore[misc]
        """Counts what it learns from."""

        seen = tokens = 0

        def training_step(self, model: Any, inputs: dict[str, Tensor], *rest: Any, **named: Any) -> Tensor:
            self.seen += len(inputs["labels"])
            self.tokens = int((inputs["labels"] != -100).sum())
            return super().training_step(model, inputs, *rest, **named)

    class Watching(TrainerCallback):  # type: ignore[misc]
        """Tells the watch of each step."""

        def on_train_begin(self, args: Any, state: Any, control: Any, **named: Any) -> None:
            watch.begin()

        def on_step_end(self, args: Any, state: Any, control: Any, **named: Any) -> None:
            watch.stepped(passes=trainer.seen / len(pairs), tokens=trainer.tokens)
            if watch.is_due:
                with watch.pausing():
                    written = translations(model, sources)
                    watch.judged([tokenizer.target.decode(tokens) for tokens in written])
            control.should_training_stop = watch.is_over

    trainer = Timed(
        model=model,
        args=Seq2SeqTrainingArguments(
            output_dir=str(into), use_cpu=True, remove_unused_columns=False, **chosen, **quiet
        ),
        train_dataset=pairs,
        data_collator=collated,
        callbacks=[Watching()],
    )
    trainer.train()
    return {
        "parameters": model.num_parameters(),
        "vocabulary": len(tokenizer.target),
        "pairs": len(pairs),
        "settings": chosen | {"dropout": model.config.dropout, "model": "MarianMTModel"},
    }


def collated(pairs: Sequence[dict[str, list[int]]]) -> dict[str, Tensor]:
    """A batch as Marian wants it.

    >>> batch = collated([{"input_ids": [5, 2], "labels": [7, 8, 2]}, {"input_ids": [2], "labels": [2]}])
    >>> batch["attention_mask"].tolist(), batch["labels"].tolist()
    ([[1, 1], [1, 0]], [[7, 8, 2], [2, -100, -100]])
    >>> batch["decoder_input_ids"].tolist()
    [[1, 7, 8], [1, 0, 0]]
    """
    source = padded([one["input_ids"] for one in pairs])
    labels = padded([one["labels"] for one in pairs])
    target = padded([[BEGIN, *one["labels"][:-1]] for one in pairs])
    return {
        "input_ids": source,
        "attention_mask": (source != PADDING).long(),
        "decoder_input_ids": target,
        "labels": labels.masked_fill(labels == PADDING, -100),
    }


def padded(rows: Sequence[Sequence[int]]) -> Tensor:
    """Rows of tokens, all as long as the longest."""
    longest = max(map(len, rows))
    return torch.tensor([[*row, *[PADDING] * (longest - len(row))] for row in rows])


@torch.no_grad()
def translations(model: Any, sources: Sequence[Sequence[int]], *, together: int = 64) -> list[list[int]]:
    """What Marian's own ``generate`` writes greedily, up to the end."""
    model.eval()
    order = sorted(range(len(sources)), key=lambda place: len(sources[place]))
    written: list[list[int]] = [[] for _ in sources]
    for start in range(0, len(order), together):
        places = order[start : start + together]
        source = padded([sources[place] for place in places])
        rows = model.generate(
            input_ids=source,
            attention_mask=(source != PADDING).long(),
            num_beams=1,
            do_sample=False,
            max_new_tokens=LONGEST,
        )
        for place, row in zip(places, rows.tolist(), strict=True):
            written[place] = row[1 : row.index(END, 1) if END in row[1:] else None]
    return written


def _size(recipe: Recipe) -> Size:
    """That of the recipe."""
    model = recipe.model
    return replace(
        SMALL,
        layers=model.layers or SMALL.layers,
        width=model.width or SMALL.width,
        hidden_width=model.hidden_width or SMALL.hidden_width,
        heads=model.heads or SMALL.heads,
        dropout=SMALL.dropout if model.dropout is None else model.dropout,
    )
