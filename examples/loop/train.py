"""Trains a small model on conversations of `heldout export --format axolotl`.

    python train.py tokenizer MODEL-DIR FILE...   a tokenizer from the texts of all files
    python train.py model MODEL-DIR FILE...       weights, by TRL's SFTTrainer

The tokenizer must be in MODEL-DIR before the weights. Loss is on the turns that the export marks with `train`, and
on nothing else: the chat template opens a generation block for these turns only.
"""

import os
import sys
import time

import induction
import torch
from datasets import load_dataset
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import AutoTokenizer, PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM
from trl import SFTConfig, SFTTrainer

SEED = int(os.environ.get("SEED", "0"))
VOCABULARY = 1024  # tokens
WIDTH, LAYERS, HEADS = 320, 4, 5
LENGTH = 1024  # tokens; what is longer in a conversation is cut off
BATCH = 8  # conversations
RATE = 1e-3  # the highest learning rate
STEPS = int(os.environ.get("STEPS", "500"))  # of BATCH conversations: the same for all arms
THREADS = int(os.environ.get("THREADS", "1"))

TEMPLATE = (
    "{% for message in messages %}{{ '<|im_start|>' + message.role + '\n' }}"
    "{% if message.role == 'assistant' and message.train != false %}"
    "{% generation %}{{ message.content + '<|im_end|>' }}{% endgeneration %}"
    "{% else %}{{ message.content + '<|im_end|>' }}{% endif %}{{ '\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)
PAD, START, END = "<|endoftext|>", "<|im_start|>", "<|im_end|>"


def conversations(files):
    """The messages of all files, in a drawn order."""
    rows = load_dataset("json", data_files=files, split="train", cache_dir=None)
    return rows.select_columns(["messages"]).shuffle(seed=SEED)


def make_tokenizer(out, files):
    """A byte-level BPE as of GPT-2, which every server knows."""
    bpe = Tokenizer(models.BPE())
    bpe.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bpe.decoder = decoders.ByteLevel()
    texts = (message["content"] for row in conversations(files) for message in row["messages"])
    bpe.train_from_iterator(texts, trainers.BpeTrainer(
        vocab_size=VOCABULARY, special_tokens=[PAD, START, END], show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    ))
    made = PreTrainedTokenizerFast(
        tokenizer_object=bpe, eos_token=END, pad_token=PAD, clean_up_tokenization_spaces=False, model_max_length=2048
    )
    made.chat_template = TEMPLATE
    made.save_pretrained(out)


def make_model(out, files):
    torch.manual_seed(SEED)
    tokenizer = AutoTokenizer.from_pretrained(out)
    model = Qwen3ForCausalLM(Qwen3Config(
        vocab_size=len(tokenizer), hidden_size=WIDTH, intermediate_size=3 * WIDTH, num_hidden_layers=LAYERS,
        num_attention_heads=HEADS, num_key_value_heads=HEADS, head_dim=WIDTH // HEADS, max_position_embeddings=2048,
        rope_parameters={"rope_type": "default", "rope_theta": 1_000_000.0}, tie_word_embeddings=True,
        initializer_range=induction.SPREAD, eos_token_id=tokenizer.eos_token_id, pad_token_id=tokenizer.pad_token_id,
        bos_token_id=None,
    ))
    induction.begin(model)
    args = SFTConfig(
        output_dir=out, max_steps=STEPS, per_device_train_batch_size=BATCH, learning_rate=RATE,
        lr_scheduler_type="cosine", warmup_steps=0.03, weight_decay=0.1, adam_beta2=0.95, max_length=LENGTH,
        assistant_only_loss=True, train_sampling_strategy="group_by_length", seed=SEED, logging_steps=25,
        save_strategy="no", use_cpu=not torch.cuda.is_available(), bf16=True, report_to=[], disable_tqdm=True,
        activation_checkpointing=False,
    )
    trainer = SFTTrainer(model=model, args=args, train_dataset=conversations(files), processing_class=tokenizer)
    began = time.monotonic()
    trainer.train()
    minutes = (time.monotonic() - began) / 60
    model.generation_config.update(eos_token_id=tokenizer.eos_token_id, pad_token_id=tokenizer.pad_token_id)
    trainer.save_model(out)
    tokens = max(entry.get("num_tokens", 0) for entry in trainer.state.log_history)
    print(f"{model.num_parameters() / 1e6:.2f} M parameters, {tokens / 1e6:.2f} M tokens, {minutes:.1f} minutes")


if __name__ == "__main__":
    torch.set_num_threads(THREADS)
    what, out, *files = sys.argv[1:]
    {"tokenizer": make_tokenizer, "model": make_model}[what](out, files)
