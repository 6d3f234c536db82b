package model

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestCutAtEnd(t *testing.T) {
	const action = "Action: go to <b> 1"
	for _, end := range []string{"<|im_end|>", "</s>", "<|eot_id|>\n", "<end_of_turn>", "<eos>", "<|endoftext|>",
		"<｜end▁of▁sentence｜>", "<turn|>", " <|im_end|> </s><pad><pad>", "[EOS]", "<|user|>",
		"<|im_end|>\n<|im_start|>user\nObservation: x", "</s><s>[INST] more", "<|eot_id|><|start_header_id|>user",
		"<end_of_turn>\n<start_of_turn>user\nGo.<end_of_turn>"} {
		if got, cut := cutAtEnd(action + end); got != action || !cut {
			t.Errorf("%q: %q, %v", end, got, cut)
		}
	}
	for _, whole := range []string{action, "", "a <b> c", "[a]", "x > y", "<|im_start|><|assistant|>go", "<end> it all",
		"</b>", "if a <|b> then", "<ending>", "put </s> here"} {
		if got, cut := cutAtEnd(whole); got != whole || cut {
			t.Errorf("%q became %q", whole, got)
		}
	}
	if got, cut := cutAtEnd("<|im_end|>\n"); got != "" || !cut {
		t.Errorf("a token alone: %q, %v", got, cut)
	}
}

// Texts without the characters of tokens stay as they are, and what is cut is an end.
func TestOrdinaryRepliesAreNotCut(t *testing.T) {
	piece := rapid.SampledFrom([]string{"Action: ", "go", " ", "\n", "<", ">", "|", "s", "/", "[", "]", "b", "end",
		"x < 3"})
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Join(rapid.SliceOfN(piece, 0, 20).Draw(t, "pieces"), "")
		got, cut := cutAtEnd(s)
		plain := !strings.Contains(s, "|>") && !strings.Contains(s, "<end>") && !strings.Contains(s, "</s>")
		if !strings.HasPrefix(s, got) || plain && (cut || got != s) {
			t.Fatalf("%q became %q", s, got)
		}
	})
}
