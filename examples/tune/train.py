"""Tunes a model on conversations of `heldout export --format axolotl`, and resumes after a kill.

    python train.py FOLDER OUT-FOLDER FILE...

FOLDER is a Hugging Face folder. The tokenizer's own chat template writes the conversations. Loss is on the turns that
the export marks with `train`, with the mark that ends them, and on nothing else.
"""

import json
import os
import random
import sys
import time
from pathlib import Path

import torch
from transformers import (
    AutoModelForCausalLM, AutoTokenizer, DataCollatorForSeq2Seq, Trainer, TrainingArguments
)

SEED = int(os.environ.get("SEED", "0"))
TOKENS = float(os.environ.get("TOKENS", "3e5"))  # to see, the same for all arms
LENGTH = int(os.environ.get("LENGTH", "1536"))  # tokens; what is longer in a conversation is cut off
BATCH = 2  # conversations
RATE = float(os.environ.get("RATE", "3e-4"))  # the highest learning rate
WARMUP = 0.05  # share of the steps in which the rate rises; fewer than 20 steps have a lower rate instead
SAVES = int(os.environ.get("SAVES", "4"))  # times that a training can resume from; one checkpoint is kept
THREADS = int(os.environ.get("THREADS", "2"))
NO_LOSS = -100
# On a processor without instructions for bfloat16, float32 is 2.4 times as fast.
BFLOAT16 = torch.cuda.is_available() or any(has for name, has in torch.cpu.get_capabilities().items() if "bf16" in name)


class OfTurns(Trainer):
    """Computes words only where there is loss; elsewhere they would take a third of the time."""

    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        labels = inputs["labels"][:, 1:]
        trained = labels != NO_LOSS
        states = model.base_model(inputs["input_ids"], inputs["attention_mask"]).last_hidden_state[:, :-1][trained]
        words = model.get_output_embeddings()(states).float()
        loss = torch.nn.functional.cross_entropy(words, labels[trained], reduction="sum") / num_items_in_batch
        return (loss, {"logits": words}) if return_outputs else loss


def example(tokenizer, messages):
    """The tokens of a conversation, and those of trained turns as labels."""
    said = [{"role": m["role"], "content": m["content"]} for m in messages]

    def text(count, **options):
        return tokenizer.apply_chat_template(said[:count], tokenize=False, **options)

    whole, spans = text(len(said)), []
    for i, message in enumerate(messages):
        if message["role"] == "assistant" and message["train"]:
            before, through = text(i, add_generation_prompt=True), text(i + 1).rstrip()
            if not (through.startswith(before) and whole.startswith(through)):
                sys.exit("the chat template writes earlier turns otherwise as a conversation goes on")
            spans.append((len(before), len(through)))
    tokens = tokenizer(whole, add_special_tokens=False, return_offsets_mapping=True)
    labels = [
        token if any(begin <= start and end <= stop for begin, stop in spans) else NO_LOSS
        for token, (start, end) in zip(tokens["input_ids"], tokens["offset_mapping"])
    ]
    return {"input_ids": tokens["input_ids"][:LENGTH], "labels": labels[:LENGTH]}


def main(folder, out, files):
    tokenizer = AutoTokenizer.from_pretrained(folder)
    conversations = [json.loads(line)["messages"] for file in files for line in open(file, encoding="utf-8")]
    rows = [example(tokenizer, messages) for messages in conversations]
    random.Random(SEED).shuffle(rows)
    lengths = [len(row["input_ids"]) for row in rows]
    steps = max(1, round(TOKENS * len(rows) / sum(lengths) / BATCH))
    args = TrainingArguments(
        output_dir=out, max_steps=steps, per_device_train_batch_size=1, gradient_accumulation_steps=BATCH,
        learning_rate=RATE * min(1, steps * WARMUP), warmup_steps=WARMUP if steps * WARMUP >= 1 else 0,
        lr_scheduler_type="cosine", weight_decay=0.01, seed=SEED,
        logging_steps=max(1, steps // 40), save_strategy="steps" if SAVES else "no",
        save_steps=max(1, steps // max(1, SAVES)), save_total_limit=1, use_cpu=not torch.cuda.is_available(),
        bf16=BFLOAT16, include_num_input_tokens_seen="all", report_to=[], disable_tqdm=True,
    )
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    # The words are the model's own already, and take up to a quarter of the weights.
    model.get_input_embeddings().weight.requires_grad_(False)
    collator = DataCollatorForSeq2Seq(tokenizer, label_pad_token_id=NO_LOSS)
    trainer = OfTurns(model=model, args=args, train_dataset=rows, processing_class=tokenizer, data_collator=collator)
    began = time.monotonic()
    trainer.train(resume_from_checkpoint=any(Path(out).glob("checkpoint-*")))
    minutes = (time.monotonic() - began) / 60
    trainer.save_model(out)
    tokens = max(entry.get("num_input_tokens_seen", 0) for entry in trainer.state.log_history)
    print(f"{steps} steps, {tokens / 1e6:.3f} M tokens, {minutes:.1f} minutes, longest {max(lengths)} tokens")


if __name__ == "__main__":
    torch.set_num_threads(THREADS)
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
