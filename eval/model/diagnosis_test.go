package model_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"heldout/envs/sharedtest"
	"heldout/eval/model"
	"heldout/scoring/record"
)

// readings draws what may be read of a reply.
func readings() *rapid.Generator[model.Reading] {
	texts := []string{"", "I do not know.", "Action: look", strings.Repeat("I look around. ", 20)}
	leftovers := []record.Leftover{record.EndTokens, record.ReasoningMarks, record.InventedObservation}
	return rapid.Custom(func(t *rapid.T) model.Reading {
		r := model.Reading{
			Fault:     rapid.SampledFrom(append(record.Faults(), "", "")).Draw(t, "fault"),
			Text:      rapid.SampledFrom(texts).Draw(t, "text"),
			Reasoning: rapid.SampledFrom([]string{"", "Let me see."}).Draw(t, "reasoning"),
			Readable:  rapid.Bool().Draw(t, "readable"),
			Valid:     rapid.Bool().Draw(t, "valid"),
			Echo:      rapid.Bool().Draw(t, "echo"),
		}
		if rapid.Bool().Draw(t, "has leftovers") {
			r.Leftovers = []record.Leftover{rapid.SampledFrom(leftovers).Draw(t, "leftover")}
		}
		r.Readable = r.Readable && r.Fault != record.NoAction
		return r
	})
}

// diagnosed is the form of a diagnosis.
var diagnosed = regexp.MustCompile(`^keeps the format in (\d+) of (\d+) replies(?:; (.*))?$`)

// A diagnosis is true of the replies: its numbers are theirs, what it names is what is most
// wrong, and the advice is about that.
func TestDiagnosisIsTrue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		few := rapid.SliceOfNDistinct(readings(), 1, 3, func(r model.Reading) string { return fmt.Sprint(r) }).Draw(t,
			"kinds")
		replies := rapid.SliceOfN(rapid.SampledFrom(few), 1, 40).Draw(t, "replies")
		var tally model.ReplyCounts
		for _, r := range replies {
			tally.Add(r)
		}
		tally.OneReply, tally.Cache = rapid.Bool().Draw(t, "one reply"), rapid.Bool().Draw(t, "cache")
		adviser := model.Adviser{Kind: rapid.SampledFrom([]string{"", "vllm", "llama.cpp", "ollama"}).Draw(t, "kind"),
			Decoding: record.Decoding{Temperature: rapid.SampledFrom([]float64{0, 0.5, 1}).Draw(t, "temperature"),
				TopP: 1, MaxTokens: rapid.SampledFrom([]int{100, 512}).Draw(t, "length")}}
		d := tally.Diagnose(adviser)
		m := diagnosed.FindStringSubmatch(d.String())
		if m == nil {
			t.Fatalf("%q has another form", d)
		}
		readable := 0
		for _, r := range replies {
			if r.Readable {
				readable++
			}
		}
		if m[1] != strconv.Itoa(readable) || m[2] != strconv.Itoa(len(replies)) {
			t.Errorf("%q of %d of %d", d, readable, len(replies))
		}
		sharedtest.Equal(t, d.Unusable(), (readable*20 < len(replies)), d, "unusable is")
		complaint, advice, _ := strings.Cut(m[3], "; ")
		checkComplaint(t, replies, tally, adviser, complaint, d)
		endless := tally.Lost[model.Rambling] + tally.Lost[model.Repetition] + tally.Marred[model.LongTail]
		want := adviser.Advice(d.Symptom)
		if adviser.Decoding.Temperature == 1 && endless*5 >= len(replies) && endless > 0 &&
			(d.Symptom == model.Prose || d.Symptom == model.InvalidActions) {
			want = adviser.Advice(model.Repetition) // the model rambles
		}
		sharedtest.Equal(t, advice, want, d, "advises on something else")
		if strings.Contains(advice, "reasoning") && !slices.ContainsFunc(replies, func(r model.Reading) bool {
			return r.Reasoning != "" || r.Fault == record.OnlyReasoning ||
				slices.Contains(r.Leftovers, record.ReasoningMarks) ||
				r.Fault == record.Empty || r.Fault == record.NoContent
		}) {
			t.Errorf("%q speaks of reasoning, and there is none", d)
		}
	})
}

// checkComplaint recounts what a complaint says of replies.
func checkComplaint(t *rapid.T, replies []model.Reading, tally model.ReplyCounts, adviser model.Adviser,
	complaint string,
	d model.Diagnosis) {
	counts := map[bool]map[model.Symptom]int{true: {}, false: {}}
	sum, valid := map[bool]int{}, 0
	for _, r := range replies {
		sum[r.Readable]++
		if s := r.Symptom(); s != "" {
			counts[r.Readable][s]++
		}
		if r.Readable && r.Valid {
			valid++
		}
	}
	most := func(readable bool) (n int) {
		for _, count := range counts[readable] {
			n = max(n, count)
		}
		return n
	}
	invalid := sum[true] > 0 && valid == 0
	notable := func(n int) bool { return n > 0 && n*10 >= len(replies) }
	switch lost, marred := most(false), most(true); {
	case notable(sum[false]):
		if complaint != fmt.Sprintf("%s in %d", d.Symptom, lost) || counts[false][d.Symptom] != lost {
			t.Errorf("%q of %v", d, counts)
		}
	case invalid:
		if sum[true] > 1 && complaint != fmt.Sprintf("none of its %d actions is valid", sum[true]) {
			t.Errorf("%q of %d actions", d, sum[true])
		}
	case notable(marred):
		if complaint != fmt.Sprintf("%s in %d", d.Symptom, marred) || counts[true][d.Symptom] != marred {
			t.Errorf("%q of %v", d, counts)
		}
	case tally.OneReply && adviser.Decoding.Temperature > 0:
		sharedtest.Equal(t, complaint, "gives one reply for all seeds", d)
	case tally.Cache:
		sharedtest.Equal(t, complaint, "replies otherwise once a prompt is cached", d)
	case complaint != "":
		t.Errorf("%q, and nothing is wrong", d)
	}
}

// What is in hand decides on the symptom, and with the decoding on the advice.
func TestSymptoms(t *testing.T) {
	loop := strings.NewReplacer("LOOP", strings.Repeat("I am a helpful assistant. ", 60))
	for _, test := range sharedtest.Cases[struct {
		Reading  model.Reading
		Decoding record.Decoding
		Kind     string
		Want     model.Symptom
		Advice   string
	}](t, "symptoms.yaml") {
		r := test.Reading
		r.Text, r.Reasoning = loop.Replace(r.Text), loop.Replace(r.Reasoning)
		got := r.Symptom()
		advice := model.Adviser{Kind: test.Kind, Decoding: test.Decoding}.Advice(got)
		if got != test.Want || !strings.Contains(advice, test.Advice) {
			t.Errorf("%+v with %+v: %q, %q", test.Reading, test.Decoding, string(got), advice)
		}
	}
}

// A long natural text does not repeat itself, though its words do.
func TestRepetition(t *testing.T) {
	natural := "Thought: I need to find the red ball, and the red ball may be in the cabinet or on the desk. I look " +
		"in cabinet 1 first. If it is not in cabinet 1, I look in cabinet 2 and then in cabinet 3. After the cabinets I " +
		"go to the desk, and when I have the red ball, I go to the shelf and put the red ball on the shelf."
	for text, want := range map[string]bool{natural: false, strings.Repeat("!", 200): true, "short short short": false,
		natural + strings.Repeat(" I look in cabinet 3.", 40): true, strings.Repeat("我看看。", 60): true} {
		got := model.Reading{Text: text, Fault: record.CutOff}.Symptom() == model.Repetition
		sharedtest.Equal(t, got, want, text)
	}
}
