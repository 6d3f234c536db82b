"""One step of training with a form for preferences or rewards: dpo, eto and step-dpo by
TRL's DPOTrainer, kto by its KTOTrainer, prm by a head of transformers for tokens.
Arguments: the tokenizer, a file, its manifest."""
import json
import sys
import tempfile

import torch
from datasets import load_dataset
from transformers import AutoTokenizer, LlamaConfig, LlamaForCausalLM, LlamaForTokenClassification

folder, file, manifest = sys.argv[1:]
tokenizer = AutoTokenizer.from_pretrained(folder)
with open(manifest) as f:
    about = json.load(f)
form = about["format"]
size = dict(vocab_size=len(tokenizer), hidden_size=8, intermediate_size=8, num_hidden_layers=1, num_attention_heads=1,
            num_key_value_heads=1, max_position_embeddings=1 << 15, pad_token_id=tokenizer.pad_token_id)


def trainer(cache, rows):
    """The trainer with its own defaults, but for what the manifest says."""
    common = dict(output_dir=cache, report_to=[], use_cpu=True, bf16=False, max_steps=1, per_device_train_batch_size=2,
                  gradient_accumulation_steps=1, gradient_checkpointing=False)
    model = cache + "/model"
    LlamaForCausalLM(LlamaConfig(**size)).save_pretrained(model)  # the reference model is read from there, too
    if form == "kto":
        from trl import KTOConfig, KTOTrainer
        return KTOTrainer(model=model, processing_class=tokenizer, train_dataset=rows,
                          args=KTOConfig(**common, **about["reader"]["KTOConfig"]))
    from trl import DPOConfig, DPOTrainer
    return DPOTrainer(model=model, processing_class=tokenizer, train_dataset=rows,
                      args=DPOConfig(**common, **about["reader"]["DPOConfig"]))


def preferences(cache, rows):
    trained = trainer(cache, rows)
    loss = trained.train().training_loss
    return len(trained.train_dataset), loss


def rewards(rows):
    """The label of a step stands at its last token."""
    model = LlamaForTokenClassification(LlamaConfig(**size, num_labels=2))
    row = rows[0]
    ids, labels = tokenizer(row["prompt"])["input_ids"], []
    labels = [-100] * len(ids)
    for step, label in zip(row["completions"], row["labels"], strict=True):
        own = tokenizer("\n" + step)["input_ids"]
        ids, labels = ids + own, labels + [-100] * (len(own) - 1) + [int(label)]
    loss = model(input_ids=torch.tensor([ids]), labels=torch.tensor([labels])).loss
    loss.backward()
    torch.optim.SGD(model.parameters(), lr=0.1).step()
    return len(rows), loss.item()


with tempfile.TemporaryDirectory() as cache:
    rows = load_dataset("json", data_files=file, split="train", cache_dir=cache)
    kept, loss = rewards(rows) if form == "prm" else preferences(cache, rows)
assert loss > 0, loss
print("%s: %d examples, %d after the loader, one step with loss %.3f" % (form, len(rows), kept, loss))
