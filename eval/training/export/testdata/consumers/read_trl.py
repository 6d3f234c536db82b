"""TRL's SFTTrainer, up to the labels of a batch. Arguments: the tokenizer, the reference,
a file in the form of trl or axolotl, its manifest."""
import json
import sys
import tempfile

from datasets import load_dataset
from transformers import AutoTokenizer, LlamaConfig, LlamaForCausalLM
from trl import SFTConfig, SFTTrainer

from expected import Comparison, conversations, expanded

folder, reference, file, manifest = sys.argv[1:]
tokenizer = AutoTokenizer.from_pretrained(folder)
with open(manifest) as f:
    about = json.load(f)
model = LlamaForCausalLM(LlamaConfig(
    vocab_size=len(tokenizer), hidden_size=8, intermediate_size=8, num_hidden_layers=1, num_attention_heads=1, num_key_value_heads=1))
if about["format"] == "trl":
    want, how = expanded(reference), about["reader"]["SFTConfig"]
else:
    # The template of the tokenizer opens the generation block only for what is trained on.
    want, how = conversations(reference), {"assistant_only_loss": True, "max_length": about["reader"]["sequence_len"]}
with tempfile.TemporaryDirectory() as cache:
    rows = load_dataset("json", data_files=file, split="train", cache_dir=cache)
    trainer = SFTTrainer(
        model=model, processing_class=tokenizer, train_dataset=rows,
        args=SFTConfig(output_dir=cache, report_to=[], use_cpu=True, bf16=False, **how))
    assert len(trainer.train_dataset) == len(want), (len(trainer.train_dataset), len(want))
    comparison = Comparison(tokenizer, line_break_too=about["format"] == "trl")  # a completion ends as the template does
    for row, messages in zip(trainer.train_dataset, want):
        batch = trainer.data_collator([row])
        comparison.compare(messages, batch["input_ids"][0].tolist(), [label != -100 for label in batch["labels"][0].tolist()])
    # By default, TRL drops what has no trained token within its length, and cuts the rest.
    del how["max_length"]
    short = SFTTrainer(
        model=model, processing_class=tokenizer, train_dataset=rows,
        args=SFTConfig(output_dir=cache, report_to=[], use_cpu=True, bf16=False, **how))
    dropped, said = len(rows) - len(short.train_dataset), next(
        t["examples_over"] for t in about["lengths"]["trainers"] if t["trainer"] == "TRL")
    assert dropped <= said, (dropped, said)
comparison.report("trl reads %s (by default it drops %d, the manifest says that %d are longer)" % (about["format"], dropped, said))
