import pytest
import torch
from torch import Tensor

from regard.errors import RegardError
from regard.viewing import AttentionMap, AttentionMaps, rollout

SOURCE, TARGET = ["the", "cat", "<end>"], ["le", "chat", "dort", "<end>"]


def weights(*shape: int, seed: int, causal: bool = False) -> Tensor:
    scores = torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    if causal:
        scores = scores.masked_fill(~torch.ones(shape[-2:], dtype=torch.bool).tril(), -torch.inf)
    return scores.softmax(dim=-1)


def a_translator() -> dict[str, AttentionMap]:
    maps: dict[str, AttentionMap] = {}
    for layer in range(2):
        encoder = AttentionMap(
            weights(2, 3, 3, seed=layer), query_labels=SOURCE, name=f"encoder.{layer}.self"
        )
        decoder = AttentionMap(
            weights(2, 4, 4, seed=layer + 5, causal=True),
            query_labels=TARGET,
            key_labels=["<begin>", *TARGET[:-1]],
            name=f"decoder.{layer}.self",
            kind="decoder self",
        )
        cross = AttentionMap(
            weights(2, 4, 3, seed=layer + 9),
            query_labels=TARGET,
            key_labels=SOURCE,
            name=f"decoder.{layer}.cross",
        )
        maps |= {seen.name: seen for seen in (encoder, decoder, cross)}
    return maps


def test_an_encoder_is_rolled_out_as_a_product_of_its_layers() -> None:
    maps = {name: seen for name, seen in a_translator().items() if name.startswith("encoder")}
    layers = [0.5 * torch.eye(3) + 0.5 * seen.per_head.mean(dim=0) for seen in maps.values()]
    torch.testing.assert_close(rollout(maps)["encoder.rollout"].weights, layers[1] @ layers[0])


def test_a_decoder_hears_source_and_target_and_nothing_else() -> None:
    rolled = rollout(a_translator())
    own, source = rolled["decoder.rollout.self"], rolled["decoder.rollout.cross"]
    sums = own.weights.sum(dim=-1) + source.weights.sum(dim=-1)
    torch.testing.assert_close(sums, torch.ones_like(sums))
    assert own.key_labels == ("<begin>", "le", "chat", "dort")
    assert source.query_labels == tuple(TARGET)
    assert source.key_labels == tuple(SOURCE)
    assert own.keep is not None, "what lies ahead stays masked"


def test_a_decoder_is_rolled_out_by_hand_for_one_layer() -> None:
    maps = {name: seen for name, seen in a_translator().items() if ".0." in name}
    encoder, own, cross = (seen.per_head.mean(dim=0) for seen in maps.values())
    source = 0.5 * torch.eye(3) + 0.5 * encoder
    rolled = rollout(maps)
    torch.testing.assert_close(rolled["decoder.rollout.cross"].weights, 0.5 * cross @ source)
    torch.testing.assert_close(rolled["decoder.rollout.self"].weights, 0.5 * (0.5 * torch.eye(4) + 0.5 * own))


def test_without_residual_the_layers_alone_are_multiplied() -> None:
    maps = {name: seen for name, seen in a_translator().items() if name.startswith("encoder")}
    first, second = (seen.per_head.mean(dim=0) for seen in maps.values())
    rolled = rollout(maps, residual=0.0)["encoder.rollout"]
    torch.testing.assert_close(rolled.weights, second @ first)
    assert rolled.notes == ("mean of heads, residual share 0",)


def test_the_residual_share_is_said() -> None:
    rolled = rollout(a_translator())
    share = "mean of heads, residual share 0.5"
    assert rolled["encoder.rollout"].notes == (share,)
    assert rolled["decoder.rollout.self"].notes == (share, "the rest of each row came from the source")
    assert rolled["decoder.rollout.cross"].notes == (share, "the rest of each row came from the target read")


def test_words_may_be_merged_after_and_not_before() -> None:
    maps = AttentionMaps(a_translator().values())
    with pytest.raises(RegardError) as caught:
        rollout({name: seen.to_words([[0, 1], [2]], [[0, 1], [2]]) for name, seen in list(maps.items())[:1]})
    assert (
        str(caught.value)
        == "a rollout needs every token of 'encoder.0.self': roll out first, then merge or hide."
    )
    with pytest.raises(RegardError) as caught:
        rollout(maps.without("<end>"))
    assert (
        str(caught.value)
        == "a rollout needs every token of 'encoder.0.self': roll out first, then merge or hide."
    )


def test_layers_that_do_not_belong_together_are_refused() -> None:
    maps = a_translator()
    with pytest.raises(RegardError) as caught:
        rollout({"decoder.0.cross": maps["decoder.0.cross"]})
    assert (
        str(caught.value) == "a rollout needs the self-attention of every layer, but no map is of that kind."
    )
    with pytest.raises(RegardError) as caught:
        rollout({name: seen for name, seen in maps.items() if name != "decoder.1.self"})
    assert str(caught.value) == (
        "a rollout needs a self-attention of the decoder for each cross-attention, but got 1 for 2."
    )
    other = AttentionMap(torch.eye(5), query_labels=list("abcde"), name="encoder.1.self")
    with pytest.raises(RegardError) as caught:
        rollout({"encoder.0.self": maps["encoder.0.self"], "encoder.1.self": other})
    assert (
        str(caught.value) == "a rollout needs layers over the same 3 tokens, but 'encoder.1.self' is (5, 5)."
    )
    with pytest.raises(RegardError) as caught:
        rollout(maps, residual=1.0)
    assert str(caught.value) == "residual must be at least 0 and below 1, but got 1.0."


def test_a_key_with_a_short_value_counts_for_less_if_asked() -> None:
    even = AttentionMap(
        [[0.5, 0.5], [0.5, 0.5]],
        query_labels=["a", "b"],
        name="encoder.0.self",
        value_norms=[[3.0, 1.0]],
    )
    rolled = rollout({"encoder.0.self": even}, residual=0.0, value_norms=True)["encoder.rollout"]
    assert rolled.weights.tolist() == [[0.75, 0.25], [0.75, 0.25]]
    assert rolled.notes == ("mean of heads, residual share 0", "weighed by value norm")
