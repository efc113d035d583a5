"""What no model can be made of, or can read, is refused in one sentence and before anything is allocated."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from regard.errors import MechanismError, ShapeError
from regard.models import (
    ConvolutionalEncoder,
    ConvolutionalTranslator,
    RecurrentEncoder,
    RecurrentTranslator,
    SelfAttentionEncoder,
    Transformer,
    TranslationModel,
)
from tests.models.translators import CONVOLUTIONAL, RECURRENT, TRANSFORMERS, VOCABULARY, Kind

HUGE = 10**12  # so many vectors that allocating them would fail, and say so differently


def transformer(**settings: Any) -> nn.Module:
    return Transformer(
        **{"vocabulary": HUGE, "width": 12, "heads": 2, "layers": 2, "hidden_width": 17, **settings}
    )


def recurrent(**settings: Any) -> nn.Module:
    return RecurrentTranslator(**{"vocabulary": HUGE, "width": 12, **settings})


def convolutional(**settings: Any) -> nn.Module:
    return ConvolutionalTranslator(**{"vocabulary": HUGE, "width": 12, **settings})


def self_attention_encoder(**settings: Any) -> nn.Module:
    return SelfAttentionEncoder(**{"vocabulary": HUGE, "width": 12, "heads": 2, **settings})


def recurrent_encoder(**settings: Any) -> nn.Module:
    return RecurrentEncoder(**{"vocabulary": HUGE, "width": 12, **settings})


def convolutional_encoder(**settings: Any) -> nn.Module:
    return ConvolutionalEncoder(**{"vocabulary": HUGE, "width": 12, **settings})


BAD_SETTINGS: list[tuple[Callable[..., nn.Module], dict[str, Any], str]] = [
    (
        transformer,
        {"vocabulary": 0},
        "Transformer's vocabulary must be a whole number of at least 1, but got 0.",
    ),
    (
        transformer,
        {"target_vocabulary": -3},
        "Transformer's target_vocabulary must be a whole number of at least 1, but got -3.",
    ),
    (transformer, {"width": 0}, "Transformer's width must be a whole number of at least 1, but got 0."),
    (
        transformer,
        {"width": "wide"},
        "Transformer's width must be a whole number of at least 1, but got 'wide'.",
    ),
    (transformer, {"layers": 0}, "Transformer's layers must be a whole number of at least 1, but got 0."),
    (
        transformer,
        {"decoder_layers": 1.5},
        "Transformer's decoder_layers must be a whole number of at least 1, but got 1.5.",
    ),
    (
        transformer,
        {"hidden_width": -1},
        "Transformer's hidden_width must be a whole number of at least 1, but got -1.",
    ),
    (transformer, {"heads": 0}, "Transformer's heads must be a whole number of at least 1, but got 0."),
    (
        transformer,
        {"width": 100, "heads": 8},
        "width must be a multiple of heads, but 100 is not a multiple of 8. Nearest widths: 96 and 104.",
    ),
    (
        transformer,
        {"heads": 6, "key_heads": 4},
        "key_heads must divide heads, but 6 heads cannot share 4. Take one of 1, 2, 3, 6.",
    ),
    (
        transformer,
        {"positions": "other"},
        "positions must be one of sinusoidal, learned, relative, rotary, alibi, t5, none, but got 'other'.",
    ),
    (
        transformer,
        {"positions": "rotary", "width": 6},
        "Rotary turns pairs of features, but head_width=3 is odd. Take an even width such as 4.",
    ),
    (transformer, {"norm": "both"}, "norm must be one of post, pre, but got 'both'."),
    (
        transformer,
        {"activation": "tanh"},
        "activation must be one of relu, gelu, swish, gated, but got 'tanh'.",
    ),
    (transformer, {"reach": 0}, "Transformer's reach must be a whole number of at least 1, but got 0."),
    (transformer, {"longest": 0}, "Transformer's longest must be a whole number of at least 1, but got 0."),
    (transformer, {"dropout": 1.0}, "Transformer's dropout must be at least 0 and less than 1, but got 1.0."),
    (
        transformer,
        {"attention_dropout": -0.1},
        "Transformer's attention_dropout must be at least 0 and less than 1, but got -0.1.",
    ),
    (
        transformer,
        {"hidden_dropout": "much"},
        "Transformer's hidden_dropout must be at least 0 and less than 1, but got 'much'.",
    ),
    (
        transformer,
        {"vocabulary": 13, "target_vocabulary": 17, "share_embeddings": True},
        "share_embeddings needs one vocabulary, but there are 13 source and 17 target tokens. Leave it out.",
    ),
    (
        recurrent,
        {"layers": 0},
        "RecurrentTranslator's layers must be a whole number of at least 1, but got 0.",
    ),
    (recurrent, {"score": "cosine"}, "score must be one of additive, dot, bilinear, but got 'cosine'."),
    (
        recurrent,
        {"width": 13},
        "Two directions share the width between them, but 13 is odd. Take an even width such as 14.",
    ),
    (
        recurrent,
        {"dropout": 2},
        "RecurrentTranslator's dropout must be at least 0 and less than 1, but got 2.",
    ),
    (
        convolutional,
        {"kernel": 4},
        "A kernel centred on its position has an odd width, but got 4. Nearest: 3 and 5.",
    ),
    (
        convolutional,
        {"positions": "relative"},
        "positions must be one of sinusoidal, learned, none, but got 'relative'.",
    ),
    (
        convolutional,
        {"decoder_layers": 0},
        "ConvolutionalTranslator's decoder_layers must be a whole number of at least 1, but got 0.",
    ),
    (
        self_attention_encoder,
        {"heads": 5},
        "width must be a multiple of heads, but 12 is not a multiple of 5. Nearest widths: 10 and 15.",
    ),
    (self_attention_encoder, {"norm": "none"}, "norm must be one of post, pre, but got 'none'."),
    (
        self_attention_encoder,
        {"vocabulary": 0},
        "SelfAttentionEncoder's vocabulary must be a whole number of at least 1, but got 0.",
    ),
    (recurrent_encoder, {"cell": "gated"}, "cell must be one of gru, lstm, plain, but got 'gated'."),
    (
        recurrent_encoder,
        {"width": 1, "both_ways": True},
        "Two directions share the width between them, but 1 is odd. Take an even width such as 2.",
    ),
    (
        convolutional_encoder,
        {"kernel": 0},
        "ConvolutionalEncoder's kernel must be a whole number of at least 1, but got 0.",
    ),
]


@pytest.mark.parametrize(("build", "settings", "sentence"), BAD_SETTINGS)
def test_bad_settings_are_refused_before_anything_is_allocated(
    build: Callable[..., nn.Module], settings: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(MechanismError) as caught:
        build(**settings)
    assert str(caught.value) == sentence


@pytest.fixture(params=[TRANSFORMERS[0], RECURRENT[0], CONVOLUTIONAL[0]], ids=str)
def model(request: pytest.FixtureRequest) -> TranslationModel[Any]:
    kind: Kind = request.param
    return kind.make()


SOURCE, TARGET = torch.tensor([[5, 6, 2], [7, 2, 0]]), torch.tensor([[1, 4], [1, 9]])
BAD_TOKENS: list[tuple[Any, Any, Any, str]] = [
    (
        torch.tensor([[5, VOCABULARY, 2]]),
        TARGET[:1],
        None,
        "source holds token 13, but the vocabulary has the tokens 0 to 12.",
    ),
    (
        SOURCE,
        torch.tensor([[1, -4], [1, 99]]),
        None,
        "target holds token -4, but the vocabulary has the tokens 0 to 12.",
    ),
    (
        SOURCE.float(),
        TARGET,
        None,
        "source must be torch.int64 of shape (batch, count), but got torch.float32 of shape (2, 3).",
    ),
    (
        SOURCE,
        TARGET > 1,
        None,
        "target must be torch.int64 of shape (batch, count), but got torch.bool of shape (2, 2).",
    ),
    (
        SOURCE[0],
        TARGET[:1],
        None,
        "source must be torch.int64 of shape (batch, count), but got torch.int64 of shape (3,).",
    ),
    ([[5, 6, 2]], TARGET, None, "source must be torch.int64 of shape (batch, count), but got list."),
    (SOURCE, TARGET[:1], None, "target holds 1 sample, but the state holds 2."),
    (SOURCE, TARGET, torch.tensor([3, 4]), "lengths holds 4, but there are 3 tokens in a row."),
    (SOURCE, TARGET, torch.tensor([-1, 3]), "lengths holds -1, but there are 3 tokens in a row."),
    (
        SOURCE,
        TARGET,
        torch.tensor([3]),
        "lengths must be a tensor of one count for each of 2 samples, but got torch.int64 of shape (1,).",
    ),
    (SOURCE, TARGET, [3, 2], "lengths must be a tensor of one count for each of 2 samples, but got list."),
]


@pytest.mark.parametrize(("source", "target", "lengths", "sentence"), BAD_TOKENS)
def test_tokens_that_cannot_be_read_are_refused_by_name(
    model: TranslationModel[Any], source: Tensor, target: Tensor, lengths: Tensor | None, sentence: str
) -> None:
    with pytest.raises(ShapeError) as caught:
        model(source, target, lengths)
    assert str(caught.value) == sentence


def test_the_target_is_held_to_its_own_vocabulary() -> None:
    model = Transformer(vocabulary=13, target_vocabulary=17, width=12, heads=2, layers=1, hidden_width=5)
    model(SOURCE, TARGET + 7)
    with pytest.raises(ShapeError) as caught:
        model(SOURCE, TARGET + 8)
    assert str(caught.value) == "target holds token 17, but the vocabulary has the tokens 0 to 16."


def test_learned_positions_refuse_a_sentence_longer_than_they_reach() -> None:
    model = Transformer(
        vocabulary=13, width=12, heads=2, layers=1, hidden_width=5, positions="learned", longest=2
    )
    with pytest.raises(ShapeError) as caught:
        model(SOURCE, TARGET)
    assert str(caught.value) == (
        "Learned positions reach 2 places, but place 2 was asked for. "
        "Make them with longest=3 or more, or use Sinusoidal."
    )


def test_an_encoder_of_vectors_refuses_tokens_and_vectors_of_another_width() -> None:
    with pytest.raises(MechanismError) as unread:
        RecurrentEncoder(6)(SOURCE)
    assert str(unread.value) == (
        "This RecurrentEncoder takes vectors of width 6. Make it with vocabulary=… to give it tokens."
    )
    with pytest.raises(ShapeError) as unfitting:
        SelfAttentionEncoder(6)(torch.zeros(2, 3, 5))
    assert str(unfitting.value) == (
        "This SelfAttentionEncoder takes vectors of shape (batch, source, 6), but got (2, 3, 5)."
    )
