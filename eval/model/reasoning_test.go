package model

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"heldout/envs/sharedtest"
)

func TestSplitReasoning(t *testing.T) {
	for _, c := range sharedtest.Cases[struct{ Name, Text, Visible, Reasoning string }](t, "reasoning.yaml") {
		said := splitReasoning(c.Text)
		if said.visible == "" {
			said.recover(nil, false)
		}
		visible, reasoning := said.visible, said.reasoning()
		if visible != c.Visible || reasoning != c.Reasoning {
			t.Errorf("%s: %q and %q, want %q and %q", c.Name, visible, reasoning, c.Visible, c.Reasoning)
		}
	}
}

func FuzzSplitReasoning(f *testing.F) {
	for _, s := range []string{"<think>a</think>b", "a</think>b", "[THINK]a", "<|channel|>final<|message|>a<|return|>",
		"analysisaassistantfinalb", "<|START_THINKING|>"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		said := splitReasoning(s)
		visible, reasoning := said.visible, said.reasoning()
		if len(visible)+len(reasoning) > 2*len(s)+2 {
			t.Errorf("%q became %q and %q", s, visible, reasoning)
		}
		if wording("reasoning-tag").MatchString(visible) && !strings.Contains(s, "|") {
			t.Errorf("%q leaves a tag in %q", s, visible)
		}
	})
}

func TestCutAtEnd(t *testing.T) {
	const action = "Action: go to <b> 1"
	for _, end := range []string{"<|im_end|>", "</s>", "<|eot_id|>\n", "<end_of_turn>", "<eos>", "<|endoftext|>",
		"<｜end▁of▁sentence｜>", "<turn|>", " <|im_end|> </s><pad><pad>", "[EOS]", "<|user|>",
		"<|im_end|>\n<|im_start|>user\nObservation: x", "</s><s>[INST] more", "<|eot_id|><|start_header_id|>user",
		"<end_of_turn>\n<start_of_turn>user\nGo.<end_of_turn>", "[e~[", "[e~[\n]~b]user\nGo", "[|endofturn|]",
		"<seed:eos>", "[EOT]", "</longcat_s><longcat_user>Go", "<SPECIAL_12>", " <sep> human:"} {
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

// No recorded reply is touched, but for what the originals take off themselves: <think> and </s>.
func TestOrdinaryTextsAreNotTouched(t *testing.T) {
	files := sharedtest.Must(filepath.Glob(sharedtest.Golden(t, "protocols") + "/*.jsonl.gz"))(t)
	count := 0
	for _, file := range files {
		for _, reply := range recordedReplies(t, file) {
			count++
			visible := splitReasoning(reply).visible
			cut, found := cutAtEnd(reply)
			marked := strings.Contains(reply, "think>") || strings.Contains(reply, "</s>")
			if !marked && (visible != reply || cut != reply || found) {
				t.Errorf("%s: %q became %q and %q", file, reply, visible, cut)
			}
		}
	}
	if count < 3_000 {
		t.Errorf("there are %d replies", count)
	}
}

// recordedReplies are the replies in a file of golden calls.
func recordedReplies(t *testing.T, file string) (replies []string) {
	f := sharedtest.Must(os.Open(file))(t)
	defer func() { _ = f.Close() }()
	unzipped := sharedtest.Must(gzip.NewReader(f))(t)
	for lines := json.NewDecoder(unzipped); ; {
		var call struct{ Reply any }
		if err := lines.Decode(&call); err == io.EOF {
			return replies
		} else if err != nil {
			t.Fatal(err)
		}
		if reply, ok := call.Reply.(string); ok {
			replies = append(replies, reply)
		}
	}
}
