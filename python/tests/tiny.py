"""A model of two layers that plays PDDL's gripper as text: fast enough to train in a test."""

import random

import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast, LlamaConfig, LlamaForCausalLM

import heldout.trl

# In gripper, the first three carry a ball to the other room, which is progress.
ACTIONS = [
    "Pick up ball1 at rooma with arm left.",
    "Move from rooma to roomb.",
    "Drop ball1 at roomb with arm left.",
    "Move from roomb to rooma.",
    "look around",
    "Check valid actions",
]
TEMPLATE = (
    "{% for m in messages %}<|im_start|> {{ m.role }} {{ m.content }} <|im_end|> {% endfor %}"
    "{% if add_generation_prompt %}<|im_start|> assistant {% endif %}"
)
SPECIAL = ["<|pad|>", "<|im_start|>", "<|im_end|>", "<|unk|>"]


def gripper(count: int):
    """The first tasks, as rows for `heldout.trl.rollout`."""
    return heldout.trl.dataset("pddl", text=True, prompt="Solve the task.").select(range(count))


def texts(count: int) -> list[str]:
    """What a model sees and says in the first tasks."""
    with heldout.Pool("pddl", actions=True) as pool:
        (session,) = pool.open()
        seen = []
        for i in range(count):
            seen.append(session.reset(index=i).text)
            for action in ACTIONS:
                seen += [action, session.step(action).text]
    return seen


def tokenizer() -> PreTrainedTokenizerFast:
    """Whole words of the texts of the first tasks."""
    said = " ".join([*texts(8), "system user assistant Goal: Solve the task. Thought: Action: dummy"])
    words = list(dict.fromkeys([*SPECIAL, *said.split()]))
    plain = Tokenizer(models.WordLevel({word: i for i, word in enumerate(words)}, unk_token="<|unk|>"))
    plain.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    made = PreTrainedTokenizerFast(
        tokenizer_object=plain, eos_token="<|im_end|>", pad_token="<|pad|>", unk_token="<|unk|>"
    )
    made.chat_template = TEMPLATE
    return made


def model(tok: PreTrainedTokenizerFast, steps: int) -> LlamaForCausalLM:
    """Random weights, then so many steps that teach it to write one of the actions, whatever it sees."""
    torch.manual_seed(0)
    rng = random.Random(0)
    config = LlamaConfig(
        vocab_size=len(tok), hidden_size=64, intermediate_size=128, num_hidden_layers=2, num_attention_heads=4,
        num_key_value_heads=2, head_dim=16, max_position_embeddings=2048, eos_token_id=tok.eos_token_id,
        pad_token_id=tok.pad_token_id,
    )
    made = LlamaForCausalLM(config)
    optimizer = torch.optim.AdamW(made.parameters(), lr=3e-3)
    seen = texts(8)
    for _ in range(steps):
        heads = [f"<|im_start|> user {rng.choice(seen)} <|im_end|> <|im_start|> assistant" for _ in range(8)]
        replies = [f"Action: {rng.choice(ACTIONS)} <|im_end|>" for _ in heads]
        pairs = [(tok(head)["input_ids"], tok(reply)["input_ids"]) for head, reply in zip(heads, replies)]
        longest = max(len(head) + len(reply) for head, reply in pairs)
        ids = torch.tensor([h + r + [tok.pad_token_id] * (longest - len(h) - len(r)) for h, r in pairs])
        labels = torch.tensor([[-100] * len(h) + r + [-100] * (longest - len(h) - len(r)) for h, r in pairs])
        made(input_ids=ids, attention_mask=(ids != tok.pad_token_id).long(), labels=labels).loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    return made
