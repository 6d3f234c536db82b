"""What the files say, and the comparison of a trainer's tokens with it."""
import json


def conversations(reference):
    """The conversations of a file in the form of axolotl: role, content, train."""
    with open(reference, encoding="utf-8") as lines:
        return [json.loads(line)["messages"] for line in lines]


def expanded(reference):
    """Of each conversation, what ends with a message that is trained on; only that one is."""
    out = []
    for messages in conversations(reference):
        for i, m in enumerate(messages):
            if m["train"]:
                out.append([dict(e, train=False) for e in messages[:i]] + [m])
    return out


def chatml(messages):
    """The text of a conversation, and the characters of it that are trained on."""
    text, spans = "", []
    for m in messages:
        text += "<|im_start|>" + m["role"] + "\n"
        start = len(text)
        text += m["content"] + "<|im_end|>"
        if m["train"]:
            spans.append((start, len(text)))
        text += "\n"
    return text, spans


class Comparison:
    """Compares token by token: where the text of a trained message and its end are, there
    are tokens that a trainer trains on, and nowhere else."""

    def __init__(self, tokenizer, line_break_too=False):
        self.tokenizer, self.line_break_too = tokenizer, line_break_too
        self.examples = self.tokens = self.trained = 0

    def compare(self, messages, ids, trained):
        assert len(ids) == len(trained), (len(ids), len(trained))
        text, spans = chatml(messages)
        if self.line_break_too:  # which the template writes after the end
            spans = [(a, b + 1) for a, b in spans]
        decoded = self.tokenizer.decode(ids, skip_special_tokens=False, clean_up_tokenization_spaces=False)
        assert decoded.rstrip("\n") == text.rstrip("\n"), "other text:\n%r\n%r" % (decoded, text)
        got, at, raw = [], 0, 0
        data = text.encode()
        for token, train in zip(ids, trained):
            size = self.size(token)
            if train:
                if got and got[-1][1] == raw:
                    got[-1][1] = raw + size
                else:
                    got.append([raw, raw + size])
            raw += size
        # The last line break may be cut off.
        want = [[len(text[:a].encode()), min(len(text[:b].encode()), raw)] for a, b in spans]
        assert got == want, "trained on %r, want %r" % ([data[a:b] for a, b in got], [data[a:b] for a, b in want])
        self.examples += 1
        self.tokens += len(ids)
        self.trained += sum(map(bool, trained))

    def size(self, token):
        """The bytes of a token."""
        text = self.tokenizer.convert_ids_to_tokens(int(token))
        return len(text)  # a character stands for a byte; special tokens are ASCII

    def report(self, name):
        print("%s: %d examples, %d tokens, %d trained on, as expected" % (name, self.examples, self.tokens, self.trained))
