#!/usr/bin/env python3
"""Make heldout-tiny: a Llama of random weights, small enough to make on the spot.

    make_model.py DIR

writes into DIR

    heldout-tiny.gguf   for llama-server and Ollama
    hf/                 the same weights as a Hugging Face folder, for vLLM
    Modelfile           for `ollama create`

The tokenizer is a byte-level BPE trained on the text below, the weights come
from a fixed seed, and nothing is downloaded: the same versions of numpy,
tokenizers and gguf always write the same bytes. What the model says is word
salad. It never ends its turn by itself, so every answer runs to max_tokens,
to a stop string or to the end of the context.
"""

import json
import os
import struct
import sys

os.environ["TOKENIZERS_PARALLELISM"] = "false"

import gguf  # noqa: E402
import numpy as np  # noqa: E402
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers  # noqa: E402

NAME = "heldout-tiny"
SEED = 20240229
CONTEXT = 4096

HIDDEN = 128
LAYERS = 2
HEADS = 4
KV_HEADS = 2
HEAD_DIM = HIDDEN // HEADS  # 32, the smallest that vLLM's CPU attention takes
FFN = 256
EPS = 1e-5
ROPE_THETA = 10000.0
VOCAB = 768  # what BPE stops at; the text may give fewer

END_OF_TEXT, IM_START, IM_END = "<|endoftext|>", "<|im_start|>", "<|im_end|>"
SPECIALS = [END_OF_TEXT, IM_START, IM_END]

CHAT_TEMPLATE = (
    "{% for message in messages %}"
    "{{ '<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>\n' }}"
    "{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)

# Ollama keeps a template of its own, in Go's syntax. More threads than one only
# wait for each other on a model of this size.
MODELFILE = '''FROM ./{name}.gguf
TEMPLATE """{{{{- range .Messages }}}}<|im_start|>{{{{ .Role }}}}
{{{{ .Content }}}}<|im_end|>
{{{{ end }}}}<|im_start|>assistant
"""
PARAMETER stop "<|im_start|>"
PARAMETER stop "<|im_end|>"
PARAMETER num_thread 1
'''

TEXT = """
You are playing a game. Read the state of the board and say what you do next.
The robot is in the kitchen and the red box is in the hall. Move the box to the
cellar, then come back to the start. Every door is closed until it is opened.
Answer with one action on a line of its own. Do not explain the action.
Actions: move north, move south, move east, move west, pick up, put down, look,
wait, open the door, close the door, push the block, unstack the block, stop.
Block a is on block b. Block b is on the table. Block c is clear. The hand is
empty. Your goal is that block a is on block c and block c is on block b.
Turn 1 of 20. Score: 0. Steps left: 19. You have 3 coins, 2 keys and 1 lamp.
The user asked for a number between 1 and 100. Think step by step before you
answer, and write the answer after the word answer, like this: answer: 42
If the message is too long for the model, the server must say so, and the
harness must record it rather than cut the message without a word about it.
A plan is a list of actions that takes the first state to the goal. A shorter
plan is better than a longer one. An action that cannot be done ends the game.
{"action": "move", "from": "a1", "to": "b2", "reason": "the path is open"}
[[1, 2, 3], [4, 5, 6], [7, 8, 9]] is a grid of numbers. Row 2, column 3 is 6.
def solve(x): return x + 1 if x > 0 else x - 1  # and so on for every x
I think that we should go left here, because the right side was blocked when
we looked at it last time. What do you see? I see nothing but a long wall.
Thank you. That was not a legal move; please try again with another one.
The seed is fixed, so the same question gets the same answer on every run.
"""


def make_tokenizer():
    tok = Tokenizer(models.BPE())
    tok.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    tok.decoder = decoders.ByteLevel()
    tok.train_from_iterator(
        TEXT.splitlines(keepends=True),
        trainers.BpeTrainer(
            vocab_size=VOCAB,
            min_frequency=1,
            special_tokens=SPECIALS,
            initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
            show_progress=False,
        ),
    )
    return tok


def make_weights(tokens):
    """The weights by their Hugging Face names: matrices float16, vectors float32.

    Hidden dimension 0 is the same for every token and no layer writes to it, so
    it is a constant at the output too. The output matrix uses it as a bias
    against the tokens that must not be said: the special ones, which would end
    the turn, and the lone bytes of unfinished or non-printing UTF-8.
    """
    rng = np.random.Generator(np.random.PCG64(SEED))

    def uniform(rows, cols, std):
        a = std * 3.0**0.5
        return ((rng.random((rows, cols)) * 2 - 1) * a).astype(np.float16)

    def projection(rows, cols, gain=1.0):
        w = uniform(rows, cols, gain / cols**0.5)
        if rows == HIDDEN:
            w[0, :] = 0
        return w

    ones = np.ones(HIDDEN, dtype=np.float32)
    n = len(tokens)
    w = {}
    embed = uniform(n, HIDDEN, 1.0)
    embed[:, 0] = 3.0
    w["model.embed_tokens.weight"] = embed
    for i in range(LAYERS):
        p = f"model.layers.{i}."
        w[p + "input_layernorm.weight"] = ones
        w[p + "self_attn.q_proj.weight"] = uniform(HIDDEN, HIDDEN, 1.5 / HIDDEN**0.5)
        w[p + "self_attn.k_proj.weight"] = uniform(KV_HEADS * HEAD_DIM, HIDDEN, 1.5 / HIDDEN**0.5)
        w[p + "self_attn.v_proj.weight"] = uniform(KV_HEADS * HEAD_DIM, HIDDEN, 1.0 / HIDDEN**0.5)
        w[p + "self_attn.o_proj.weight"] = projection(HIDDEN, HIDDEN, 1.5)
        w[p + "post_attention_layernorm.weight"] = ones
        w[p + "mlp.gate_proj.weight"] = uniform(FFN, HIDDEN, 1.0 / HIDDEN**0.5)
        w[p + "mlp.up_proj.weight"] = uniform(FFN, HIDDEN, 1.0 / HIDDEN**0.5)
        w[p + "mlp.down_proj.weight"] = projection(HIDDEN, FFN, 1.5)
    w["model.norm.weight"] = ones
    head = uniform(n, HIDDEN, 3.0 / HIDDEN**0.5)
    head[:, 0] = 0
    for i, token in enumerate(tokens):
        if not sayable(token):
            head[i, 0] = -40.0
    w["lm_head.weight"] = head
    return w


def sayable(token):
    if token in SPECIALS:
        return False
    # Byte-level BPE spells a space as U+0120 and a line feed as U+010A.
    plain = token.replace("\u0120", " ").replace("\u010a", "\n")
    return all(c == "\n" or " " <= c <= "~" for c in plain)


def write_gguf(path, tok, tokens, weights):
    out = gguf.GGUFWriter(path, "llama")
    out.add_name(NAME)
    out.add_file_type(gguf.LlamaFileType.MOSTLY_F16)
    out.add_context_length(CONTEXT)
    out.add_embedding_length(HIDDEN)
    out.add_block_count(LAYERS)
    out.add_feed_forward_length(FFN)
    out.add_head_count(HEADS)
    out.add_head_count_kv(KV_HEADS)
    out.add_layer_norm_rms_eps(EPS)
    out.add_rope_freq_base(ROPE_THETA)
    out.add_rope_dimension_count(HEAD_DIM)
    out.add_vocab_size(len(tokens))

    out.add_tokenizer_model("gpt2")
    out.add_tokenizer_pre("gpt-2")
    out.add_token_list(tokens)
    kinds = gguf.TokenType
    out.add_token_types([kinds.CONTROL if t in SPECIALS else kinds.NORMAL for t in tokens])
    merges = json.loads(tok.to_str())["model"]["merges"]
    out.add_token_merges([m if isinstance(m, str) else " ".join(m) for m in merges])
    out.add_bos_token_id(tokens.index(END_OF_TEXT))
    out.add_eos_token_id(tokens.index(IM_END))
    out.add_pad_token_id(tokens.index(END_OF_TEXT))
    out.add_add_bos_token(False)
    out.add_chat_template(CHAT_TEMPLATE)

    names = {
        "model.embed_tokens": "token_embd",
        "model.norm": "output_norm",
        "lm_head": "output",
        "input_layernorm": "attn_norm",
        "self_attn.q_proj": "attn_q",
        "self_attn.k_proj": "attn_k",
        "self_attn.v_proj": "attn_v",
        "self_attn.o_proj": "attn_output",
        "post_attention_layernorm": "ffn_norm",
        "mlp.gate_proj": "ffn_gate",
        "mlp.up_proj": "ffn_up",
        "mlp.down_proj": "ffn_down",
    }
    for hf_name, w in weights.items():
        stem = hf_name.removesuffix(".weight")
        if stem.startswith("model.layers."):
            _, _, i, stem = stem.split(".", 3)
            name = f"blk.{i}.{names[stem]}.weight"
            if stem == "self_attn.q_proj":
                w = interleave(w, HEADS)
            elif stem == "self_attn.k_proj":
                w = interleave(w, KV_HEADS)
        else:
            name = names[stem] + ".weight"
        out.add_tensor(name, np.ascontiguousarray(w))
    out.write_header_to_file()
    out.write_kv_data_to_file()
    out.write_tensors_to_file()
    out.close()


def interleave(w, heads):
    """Hugging Face rotates halves of a head, llama.cpp neighbouring pairs."""
    return w.reshape(heads, 2, w.shape[0] // heads // 2, w.shape[1]).swapaxes(1, 2).reshape(w.shape)


def write_hf(folder, tok, tokens, weights):
    os.makedirs(folder, exist_ok=True)
    eos, pad = tokens.index(IM_END), tokens.index(END_OF_TEXT)
    tok.save(os.path.join(folder, "tokenizer.json"))
    write_json(
        os.path.join(folder, "config.json"),
        {
            "architectures": ["LlamaForCausalLM"],
            "model_type": "llama",
            "torch_dtype": "float16",
            "vocab_size": len(tokens),
            "hidden_size": HIDDEN,
            "intermediate_size": FFN,
            "num_hidden_layers": LAYERS,
            "num_attention_heads": HEADS,
            "num_key_value_heads": KV_HEADS,
            "head_dim": HEAD_DIM,
            "hidden_act": "silu",
            "max_position_embeddings": CONTEXT,
            "rms_norm_eps": EPS,
            "rope_theta": ROPE_THETA,
            "attention_bias": False,
            "mlp_bias": False,
            "tie_word_embeddings": False,
            "bos_token_id": pad,
            "eos_token_id": eos,
            "pad_token_id": pad,
        },
    )
    write_json(os.path.join(folder, "generation_config.json"), {"eos_token_id": eos, "pad_token_id": pad})
    write_json(
        os.path.join(folder, "tokenizer_config.json"),
        {
            "tokenizer_class": "PreTrainedTokenizerFast",
            "eos_token": IM_END,
            "pad_token": END_OF_TEXT,
            "model_max_length": CONTEXT,
            "clean_up_tokenization_spaces": False,
            "chat_template": CHAT_TEMPLATE,
        },
    )
    # safetensors: the header's length, the header, the tensors one after another.
    header, offset = {"__metadata__": {"format": "pt"}}, 0
    for name, w in weights.items():
        dtype = {"float16": "F16", "float32": "F32"}[w.dtype.name]
        header[name] = {"dtype": dtype, "shape": list(w.shape), "data_offsets": [offset, offset + w.nbytes]}
        offset += w.nbytes
    head = json.dumps(header).encode()
    head += b" " * (-len(head) % 8)
    with open(os.path.join(folder, "model.safetensors"), "wb") as f:
        f.write(struct.pack("<Q", len(head)) + head)
        for w in weights.values():
            f.write(w.astype(w.dtype.newbyteorder("<")).tobytes())


def write_json(path, value):
    with open(path, "w", encoding="utf-8") as f:
        json.dump(value, f, indent=2)
        f.write("\n")


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: make_model.py DIR")
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    tok = make_tokenizer()
    tokens = [t for t, _ in sorted(tok.get_vocab(with_added_tokens=True).items(), key=lambda kv: kv[1])]
    weights = make_weights(tokens)
    write_gguf(os.path.join(folder, NAME + ".gguf"), tok, tokens, weights)
    write_hf(os.path.join(folder, "hf"), tok, tokens, weights)
    with open(os.path.join(folder, "Modelfile"), "w", encoding="utf-8") as f:
        f.write(MODELFILE.format(name=NAME))
    params = sum(w.size for w in weights.values())
    print(f"{NAME}: {params} parameters, {len(tokens)} tokens, context {CONTEXT}, in {folder}")


if __name__ == "__main__":
    main()
