"""A few GRPO steps of TRL with a tiny model in PDDL's gripper, in process.

    pip install heldout trl
    python trl_grpo.py [STEPS]

The model is made here: two layers, taught for a minute to call the tool `act`. It prints the reward of every step.
"""

import json
import random
import sys
import tempfile
from pathlib import Path

import torch
import trl
from datasets import Dataset
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM
from trl import GRPOConfig, GRPOTrainer

import heldout.trl
from heldout.trl import INSTRUCTIONS

HeldoutEnv = heldout.trl.env("pddl", reward="delta")

MARKS = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
PLAIN = ["<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>", "<think>", "</think>"]
# In gripper, these three carry a ball to the other room, which is progress.
ACTIONS = ["Pick up ball1 at rooma with arm left.", "Move from rooma to roomb.", "Drop ball1 at roomb with arm left."]
GRIPPER = [{"prompt": [{"role": "user", "content": INSTRUCTIONS}], "index": n, "step_limit": 8} for n in range(8)]
TOOL = {
    "type": "function",
    "function": {
        "name": "act",
        "description": "Carries out one action in the environment.",
        "parameters": {
            "type": "object",
            "properties": {"action": {"type": "string", "description": "The action as text."}},
            "required": ["action"],
        },
    },
}


def tokenizer():
    bpe = Tokenizer(models.BPE())
    bpe.pre_tokenizer, bpe.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    text = [json.dumps(TOOL), INSTRUCTIONS, Path(__file__).read_text(), *ACTIONS] * 3
    bpe.train_from_iterator(
        text, trainers.BpeTrainer(vocab_size=1000, special_tokens=MARKS, initial_alphabet=pre_tokenizers.ByteLevel.alphabet())
    )
    bpe.add_tokens(PLAIN)
    made = PreTrainedTokenizerFast(tokenizer_object=bpe, eos_token="<|im_end|>", pad_token="<|endoftext|>")
    made.chat_template = (Path(trl.__file__).parent / "chat_templates" / "qwen3.jinja").read_text()
    return made


def call(action):
    function = {"name": "act", "arguments": {"action": action}}
    return {"role": "assistant", "content": "", "tool_calls": [{"type": "function", "function": function}]}


def taught(tok):
    config = Qwen3Config(
        vocab_size=len(tok), hidden_size=64, intermediate_size=128, num_hidden_layers=2, num_attention_heads=4,
        num_key_value_heads=2, head_dim=16, max_position_embeddings=4096, eos_token_id=tok.eos_token_id, pad_token_id=tok.pad_token_id,
    )
    model = Qwen3ForCausalLM(config)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    environment = HeldoutEnv()
    for step in range(400):
        row = random.choice(GRIPPER)
        first = row["prompt"][0]["content"] + environment.reset(**row)
        messages = [{"role": "user", "content": first}]
        for _ in range(random.randrange(4)):  # turns before the one that is taught
            action = random.choice(ACTIONS)
            messages.append(call(action))
            messages.append({"role": "tool", "name": "act", "content": environment.act(action)})
        head = tok.apply_chat_template(messages, tools=[TOOL], add_generation_prompt=True, tokenize=False)
        whole = tok.apply_chat_template(messages + [call(random.choice(ACTIONS))], tools=[TOOL], tokenize=False)
        prompt, reply = tok(head)["input_ids"], tok(whole[len(head) :].rstrip("\n"))["input_ids"]
        ids = torch.tensor([prompt + reply])
        labels = torch.tensor([[-100] * len(prompt) + reply])
        loss = model(input_ids=ids, labels=labels).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        if step % 100 == 99:
            print(f"teaching: step {step + 1}, loss {loss.item():.3f}", flush=True)
    return model


def main():
    random.seed(0)
    torch.manual_seed(0)
    tok = tokenizer()
    data = Dataset.from_list(GRIPPER * 4)
    args = GRPOConfig(
        output_dir=tempfile.mkdtemp(), max_steps=int(sys.argv[1]) if len(sys.argv) > 1 else 4, per_device_train_batch_size=8, num_generations=4,
        max_completion_length=512, max_tool_calling_iterations=6, logging_steps=1, report_to=[], save_strategy="no", use_cpu=True,
        temperature=1.0, learning_rate=1e-4,
    )
    trainer = GRPOTrainer(model=taught(tok), processing_class=tok, train_dataset=data, environment_factory=HeldoutEnv, args=args)
    trainer.train()
    for entry in trainer.state.log_history:
        if "reward" in entry:
            print(f"step {entry['step']}: reward {entry['reward']:.3f}, tool calls {entry.get('tools/call_frequency', 0):.1f}")


if __name__ == "__main__":
    main()
