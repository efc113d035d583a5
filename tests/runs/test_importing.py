"""A Marian model as Hugging Face keeps it becomes a run that answers as it does."""

import io
import json
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import sentencepiece
import torch
from transformers import MarianConfig, MarianMTModel, MarianTokenizer

from regard import runs, watch
from regard.errors import RecipeError, RunError
from regard.recipe import DataSettings, Recipe, TokenizerSettings, TrainingSettings
from regard.runs import Translator
from regard.runs.importing import import_marian
from regard.text import END, Tokenizer
from regard.translation import SearchSettings
from tests.runs.test_exporting import SENTENCES

SOURCE_TEXT = ["the cat sleeps .", "a dog sees the bird .", "the bird sleeps and the dog sleeps ."] * 5
TARGET_TEXT = ["le chat dort .", "un chien voit l'oiseau .", "l'oiseau dort et le chien dort ."] * 5
LONGEST = 47


class Original(NamedTuple):
    folder: Path
    model: Any
    tokenizer: Any


def pieces_of(texts: list[str], size: int) -> bytes:
    written = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(texts),
        model_writer=written,
        vocab_size=size,
        hard_vocab_limit=False,
        minloglevel=2,
    )
    return written.getvalue()


def write_vocabulary(folder: Path) -> int:
    listed: dict[str, int] = {"</s>": 0, "<unk>": 1}
    for name, texts in (("source.spm", SOURCE_TEXT), ("target.spm", TARGET_TEXT)):
        model = pieces_of(texts, 41)
        (folder / name).write_bytes(model)
        processor = sentencepiece.SentencePieceProcessor(model_proto=model)
        for number in range(processor.get_piece_size()):
            if not processor.is_control(number):
                listed.setdefault(processor.id_to_piece(number), len(listed))
    listed[">>fra<<"] = len(listed)
    listed["<pad>"] = len(listed)
    (folder / "vocab.json").write_text(json.dumps(listed), encoding="utf-8")
    return len(listed)


def original(folder: Path, **settings: Any) -> Original:
    """A small model without sense, whose sentences do end."""
    folder.mkdir(parents=True)
    vocabulary = write_vocabulary(folder)
    torch.manual_seed(11)
    config = MarianConfig(
        **{
            "vocab_size": vocabulary,
            "d_model": 12,
            "encoder_layers": 3,
            "decoder_layers": 2,
            "encoder_attention_heads": 2,
            "decoder_attention_heads": 2,
            "encoder_ffn_dim": 17,
            "decoder_ffn_dim": 17,
            "activation_function": "swish",
            "scale_embedding": True,
            "max_position_embeddings": 64,
            "pad_token_id": vocabulary - 1,
            "decoder_start_token_id": vocabulary - 1,
            **settings,
        }
    )
    model: Any = MarianMTModel(config)
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.requires_grad:
                parameter.add_(torch.randn_like(parameter), alpha=0.4)
        for name, parameter in model.named_parameters():
            if "encoder_attn" in name and "proj" in name:
                parameter *= 2.0  # so that sources differ in their targets
        model.final_logits_bias.normal_(std=0.5)
        model.final_logits_bias[:, config.eos_token_id] += 1.5
    model.eval().save_pretrained(folder)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it recommends a normaliser that it then does not use
        tokenizer = MarianTokenizer(
            *(str(folder / name) for name in ("source.spm", "target.spm", "vocab.json")),
            source_lang="en",
            target_lang="fr",
        )
    return Original(folder, model, tokenizer)


@pytest.fixture(scope="module")
def theirs(tmp_path_factory: pytest.TempPathFactory) -> Original:
    return original(tmp_path_factory.mktemp("marian") / "opus-mt-en-fr")


@pytest.fixture(scope="module")
def run(theirs: Original) -> Path:
    return import_marian(theirs.folder, theirs.folder.parent / "run").path


def rows_of(theirs: Original, tokenizer: Tokenizer) -> torch.Tensor:
    """The number that each of their tokens has in regard."""
    names = tokenizer.source.names  # type: ignore[attr-defined]
    renamed = {"</s>": "⟨end⟩", "<pad>": "⟨begin⟩"}
    numbers = theirs.tokenizer.get_vocab()
    in_order = sorted(numbers, key=numbers.__getitem__)
    return torch.tensor([names.index(renamed.get(name, name)) for name in in_order])


@torch.no_grad()
@pytest.mark.parametrize(
    "settings",
    [{}, {"scale_embedding": False, "activation_function": "gelu"}, {"activation_function": "relu"}],
)
def test_logits_are_those_of_the_original(settings: dict[str, Any], tmp_path: Path) -> None:
    theirs = original(tmp_path / "theirs", **settings)
    translator = Translator.load(import_marian(theirs.folder, tmp_path / "run").path)
    asked = theirs.tokenizer(SENTENCES, padding=True, return_tensors="pt")
    written = torch.randint(0, theirs.model.config.vocab_size, (len(SENTENCES), 5))
    written[:, 0] = theirs.model.config.decoder_start_token_id
    expected = theirs.model(**asked, decoder_input_ids=written).logits
    rows = rows_of(theirs, translator.tokenizer)
    lengths = asked["attention_mask"].sum(dim=1)
    found = translator.model(rows[asked["input_ids"]], rows[written], lengths)
    torch.testing.assert_close(found[..., rows], expected, atol=1e-4, rtol=1e-4)
    torch.testing.assert_close(found.softmax(-1)[..., rows], expected.softmax(-1), atol=1e-5, rtol=1e-4)


def test_text_is_cut_and_joined_as_by_the_original(theirs: Original, run: Path) -> None:
    tokenizer = Tokenizer.load(run / "tokenizer.json")
    rows = rows_of(theirs, tokenizer)
    for text in (
        *SENTENCES,
        "Zebra ! the cat",
        ">>fra<< the cat sees",
        ">>deu<< the cat",
        "",
        "  the   cat ",
    ):
        expected = theirs.tokenizer(text)["input_ids"]
        assert [*tokenizer.source.encode(text), END] == rows[expected].tolist()
        assert tokenizer.source.decode(tokenizer.source.encode(text)) == theirs.tokenizer.decode(
            expected, skip_special_tokens=True
        )
    for text in ("le chat voit", "l'oiseau dort ."):
        assert [*tokenizer.target.encode(text), END] == rows[
            theirs.tokenizer(text_target=text)["input_ids"]
        ].tolist()


@pytest.mark.parametrize("beam", [1, 3])
def test_translations_are_those_of_generate(beam: int, theirs: Original, run: Path) -> None:
    asked = theirs.tokenizer(SENTENCES, padding=True, return_tensors="pt")
    generated = theirs.model.generate(
        **asked,
        num_beams=beam,
        do_sample=False,
        max_new_tokens=LONGEST + 1,
        bad_words_ids=[[theirs.model.config.pad_token_id]],
        no_repeat_ngram_size=2,
        early_stopping=beam > 1,
    )
    expected = theirs.tokenizer.batch_decode(generated, skip_special_tokens=True)
    assert len({*expected}) > 11
    settings = SearchSettings(beam=beam, no_repeat=2, longest_ratio=0.0, longest_slack=LONGEST)
    for engine in ("regard", "ctranslate2"):
        found = Translator.load(run, engine=engine).translate(SENTENCES, settings=settings)
        assert not any(one.cut for one in found)
        if engine == "regard" or beam == 1:
            assert [one.text for one in found] == expected


@torch.no_grad()
def test_both_attend_alike(theirs: Original, run: Path) -> None:
    ours = Translator.load(run)
    rows = rows_of(theirs, ours.tokenizer)
    source = theirs.tokenizer("the cat sees the bird", return_tensors="pt")["input_ids"]
    written = torch.tensor([[theirs.model.config.decoder_start_token_id, 5, 7, 3]])
    with watch(ours.model) as seen:
        ours.model(rows[source], rows[written])
    with watch(theirs.model) as told:
        theirs.model(input_ids=source, decoder_input_ids=written)
    names = {
        **{f"encoder.{layer}.self": f"model.encoder.layers.{layer}.self_attn" for layer in range(3)},
        **{f"decoder.{layer}.self": f"model.decoder.layers.{layer}.self_attn" for layer in range(2)},
        **{f"decoder.{layer}.cross": f"model.decoder.layers.{layer}.encoder_attn" for layer in range(2)},
    }
    assert set(seen) == set(names)
    assert set(told) == set(names.values())
    for mine, other in names.items():
        torch.testing.assert_close(seen[mine].weights, told[other].weights, atol=1e-5, rtol=1e-4)
        torch.testing.assert_close(seen[mine].output, told[other].output, atol=1e-4, rtol=1e-4)


def test_an_imported_run_can_be_looked_into_and_tells_of_itself(run: Path) -> None:
    maps = Translator.load(run).look("the cat sees the bird", "le chat voit l'oiseau")
    assert {"encoder.2.self", "decoder.1.self", "decoder.1.cross"} <= set(maps)
    card = (run / "README.md").read_text(encoding="utf-8")
    assert card.startswith("# opus-mt-en-fr: a Marian model, imported by regard\n")
    assert "[tokenizer]" not in (run / "recipe.toml").read_text(encoding="utf-8")


def test_a_sentence_that_ends_in_something_unknown_can_be_looked_at(run: Path) -> None:
    translator = Translator.load(run)
    for text in ("the cat 7", "7"):
        seen = translator.look(text, text)["decoder.0.cross"]
        assert seen.key_labels[-1] == "<end>"
        assert seen.weights.shape[-1] == len(seen.key_labels)


def test_tokens_of_an_imported_model_are_not_learned_anew(tmp_path: Path) -> None:
    (tmp_path / "pairs.tsv").write_text("the cat\tle chat\nthe dog\tle chien\n" * 5)
    recipe = Recipe(
        data=DataSettings(train=(str(tmp_path / "pairs.tsv"),)),
        tokenizer=TokenizerSettings(kind="sentencepiece"),
    )
    with pytest.raises(RecipeError) as caught:
        runs.prepare(recipe)
    assert str(caught.value) == (
        "tokenizer.kind is 'sentencepiece', which an imported model brings along and which is not learned "
        "here. Choose one of byte-level, byte-fallback, words, characters, or begin with the imported run by "
        "--from."
    )


def test_an_imported_run_can_be_learned_on_and_gone_on_with(run: Path, tmp_path: Path) -> None:
    (tmp_path / "more.tsv").write_text("".join(f"the cat {n}\tle chat {n}\n" for n in range(20)))
    recipe = Recipe(
        data=DataSettings(train=(str(tmp_path / "more.tsv"),)),
        training=TrainingSettings(steps=4, tokens_per_batch=200, validate_every=2, validation_pairs=1),
    )
    prepared = runs.prepare(recipe, start_from=run)
    kept = runs.RunFolder(run).checkpoint().parameters()
    assert {name for name, _ in prepared.model.named_parameters()} == set(kept)
    assert all(parameter.equal(kept[name]) for name, parameter in prepared.model.named_parameters())
    for step in runs.train(prepared, into=tmp_path / "tuned"):
        if step.step == 3:
            break
    told = runs.RunFolder(tmp_path / "tuned").recipe().tokenizer
    assert (told.kind, told.joint) == ("sentencepiece", False)
    assert [step.step for step in runs.train("", into=tmp_path / "tuned", resume=True)] == [3, 4]
    translator = Translator.load(tmp_path / "tuned", checkpoint="last")
    assert not translator.model.output_bias.equal(kept["output_bias"])  # type: ignore[union-attr,operator]
    (tmp_path / "tuned" / "marian.json").write_text("{}")
    with pytest.raises(RunError, match="has 2 bytes, but its manifest says"):
        Translator.load(tmp_path / "tuned")


def test_a_changed_settings_file_is_noticed(theirs: Original, tmp_path: Path) -> None:
    run = import_marian(theirs.folder, tmp_path / "run").path
    (run / "marian.json").write_text("{}", encoding="utf-8")
    with pytest.raises(RunError) as caught:
        Translator.load(run)
    assert str(caught.value).startswith(f"{run / 'marian.json'} has 2 bytes, but its manifest says ")


def test_pickles_are_refused_with_the_command_that_converts_them(tmp_path: Path) -> None:
    (tmp_path / "pytorch_model.bin").write_bytes(b"\x80\x04.")
    with pytest.raises(RunError) as caught:
        import_marian(tmp_path, tmp_path / "run")
    assert str(caught.value) == (
        f"{tmp_path} keeps its parameters in a pickle, pytorch_model.bin, which can run any program when it "
        'is loaded. If you trust it, convert it once with: python -c "from transformers import '
        f"MarianMTModel; MarianMTModel.from_pretrained('{tmp_path}').save_pretrained('{tmp_path}')\""
    )


def test_a_folder_without_its_parts_is_refused(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}", encoding="utf-8")
    with pytest.raises(RunError) as caught:
        import_marian(tmp_path, tmp_path / "run")
    assert str(caught.value) == (
        f"{tmp_path} is no folder of a Marian model: model.safetensors is missing. It needs config.json, "
        "model.safetensors, source.spm, target.spm, vocab.json."
    )


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"model_type": "t5"}, "is of a 't5' model; Marian models can be imported."),
        ({"d_model": "12"}, ": d_model must be of type int, but got '12'."),
        (
            {"normalize_before": True},
            ": normalize_before is True, which regard cannot import. Nearly all of OPUS-MT say False.",
        ),
        (
            {"decoder_ffn_dim": 19},
            ": encoder_ffn_dim is 17, but decoder_ffn_dim is 19; regard can import models where the two are "
            "equal.",
        ),
        (
            {"activation_function": "mish"},
            ": activation_function is 'mish', but regard has swish, silu, relu, gelu.",
        ),
    ],
)
def test_other_models_are_refused(
    changed: dict[str, Any], sentence: str, theirs: Original, tmp_path: Path
) -> None:
    copied = tmp_path / "theirs"
    copied.mkdir()
    for one in theirs.folder.iterdir():
        (copied / one.name).write_bytes(one.read_bytes())
    path = copied / "config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changed}), encoding="utf-8")
    with pytest.raises(RunError) as caught:
        import_marian(copied, tmp_path / "run")
    assert str(caught.value).removeprefix(str(path)).lstrip() == sentence
    assert not (tmp_path / "run").exists()
