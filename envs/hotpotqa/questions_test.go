package hotpotqa

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"heldout/envs"
	"heldout/envs/hotpotqa/wiki/index"
	"heldout/envs/sharedtest"
)

// official returns the official questions, or skips the test.
func official(t testing.TB, o Options) *Env {
	t.Helper()
	sharedtest.Data(t, "agentboard/hotpotqa", "HotpotQA's files")
	return sharedtest.Must(NewOfficial(sharedtest.AgentBoard(t), o, envs.Outside{}))(t)
}

func TestOfficialQuestions(t *testing.T) {
	e := official(t, Options{})
	kinds := map[string]int{}
	for _, task := range e.Tasks() {
		kinds[task.Type]++
	}
	if diff := cmp.Diff(map[string]int{"bridge": 242, "comparison": 58}, kinds); diff != "" { // spec section 2.1
		t.Error(diff)
	}
	sharedtest.Equal(t, e.Tasks()[0].ID, "dev/3687", "it starts")
	if info := e.Info(); info.Source != envs.Official || info.DataHash == "" ||
		!cmp.Equal(info.Settings, map[string]string{"wiki": "live"}) {
		t.Errorf("%+v", info)
	}
	sharedtest.Equal(t, len(official(t, Options{Sample: "all"}).Tasks()), 7405, "questions")
}

// The expert answers every question whose pages are there, over an index of the
// questions' own paragraphs, and the environment says what that is worth.
func TestExpertOnOfficialSample(t *testing.T) {
	const name = "hotpot_distractor_200.json"
	official(t, Options{})
	dir := t.TempDir()
	if _, err := index.Build(t.Context(), dir, []string{
		sharedtest.Data(t, "agentboard/hotpotqa/"+name, "HotpotQA's files")}, func(index.Progress) {}); err != nil {
		t.Fatal(err)
	}
	e := official(t, Options{Questions: name, Pages: Pages{Origin: "offline", Index: dir}})
	sharedtest.Equal(t, e.Info().Caveat, contextsCaveat, e.Info())
	sharedtest.Equal(t, len(e.Info().Settings["wiki-index"]), shownHash, e.Info())
	if len(e.Tasks()) != 198 { // two of the 200 come twice
		t.Errorf("%d questions", len(e.Tasks()))
	}
	every := sharedtest.Every(t, 20)
	for i := 0; i < len(e.Tasks()); i += every {
		task := e.Tasks()[i]
		last, steps := playExpert(t, newWorld(t, e, i))
		sharedtest.Equal(t, last, (envs.Step{Observation: "Episode finished, reward = 1\n", Progress: 1, Done: true,
			Success: true, Valid: true}), task.ID, "after", steps, "steps")
	}
	// A question is one task, whichever file it came from.
	dev := official(t, Options{Sample: "all"})
	for _, task := range e.Tasks() {
		same := slices.ContainsFunc(dev.Tasks(), func(other envs.Task) bool {
			return other.ID == task.ID && other.Digest == task.Digest
		})
		if !same {
			t.Errorf("%s is not in the development set", task.ID)
		}
	}
}

// data makes a data folder with these files of questions.
func data(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	sharedtest.OK(t, os.Mkdir(filepath.Join(dir, folder), 0o755))
	for name, text := range files {
		sharedtest.OK(t, os.WriteFile(filepath.Join(dir, folder, name), []byte(text), 0o600))
	}
	return dir
}

// simplified are so many questions in the form of the development set.
func simplified(n int) string {
	var items []string
	for i := range n {
		items = append(items, fmt.Sprintf(`{"question":"q%d ","answer":"a%d","type":"bridge"}`, i, i))
	}
	return "[" + strings.Join(items, ",") + "]"
}

// The facts that the expert needs are found in an official file beside the questions.
func TestFactsBeside(t *testing.T) {
	dir := data(t, map[string]string{
		devFile:      simplified(3),
		factFiles[0]: `[{"_id":"x","question":"q1 ","answer":"a1","supporting_facts":[["A &amp; B",0],["C",1],["A &amp; B",2]]}]`,
		"hf.json":    `[{"id":"y","question":"q","answer":"a","supporting_facts":{"title":["D","E"],"sent_id":[0,1]}}]`,
	})
	e := sharedtest.Must(NewOfficial(dir, Options{Sample: "all"}, envs.Outside{}))(t)
	sharedtest.Equal(t, sharedtest.Must(newWorld(t, e, 1).ExpertAction(t.Context()))(t), "search[A & B]")
	sharedtest.Fails(t, sharedtest.Err(newWorld(t, e, 0).ExpertAction(t.Context())), "dev/0000")
	e = sharedtest.Must(NewOfficial(dir, Options{Questions: "hf.json"}, envs.Outside{}))(t)
	if diff := cmp.Diff([]string{"D", "E"}, e.questions[0].pages); diff != "" || e.Tasks()[0].ID != "y" ||
		e.Info().Settings["questions"] != "hf.json" {
		t.Errorf("%+v %s", e.Tasks(), diff)
	}
	byPath, err := NewOfficial(t.TempDir(), Options{Questions: filepath.Join(dir, folder, "hf.json")}, envs.Outside{})
	if err != nil || !cmp.Equal(byPath.Info(), e.Info()) {
		t.Errorf("by its path: %v", err)
	}
}

func TestFormsOfQuestions(t *testing.T) {
	const line = `{"id":"a","question":"q","answer":"yes"}`
	for form, text := range map[string]string{
		"columns":           `{"_id":{"0":"5a","1":"7"},"question":{"0":"q","1":"r"},"answer":{"0":"a","1":"no"},"x":{"1":null}}`,
		"JSON Lines":        line + "\n" + `{"id":7,"question":"r","answer":"no"}` + "\n",
		"FlashRAG":          line + "\n" + `{"id":"7","question":"r","golden_answers":["no","not"]}`,
		"a byte order mark": "\ufeff[" + line + `,{"_id":7,"question":"r","answer":"no"}]`,
	} {
		e, err := NewOfficial(data(t, map[string]string{"q.json": text}), Options{Questions: "q.json"}, envs.Outside{})
		if err != nil {
			t.Errorf("%s: %v", form, err)
			continue
		}
		if len(e.questions) != 2 || e.questions[1].id != "7" || e.questions[1].answer != "no" {
			t.Errorf("%s: %+v", form, e.questions)
		}
	}
}

func TestBadQuestions(t *testing.T) {
	for name, c := range sharedtest.Table[struct{ Text, Want string }](t, "bad-questions.yaml") {
		_, err := NewOfficial(data(t, map[string]string{"other.json": c.Text}), Options{Questions: "other.json"},
			envs.Outside{})
		sharedtest.Fails(t, err, c.Want, name)
	}
	_, err := NewOfficial(data(t, map[string]string{devFile: simplified(3)}), Options{}, envs.Outside{})
	sharedtest.Fails(t, err, "has more questions than the file, which has 3")
	if _, err := NewOfficial(t.TempDir(), Options{}, envs.Outside{}); err == nil ||
		!strings.Contains(err.Error(), "questions of HotpotQA are missing") {
		t.Error(err)
	}
}

func TestSample(t *testing.T) {
	for in, want := range map[string]string{"all": "all", "seed:233:300": "seed:233:300", "seed:0": "seed:0"} {
		sharedtest.Equal(t, sharedtest.Must(parseSample(in))(t).String(), want, in)
	}
	for _, in := range []string{"", "seed", "seed:", "seed:-1", "seed:1:0", "seed:1:x", "seed:1:2:3", "seed:4294967296",
		"ALL"} {
		sharedtest.Fails(t, sharedtest.Err(parseSample(in)), "", in)
	}
	// Python's random.Random(42).shuffle(list(range(10))).
	got, err := Sample{Seed: 42}.indices(10)
	if diff := cmp.Diff([]int{7, 3, 2, 8, 5, 6, 9, 4, 0, 1}, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
}
