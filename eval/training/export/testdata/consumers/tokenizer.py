"""A small tokenizer of our own: byte-level BPE, trained on the file, with a chat template
that says which tokens are the model's."""
import json
import sys

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

# In the form of ChatML. The generation block is opened only for messages that are
# trained on; without the key train, for all replies.
TEMPLATE = (
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' }}"
    "{% if message['role'] == 'assistant' and (message['train'] is not defined or message['train']) %}"
    "{% generation %}{{ message['content'] + '<|im_end|>' }}{% endgeneration %}"
    "{% else %}{{ message['content'] + '<|im_end|>' }}{% endif %}{{ '\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)


def make(reference, folder):
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    special = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
    trainer = trainers.BpeTrainer(vocab_size=600, special_tokens=special, initial_alphabet=pre_tokenizers.ByteLevel.alphabet())
    with open(reference, encoding="utf-8") as lines:
        texts = [m["content"] for line in lines for m in json.loads(line)["messages"]]
    tokenizer.train_from_iterator(texts[:2000], trainer)
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<|im_end|>", pad_token="<|endoftext|>", model_max_length=1 << 30)
    fast.chat_template = TEMPLATE
    fast.save_pretrained(folder)


if __name__ == "__main__":
    make(*sys.argv[1:])
