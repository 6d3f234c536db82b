"""Tunes a model on conversations of `heldout export --format axolotl`, and resumes after a kill.

    python train.py BASE-DIR OUT-DIR FILE...

BASE-DIR is of `weights.py load`. Loss is on the turns that the export marks with `train`, and on nothing else: the chat
template opens a generation block for these turns only; what it writes is the same as the model's own.
"""

import os
import sys
import time
from pathlib import Path

import torch
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

SEED = int(os.environ.get("SEED", "0"))
TOKENS = float(os.environ.get("TOKENS", "3e5"))  # to see, the same for all arms
LENGTH = 1536  # tokens; what is longer in a conversation is cut off
BATCH = 2  # conversations
RATE = float(os.environ.get("RATE", "3e-4"))  # the highest learning rate
SAVES = 4  # times that a training can resume from; one checkpoint of 1.3 GB is kept
THREADS = int(os.environ.get("THREADS", "2"))
# On a processor without instructions for bfloat16, float32 is 2.4 times as fast.
BFLOAT16 = torch.cuda.is_available() or any(has for name, has in torch.cpu.get_capabilities().items() if "bf16" in name)

TEMPLATE = (
    "{% if messages[0].role != 'system' %}<|im_start|>system\n"
    "You are a helpful AI assistant named SmolLM, trained by Hugging Face<|im_end|>\n{% endif %}"
    "{% for message in messages %}{{ '<|im_start|>' + message.role + '\n' }}"
    "{% if message.role == 'assistant' and message.train != false %}"
    "{% generation %}{{ message.content + '<|im_end|>' }}{% endgeneration %}"
    "{% else %}{{ message.content + '<|im_end|>' }}{% endif %}{{ '\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)


class Trainer(SFTTrainer):
    """Computes words only where there is loss; elsewhere they would take a third of the time."""

    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        labels = inputs["labels"][:, 1:]
        trained = labels != -100
        with self.accelerator.autocast():
            states = model.model(inputs["input_ids"], inputs["attention_mask"]).last_hidden_state[:, :-1][trained]
            words = model.lm_head(states).float()
        loss = torch.nn.functional.cross_entropy(words, labels[trained], reduction="sum") / num_items_in_batch
        return (loss, {"logits": words}) if return_outputs else loss


def main(base, out, files):
    tokenizer = AutoTokenizer.from_pretrained(base)
    own = tokenizer.chat_template
    rows = load_dataset("json", data_files=files, split="train").select_columns(["messages"]).shuffle(seed=SEED)
    assert tokenizer.apply_chat_template(rows[0]["messages"], chat_template=TEMPLATE) == tokenizer.apply_chat_template(
        rows[0]["messages"]
    ), "the template for training writes other tokens than the model's own"
    tokenizer.chat_template = TEMPLATE
    lengths = [len(ids) for ids in tokenizer.apply_chat_template(list(rows["messages"]), return_dict=False)]
    steps = max(1, round(TOKENS * len(lengths) / sum(min(n, LENGTH) for n in lengths) / BATCH))
    args = SFTConfig(
        output_dir=out, max_steps=steps, per_device_train_batch_size=1, gradient_accumulation_steps=BATCH,
        learning_rate=RATE, lr_scheduler_type="cosine", warmup_steps=0.05, weight_decay=0.01, max_length=LENGTH,
        assistant_only_loss=True, seed=SEED, logging_steps=max(1, steps // 40),
        save_steps=max(1, steps // SAVES), save_total_limit=1, use_cpu=not torch.cuda.is_available(),
        bf16=BFLOAT16, include_num_input_tokens_seen="all", report_to=[], disable_tqdm=True, activation_checkpointing=False,
    )
    model = AutoModelForCausalLM.from_pretrained(base, dtype=torch.float32)
    # The words are the model's own already, and take a fifth of the weights.
    model.get_input_embeddings().weight.requires_grad_(False)
    trainer = Trainer(model=model, args=args, train_dataset=rows, processing_class=tokenizer)
    began = time.monotonic()
    trainer.train(resume_from_checkpoint=any(Path(out).glob("checkpoint-*")))
    minutes = (time.monotonic() - began) / 60
    tokenizer.chat_template = own
    trainer.save_model(out)
    tokens = max(entry.get("num_input_tokens_seen", 0) for entry in trainer.state.log_history)
    print(f"{steps} steps, {tokens / 1e6:.2f} M tokens, {minutes:.1f} minutes, longest {max(lengths)} tokens")


if __name__ == "__main__":
    torch.set_num_threads(THREADS)
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
