package export

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"heldout/envs"
	"heldout/envs/datafile"
	"heldout/envs/sharedtest"
	"heldout/eval/episode"
	"heldout/scoring/record"
)

func TestWrongOptions(t *testing.T) {
	for _, least := range []float64{0, 1} {
		o := options(t, OpenAI, "run")
		if o.Filter.Progress = least; o.Check() != nil {
			t.Fatal(o.Check())
		}
	}
	for want, change := range map[string]func(*Options){
		`unknown format "openia"`:              func(o *Options) { o.Format = "openia" },
		"want a name that ends in .jsonl":      func(o *Options) { o.Out = "data.json" },
		`duplicates is "some"`:                 func(o *Options) { o.Duplicates = "some" },
		"least-progress is 2, want 0 to 1":     func(o *Options) { o.Filter.Progress = 2 },
		"least-recoveries is -1":               func(o *Options) { o.Filter.Recoveries = -1 },
		"cannot be both allowed and dropped":   func(o *Options) { o.TestTasks, o.DropTests = true, true },
		"window is -1, want at least 0":        func(o *Options) { o.Window = -1 },
		"out is \".jsonl\", want a name that ": func(o *Options) { o.Out = ".jsonl" },
	} {
		o := options(t, OpenAI, "run")
		change(&o)
		sharedtest.Fails(t, o.Check(), want)
	}
}

// Episodes with the same messages are one if that is the rule. The same actions in another
// task are another episode.
func TestDuplicates(t *testing.T) {
	run := makeRun(t, nil, of(good(1)), of(good(1)), of(good(2)))
	for rule, want := range map[string]int{KeepAll: 3, SameMessages: 2, SameActions: 3} {
		o := options(t, OpenAI, run)
		o.Duplicates = rule
		if r := export(t, o); r.Used != want {
			t.Errorf("%s: %d episodes, want %d", rule, r.Used, want)
		}
	}
}

// The bytes of every format stay: their SHA-256 begins like this.
func TestBytes(t *testing.T) {
	expert := makeRun(t, func(m *record.Manifest) {
		c := &m.Groups[0].Condition
		c.Agent, c.Model, c.Decoding, c.PromptHash = episode.Expert, "expert", nil, ""
		m.Environments[0].Tasks = []envs.Task{{ID: "gripper/0", Type: "gripper", Digest: "one"}}
	}, solved(good(1), good(5), good(6)))
	sources := append(ofOneTask(t, solved(good(1), good(2), good(3)), of(good(1), good(2), invalid(), good(4))),
		expert, someRun(t))
	for f, want := range map[Format]string{
		ShareGPT: "92dd559faf7a", OpenAI: "531c7c9e8284", TRL: "91a365511df8", Axolotl: "2413a906f4d2",
		AgentGym: "831792a24c61", DPO: "729753aa85f3", ETO: "66455d344895", StepDPO: "4c9204ccbe3a",
		KTO: "6b4030a10d03", PRM: "0bc061ccda80",
	} {
		o := options(t, f, sources...)
		export(t, o)
		sum, err := datafile.Sum(o.Out)
		if err != nil || sum[:12] != want {
			t.Errorf("%s: %s, %v, want %s", f, sum[:12], err, want)
		}
	}
}

// What is said of an export has its counts, and what must not be overlooked.
func TestReportText(t *testing.T) {
	o := options(t, OpenAI, makeRun(t, nil, of(good(1), invalid()), of(good(2))))
	r := export(t, o)
	text := r.Text(o)
	for _, want := range []string{"2 of 2 episodes taken: 2 ", "3 turns: 2 trained, 1 masked (1 invalid)\n",
		o.Out + ": 2 examples, 2 episodes of ", o.ManifestFile() + "\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q lacks %q", text, want)
		}
	}
	if r.Advice() != "OpenAI wants at least 10 examples" || r.Warnings() != nil {
		t.Errorf("%q, %q", r.Advice(), r.Warnings())
	}
	if r.Parts[0].Examples = 10; r.Advice() != "" {
		t.Errorf("10 examples are enough: %q", r.Advice())
	}
	r.Different, r.TestEpisodes, r.Parts[0].Examples = []string{"episode 7"}, 1, 0
	if got := strings.Join(r.Warnings(), "\n"); !strings.HasPrefix(got,
		"left out: episode 7\n1 episode of tasks that a benchmark tests with") || !strings.HasSuffix(got, " is empty") {
		t.Error(got)
	}
	want := "nothing is left to export: 5 episodes with a result (3 not solved, 2 another model), " +
		"1 planned without one"
	nothing := Account{Episodes: 5, Unfinished: 1, Omitted: map[Reason]int{"another model": 2, "not solved": 3}}
	sharedtest.Equal(t, (&NothingError{&nothing}).Error(), want)
}

// A file that is no longer what was written is named, with the number of all.
func TestCheckAll(t *testing.T) {
	o := options(t, OpenAI, makeRun(t, nil, of(good(1))))
	export(t, o)
	dir := filepath.Dir(o.Out)
	var out bytes.Buffer
	if _, err := CheckAll(&out, []string{dir}); err != nil || !strings.Contains(out.String(), ": as written\n") {
		t.Fatalf("%v: %s", err, out.String())
	}
	sharedtest.OK(t, os.WriteFile(o.Out, []byte("{}\n"), 0o600))
	out.Reset()
	if _, err := CheckAll(&out, []string{dir}); err == nil || !strings.HasPrefix(err.Error(), "1 of ") {
		t.Errorf("%v: %s", err, out.String())
	}
}

// A folder has a Parquet file made of the other file, in every format, and a changed, missing or strange file is
// found.
func TestFolder(t *testing.T) {
	dirs := ofOneTask(t, solved(good(1), invalid(), good(3)), of(good(1), invalid(), invalid()))
	for _, f := range Formats() {
		if f == ETO { // no expert has played
			continue
		}
		o := options(t, f, dirs...)
		o.Folder, o.Command, o.Out = true, "heldout export run", filepath.Join(t.TempDir(), "hub", "data"+f.Extension())
		o.Parquet = func(_ Format, from, to string) error {
			b, err := os.ReadFile(from)
			return errors.Join(err, os.WriteFile(to, b, 0o644))
		}
		r := export(t, o)
		dir := filepath.Dir(o.Out)
		if card := read(t, filepath.Join(dir, cardName)); !strings.Contains(card, "path: data.parquet") ||
			!strings.Contains(card, "heldout export run") || !strings.Contains(card, "| pddl | ") ||
			r.Parts[0].ParquetBytes != r.Parts[0].Bytes || r.Parts[0].ParquetSHA256 != r.Parts[0].SHA256 {
			t.Errorf("%s: %s", f, card)
		}
		checked := sharedtest.Must(Check(dir))(t)
		sharedtest.Equal(t, len(checked), 4, f)
		for _, c := range checked {
			if c.Err != nil {
				t.Error(c)
			}
		}
		for _, name := range []string{cardName, "data.parquet", "more.txt"} {
			file := filepath.Join(dir, name)
			old, _ := os.ReadFile(file)
			sharedtest.OK(t, os.WriteFile(file, append(old, ' '), 0o644))
			bad := 0
			checked, err := Check(dir)
			for _, c := range checked {
				if c.Err != nil && filepath.Base(c.File) == name {
					bad++
				}
			}
			if bad != 1 || err != nil {
				t.Errorf("%s: %s was changed, and found %d times; %v", f, name, bad, err)
			}
		}
	}
}

// Files that another program could not write whole leave nothing, and those that are there stay.
func TestTables(t *testing.T) {
	dir := t.TempDir()
	made := func(force bool, failed error) error {
		_, err := Tables(filepath.Join(dir, "tables"), []string{"a.parquet", "b.parquet"}, force,
			func(places []string) error {
				for _, place := range places {
					if err := os.WriteFile(place, []byte(filepath.Base(place)), 0o644); err != nil {
						return err
					}
				}
				return failed
			})
		return err
	}
	if err := made(false, errors.New("no pyarrow")); err == nil {
		t.Error("a failure is no error")
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%v, %v", left, err)
	}
	sharedtest.OK(t, made(false, nil))
	checked := sharedtest.Must(Check(dir))(t)
	sharedtest.Equal(t, len(checked), 3)
	for _, c := range checked {
		if c.Err != nil {
			t.Error(c)
		}
	}
	if made(false, nil) == nil || made(true, nil) != nil {
		t.Error("files are replaced without force, or not with it")
	}
}
