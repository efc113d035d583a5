"""Look into a Hugging Face translator while it writes: no change to the model, none to what it writes.

    python examples/look_into_hugging_face.py [MODEL SENTENCE]

MODEL is a Marian model on the hub or in a folder; without one, parameters drawn at random show the way.
"""

import sys

import torch
from transformers import MarianConfig, MarianMTModel, MarianTokenizer

import regard
from regard.viewing import AttentionMaps

if len(sys.argv) > 2:
    tokenizer, model = (kind.from_pretrained(sys.argv[1]) for kind in (MarianTokenizer, MarianMTModel))
    tokens = tokenizer(sys.argv[2], return_tensors="pt").input_ids
    pieces = tokenizer.convert_ids_to_tokens
else:
    torch.manual_seed(5)
    sizes = {"vocab_size": 40, "d_model": 64, "encoder_layers": 2, "decoder_layers": 2, "init_std": 0.3}
    heads = {"encoder_attention_heads": 4, "decoder_attention_heads": 4}
    config = MarianConfig(**sizes, **heads, pad_token_id=0, eos_token_id=1, decoder_start_token_id=0)
    model, tokens = MarianMTModel(config), torch.tensor([[7, 23, 31, 5, 1]])
    model.generation_config.forced_eos_token_id = 1
    pieces = lambda numbers: [f"word{int(number)}" for number in numbers]

with regard.watch(model.eval()) as seen:
    written = model.generate(tokens, num_beams=1, do_sample=False, max_new_tokens=8)

maps = AttentionMaps.of(seen.stitched(), source=pieces(tokens[0]), target=pieces(written[0, 1:]))
print(*maps, sep="\n")
maps["model.decoder.layers.1.encoder_attn"].save("look_into_hugging_face.svg", "grid")
