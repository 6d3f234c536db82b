"""Axolotl's own strategy for chat templates, with the dataset entry of the manifest.
Arguments: the tokenizer, the reference, a file in the form of axolotl or agentgym, its manifest."""
import json
import sys

from axolotl.prompt_strategies.chat_template import load
from axolotl.utils.dict import DictDefault
from transformers import AutoTokenizer

from expected import Comparison, conversations

folder, reference, file, manifest = sys.argv[1:]
tokenizer = AutoTokenizer.from_pretrained(folder)
with open(manifest) as f:
    about = json.load(f)
if about["format"] == "agentgym":
    length = 1 << 20
    entry = {
        "type": "chat_template", "field_messages": "conversations", "message_field_training": "loss",
        "message_property_mappings": {"role": "from", "content": "value"},
    }
    with open(file, encoding="utf-8") as f:
        rows = json.load(f)
else:
    length, entry = about["reader"]["sequence_len"], about["reader"]["datasets"][0]
    with open(file, encoding="utf-8") as f:
        rows = [json.loads(line) for line in f]
cfg = DictDefault({"chat_template": "tokenizer_default", "train_on_inputs": False, "sequence_len": length, "roles_to_train": None, "datasets": [entry]})
strategy = load(tokenizer, cfg, DictDefault(entry))
want = conversations(reference)
assert len(rows) == len(want), (len(rows), len(want))
comparison, over = Comparison(tokenizer), 0
for row, messages in zip(rows, want):
    got = strategy.tokenize_prompt(row)
    assert len(got["input_ids"]) <= min(length, row["tokens"]), (len(got["input_ids"]), row["tokens"])
    over += len(got["input_ids"]) > 512
    comparison.compare(messages, got["input_ids"], [label != -100 for label in got["labels"]])
# Axolotl drops what is longer than its default.
said = next(t["examples_over"] for t in about["lengths"]["trainers"] if t["trainer"] == "Axolotl")
assert over <= said, (over, said)
comparison.report("axolotl reads %s (%d are longer than its default, the manifest says %d)" % (about["format"], over, said))
