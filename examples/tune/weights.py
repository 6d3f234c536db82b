"""Moves a Llama model between GGUF, which servers read, and transformers, which trains.

    python weights.py load FILE.gguf MODEL-DIR              weights and tokenizer for transformers
    python weights.py save MODEL-DIR BASE.gguf FILE.gguf    the weights in 8 bits, all else as in BASE

Both ways the words, merges and chat template of the tokenizer are those of the GGUF file.
"""

import sys
from pathlib import Path

import numpy as np
import torch
from gguf import GGMLQuantizationType, GGUFReader, GGUFValueType, GGUFWriter, dequantize, quantize
from safetensors.numpy import load_file
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

OUTER = {"token_embd": "model.embed_tokens", "output_norm": "model.norm"}
INNER = {
    "attn_norm": "input_layernorm", "attn_q": "self_attn.q_proj", "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj", "attn_output": "self_attn.o_proj", "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj", "ffn_up": "mlp.up_proj", "ffn_down": "mlp.down_proj",
}


def named(name):
    """The name of a tensor in transformers."""
    stem = name.removesuffix(".weight")
    if stem in OUTER:
        return OUTER[stem] + ".weight"
    _, layer, part = stem.split(".")
    return f"model.layers.{layer}.{INNER[part]}.weight"


def reordered(name, rows, config, back):
    """Rows of queries and keys: llama.cpp rotates neighbours, transformers the halves of a head."""
    heads = {"attn_q": config.num_attention_heads, "attn_k": config.num_key_value_heads}.get(name.split(".")[-2])
    if heads is None:
        return rows
    half = rows.shape[0] // heads // 2
    shape = (heads, half, 2) if back else (heads, 2, half)
    return rows.reshape(*shape, *rows.shape[1:]).swapaxes(1, 2).reshape(rows.shape)


def config_of(values):
    width, heads = values("llama.embedding_length"), values("llama.attention.head_count")
    return LlamaConfig(
        vocab_size=len(values("tokenizer.ggml.tokens")), hidden_size=width, num_attention_heads=heads,
        intermediate_size=values("llama.feed_forward_length"), num_hidden_layers=values("llama.block_count"),
        num_key_value_heads=values("llama.attention.head_count_kv"), head_dim=width // heads,
        max_position_embeddings=values("llama.context_length"),
        rms_norm_eps=float(np.float32(values("llama.attention.layer_norm_rms_epsilon"))),
        rope_parameters={"rope_type": "default", "rope_theta": values("llama.rope.freq_base")},
        tie_word_embeddings=True, bos_token_id=values("tokenizer.ggml.bos_token_id"),
        eos_token_id=values("tokenizer.ggml.eos_token_id"), pad_token_id=values("tokenizer.ggml.padding_token_id"),
    )


def tokenizer_of(values):
    words, kinds = values("tokenizer.ggml.tokens"), values("tokenizer.ggml.token_type")
    merges = [tuple(merge.split(" ")) for merge in values("tokenizer.ggml.merges")]
    bpe = Tokenizer(models.BPE(vocab={word: i for i, word in enumerate(words)}, merges=merges))
    bpe.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    bpe.decoder = decoders.ByteLevel()
    bpe.add_special_tokens([AddedToken(word, special=True) for word, kind in zip(words, kinds) if kind == 3])
    made = PreTrainedTokenizerFast(
        tokenizer_object=bpe, eos_token=words[values("tokenizer.ggml.eos_token_id")],
        pad_token=words[values("tokenizer.ggml.padding_token_id")], clean_up_tokenization_spaces=False,
        model_max_length=values("llama.context_length"),
    )
    made.chat_template = values("tokenizer.chat_template")
    return made


def load(source, target):
    reader = GGUFReader(source)
    values = lambda key: reader.fields[key].contents()  # noqa: E731
    config = config_of(values)
    model = LlamaForCausalLM(config)
    state = {}
    for tensor in reader.tensors:
        rows = reordered(tensor.name, dequantize(tensor.data, tensor.tensor_type), config, back=True)
        state[named(tensor.name)] = torch.from_numpy(rows.copy())
    state["lm_head.weight"] = state["model.embed_tokens.weight"]
    model.load_state_dict(state)
    model.save_pretrained(target)
    tokenizer_of(values).save_pretrained(target)


def save(source, base, target):
    reader, trained = GGUFReader(base), load_file(Path(source) / "model.safetensors")
    config = LlamaConfig.from_pretrained(source)
    writer = GGUFWriter(target, "llama")
    for key, field in reader.fields.items():
        if key.startswith("GGUF.") or key in ("general.architecture", "general.file_type", "general.name"):
            continue
        kind = field.types[0]
        writer.add_key_value(key, field.contents(), kind, field.types[-1] if kind == GGUFValueType.ARRAY else None)
    writer.add_name(Path(target).name.split(".")[0])
    writer.add_file_type(7)  # mostly 8 bits
    for tensor in reader.tensors:
        rows = reordered(tensor.name, trained[named(tensor.name)].astype(np.float32), config, back=False)
        if rows.ndim == 1:
            writer.add_tensor(tensor.name, rows)
        else:
            kind = GGMLQuantizationType.Q8_0
            writer.add_tensor(tensor.name, quantize(np.ascontiguousarray(rows), kind), raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


if __name__ == "__main__":
    {"load": load, "save": save}[sys.argv[1]](*sys.argv[2:])
