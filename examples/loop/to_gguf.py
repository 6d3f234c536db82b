"""Writes a model of train.py as GGUF, for llama.cpp's server and Ollama.

    python to_gguf.py MODEL-DIR FILE.gguf

llama.cpp's own converter knows tokenizers by their hash and refuses one that was just trained, so the few tensors are
written here.
"""

import json
import sys
from pathlib import Path

import numpy as np
from gguf import GGUFWriter, TokenType
from safetensors.numpy import load_file

# Names of tensors in the weights of transformers, and in GGUF.
OUTER = {"model.embed_tokens": "token_embd", "model.norm": "output_norm"}
INNER = {
    "input_layernorm": "attn_norm", "self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v", "self_attn.o_proj": "attn_output", "self_attn.q_norm": "attn_q_norm",
    "self_attn.k_norm": "attn_k_norm", "post_attention_layernorm": "ffn_norm", "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up", "mlp.down_proj": "ffn_down",
}


def renamed(name):
    stem = name.removesuffix(".weight")
    if stem in OUTER:
        return OUTER[stem] + ".weight"
    layer, _, part = stem.removeprefix("model.layers.").partition(".")
    return f"blk.{layer}.{INNER[part]}.weight"


def tokens(writer, folder, size):
    tokenizer = json.loads((folder / "tokenizer.json").read_text())
    model, added = tokenizer["model"], {token["id"] for token in tokenizer["added_tokens"]}
    words = sorted(model["vocab"], key=model["vocab"].get)
    assert len(words) == size
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(words)
    writer.add_token_types([TokenType.CONTROL if i in added else TokenType.NORMAL for i in range(size)])
    writer.add_token_merges([merge if isinstance(merge, str) else " ".join(merge) for merge in model["merges"]])
    settings = json.loads((folder / "tokenizer_config.json").read_text())
    writer.add_eos_token_id(words.index(settings["eos_token"]))
    writer.add_pad_token_id(words.index(settings["pad_token"]))
    writer.add_add_bos_token(False)
    # Generation blocks are for training; what they write is the same without them.
    template = (folder / "chat_template.jinja").read_text()
    writer.add_chat_template(template.replace("{% generation %}", "").replace("{% endgeneration %}", ""))


def main(source, target):
    folder = Path(source)
    config = json.loads((folder / "config.json").read_text())
    writer = GGUFWriter(target, "qwen3")
    writer.add_name(folder.name)
    writer.add_context_length(config["max_position_embeddings"])
    writer.add_embedding_length(config["hidden_size"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_head_count(config["num_attention_heads"])
    writer.add_head_count_kv(config["num_key_value_heads"])
    writer.add_key_length(config["head_dim"])
    writer.add_value_length(config["head_dim"])
    writer.add_layer_norm_rms_eps(config["rms_norm_eps"])
    writer.add_rope_freq_base(config["rope_parameters"]["rope_theta"])
    tokens(writer, folder, config["vocab_size"])
    for name, tensor in load_file(folder / "model.safetensors").items():
        if name != "lm_head.weight":  # the embedding, again
            writer.add_tensor(renamed(name), tensor.astype(np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
