"""LLaMA-Factory's loader with the entry and the arguments of the manifest. Arguments: the
tokenizer, the reference, a file in the form of sharegpt, its manifest."""
import json
import os
import sys
import tempfile

os.environ["DISABLE_VERSION_CHECK"] = "1"

from llamafactory.data import get_dataset, get_template_and_fix_tokenizer
from llamafactory.hparams import DataArguments, ModelArguments
from transformers import AutoTokenizer, Seq2SeqTrainingArguments

from expected import Comparison, expanded

folder, reference, file, manifest = sys.argv[1:]
tokenizer = AutoTokenizer.from_pretrained(folder)
with open(manifest) as f:
    about = json.load(f)
with tempfile.TemporaryDirectory() as work:
    info = about["reader"]["dataset_info"]
    for entry in info.values():
        entry["file_name"] = os.path.abspath(file)
    with open(os.path.join(work, "dataset_info.json"), "w") as f:
        json.dump(info, f)
    data = DataArguments(
        template="chatml", dataset_dir=work, overwrite_cache=True, preprocessing_num_workers=1, **about["reader"]["arguments"])
    template = get_template_and_fix_tokenizer(tokenizer, data)
    rows = get_dataset(
        template, ModelArguments(model_name_or_path=folder, cache_dir=work), data, Seq2SeqTrainingArguments(output_dir=work, use_cpu=True, report_to=[]),
        stage="sft", tokenizer=tokenizer)["train_dataset"]
    want = expanded(reference)
    assert len(rows) == len(want), (len(rows), len(want))
    comparison = Comparison(tokenizer, line_break_too=True)
    for row, messages in zip(rows, want):
        comparison.compare(messages, row["input_ids"], [label != -100 for label in row["labels"]])
comparison.report("llamafactory reads " + about["format"])
