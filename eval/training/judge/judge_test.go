package judge

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"heldout/configs"
	"heldout/envs/sharedtest"
	"heldout/eval/training/calls"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

// plays is a trajectory whose steps have labels: "r" right, "w" wrong, "-" none.
func plays(id, labels string) *Trajectory {
	t := &Trajectory{ID: id, Task: id, Goal: "Go.", First: "A room."}
	for i, c := range labels {
		t.Steps = append(t.Steps, JudgedStep{
			Thought: fmt.Sprint("thought ", i), Action: fmt.Sprint("action ", i), Observation: fmt.Sprint("result ", i),
			Label: map[rune]Label{'r': Right, 'w': Wrong, '-': ""}[c],
		})
	}
	return t
}

// A balanced sample has a right and a wrong turn of each trajectory; nothing but the
// seed decides which, and not the order of the trajectories.
func TestSample(t *testing.T) {
	var all []*Trajectory
	for i := range 40 {
		all = append(all, plays(fmt.Sprint(i), []string{"rrwrw-", "rrr", "-w", "wr"}[i%4]))
	}
	draw := func(kind Sampling, seed int64, order []*Trajectory) (*Sample, []string) {
		s := NewSample(kind, seed, 12)
		for _, t := range order {
			s.Add(t)
		}
		var ids []string
		labels := map[string]map[Label]int{}
		turns := s.Turns()
		for i := range turns {
			turn := &turns[i]
			ids = append(ids, turn.ID)
			if labels[turn.Trajectory.ID] == nil {
				labels[turn.Trajectory.ID] = map[Label]int{}
			}
			labels[turn.Trajectory.ID][turn.label()]++
		}
		for id, counts := range labels {
			if kind == Balanced && (counts[Right] != 1 || counts[Wrong] != 1) || counts[Right]+counts[Wrong] != 2 {
				t.Errorf("%s: %v", id, counts)
			}
		}
		return s, ids
	}
	s, ids := draw(Balanced, 1, all)
	if s.Read != 40 || s.Unfit != 20 || len(s.picks) != 12 || len(ids) != 24 || s.Labels[Right] != 10*3+10*3+10 ||
		s.Labels[Wrong] != 10*2+10+10 || s.Labels[""] != 20 {
		t.Errorf("%+v", s)
	}
	backwards := slices.Clone(all)
	slices.Reverse(backwards)
	if _, again := draw(Balanced, 1, append(backwards, all[0])); !slices.Equal(ids, again) {
		t.Errorf("the order matters: %v, %v", ids, again)
	}
	if _, other := draw(Balanced, 2, all); slices.Equal(ids, other) {
		t.Error("the seed does not matter")
	}
	if s, ids := draw(Natural, 1, all); s.Unfit != 10 || len(ids) != 24 {
		t.Errorf("%+v", s)
	}
}

func TestReadAnswer(t *testing.T) {
	for reply, want := range sharedtest.Table[Answer](t, "answers.yaml") {
		sharedtest.Same(t, readAnswer(reply), want, reply)
	}
	for _, long := range []string{strings.Repeat("{", 1_000_000),
		`{"verdict": "right"` + strings.Repeat(" ", 5000) + `}`} {
		sharedtest.Same(t, readAnswer(long), Answer{Unreadable: NoVerdict})
	}
	if a := readCall(&calls.Call{Reply: `{"verdict": "right"}`, Fault: record.CutOff}); a.Unreadable != Unreadable(record.CutOff) || a.Label != "" {
		t.Errorf("%+v", a)
	}
}

func FuzzReadAnswer(f *testing.F) {
	f.Add(`x {"verdict": "right"}`)
	f.Add(`{"verdict": "wrong", "kind": {"a": [1]}}{`)
	f.Fuzz(func(t *testing.T, reply string) {
		a := readAnswer(reply)
		if (a.Label == "") == (a.Unreadable == "") || a.Label != "" && !slices.Contains(labels(), a.Label) {
			t.Errorf("%q: %+v", reply, a)
		}
	})
}

// The prompt has what was known before the turn, and nothing of what followed.
func TestPrompt(t *testing.T) {
	p := sharedtest.Must(configs.LoadJudge())(t)
	turn := newTurn(plays("x", "rrwr"), 2)
	text := turn.prompt(p, 1000)
	for _, want := range []string{"Goal: Go.", "They are not recorded",
		"Observation: A room.\nThought: thought 0\nAction: action 0\nObservation: result 0\n",
		"The player's turn:\nThought: thought 2\nAction: action 2\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %q in\n%s", want, text)
		}
	}
	for _, not := range []string{"result 2", "action 3", "left out"} {
		if strings.Contains(text, not) {
			t.Errorf("there is %q", not)
		}
	}
	if h := turn.History(0); h != "Observation: A room.\n(1 turns are left out here)\nThought: thought 1\nAction: action 1\nObservation: result 1\n" {
		t.Errorf("%q", h)
	}
	first := newTurn(plays("x", "r"), 0)
	sharedtest.Equal(t, first.History(0), "Observation: A room.\n")
}

// labelled makes turns of which the trajectories say a, and another rater b; one trajectory has two turns.
func labelled(tables [2][3]int) (turns []JudgedTurn, other Rater) {
	other = Rater{Name: "other", Labels: map[string]Label{}, None: map[string]int{}}
	var byLabel [2][]Label
	for a, row := range tables {
		for b, n := range row {
			for range n {
				byLabel[a] = append(byLabel[a], []Label{Right, Wrong, ""}[b])
			}
		}
	}
	for i := range byLabel[0] {
		of := plays(fmt.Sprint("t", i), "rw")
		for a := range byLabel {
			turn := newTurn(of, a)
			turns = append(turns, turn)
			if l := byLabel[a][i]; l != "" {
				other.Labels[turn.ID] = l
			} else {
				other.None["no verdict"]++
			}
		}
	}
	return turns, other
}

// AgentRefine's Section 8 by hand: of 50 turns that the model calls right people confirm 47, of 50 that it calls
// wrong 41; agreement 0.88, kappa 0.76. Then with labels missing.
func TestAgreementByHand(t *testing.T) {
	value := func(tables []table.Table, measure string) (v, low, high float64, n int) {
		for _, tab := range tables {
			if tab.ID != "judge-agreement" {
				continue
			}
			for _, row := range tab.Rows {
				if row[2].Value == measure {
					number := func(c table.Cell) float64 { f, _ := c.Value.(float64); return f }
					return number(row[4]), number(row[5]), number(row[6]), row[3].Value.(int)
				}
			}
		}
		t.Fatalf("there is no %q", measure)
		return
	}
	s := NewSample(Balanced, 1, 50)
	s.Labels = map[Label]int{Right: 900, Wrong: 100}
	for _, c := range []struct {
		table   [2][3]int // the trajectories' right, then wrong: right, wrong, none
		n       int
		measure string
		want    float64
	}{
		{[2][3]int{{47, 3, 0}, {9, 41, 0}}, 100, "agreement %", 0.88},
		{[2][3]int{{47, 3, 0}, {9, 41, 0}}, 100, "Cohen's kappa", 0.76},
		{[2][3]int{{47, 3, 0}, {9, 41, 0}}, 50, "agreement % if master says right", 0.94},
		{[2][3]int{{47, 3, 0}, {9, 41, 0}}, 50, "agreement % if master says wrong", 0.82},
		{[2][3]int{{47, 3, 0}, {9, 41, 0}}, 100, "agreement %, all turns", 0.9*0.94 + 0.1*0.82},
		{[2][3]int{{40, 5, 5}, {10, 30, 10}}, 85, "agreement %", 70.0 / 85},
		{[2][3]int{{40, 5, 5}, {10, 30, 10}}, 85, "agreement %, all turns", 0.9*40/45 + 0.1*30/40},
		// pe = (45·50 + 40·35)/85², po = 70/85
		{[2][3]int{{40, 5, 5}, {10, 30, 10}}, 85, "Cohen's kappa", (70.0/85 - 3650.0/7225) / (1 - 3650.0/7225)},
	} {
		turns, other := labelled(c.table)
		tables := Tables(s, turns, []Rater{OriginalRater(Master, turns), other}, calls.Usage{}, "")
		v, low, high, n := value(tables, c.measure)
		if math.Abs(v-c.want) > 1e-9 || n != c.n || !(low < v && v < high) {
			t.Errorf("%v, %s: %v (%v to %v) of %d, want %v of %d", c.table, c.measure, v, low, high, n, c.want, c.n)
		}
		confusion := tables[1]
		for i, row := range confusion.Rows {
			for j := range 3 {
				sharedtest.Equal[any](t, row[3+j].Value, c.table[i][j], "row of the confusion table", i, row)
			}
		}
	}
	turns, other := labelled([2][3]int{{2, 0, 0}, {2, 0, 0}})
	if _, low, high, _ := value(Tables(s, turns, []Rater{other, other}, calls.Usage{}, ""),
		"Cohen's kappa"); low != 0 || high != 0 {
		t.Error("raters of one label have an interval of kappa")
	}
}

// Whatever stands in a trajectory, no cell of the sheet begins like a formula, the
// sheet reads back, and labels come through.
func TestSheet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.Custom(func(t *rapid.T) string {
			return rapid.SampledFrom([]string{"", "=", "+", "-", "@", " =", "\t=", "\r+", "\n-", "'=", "＝",
				"\x00="}).Draw(t, "begin") + rapid.String().Draw(t, "rest")
		})
		of := plays("x", "rw")
		of.Goal, of.Actions, of.First = text.Draw(t, "goal"), text.Draw(t, "actions"), text.Draw(t, "first")
		of.Steps[0].Thought, of.Steps[0].Action = text.Draw(t, "thought"), text.Draw(t, "action")
		turns := []JudgedTurn{newTurn(of, 0), newTurn(of, 1)}
		var b bytes.Buffer
		sharedtest.OK(t, WriteSheet(&b, turns, 1000))
		rows, err := csv.NewReader(bytes.NewReader(b.Bytes())).ReadAll()
		if err != nil || len(rows) != 3 {
			t.Fatalf("%d rows, %v", len(rows), err)
		}
		for _, row := range rows {
			for _, cell := range row {
				if begin := strings.TrimSpace(cell); begin != "" && strings.ContainsRune("=+-@＝＋－＠", []rune(begin)[0]) {
					t.Fatalf("a cell begins like a formula: %q", cell)
				}
			}
		}
		rows[1][6] = " Right"
		var filled bytes.Buffer
		w := csv.NewWriter(&filled)
		w.Comma = rapid.SampledFrom([]rune{',', ';'}).Draw(t, "separator")
		sharedtest.OK(t, w.WriteAll(rows))
		r, err := ReadSheet(strings.NewReader("\ufeff"+filled.String()), turns)
		if err != nil || r.Labels[turns[0].ID] != Right || r.None["no label in the sheet"] != 1 {
			t.Fatalf("%+v, %v", r, err)
		}
	})
}

func TestReadSheetErrors(t *testing.T) {
	turns := []JudgedTurn{newTurn(plays("x", "rw"), 0), newTurn(plays("x", "rw"), 1)}
	id := turns[0].ID
	for text, want := range map[string]string{
		"":                            "the file is empty",
		"a,b\n1,2\n":                  "no columns id and label",
		"id,label\nzzz,right\n":       `line 2: the turn "zzz" is not in the sample`,
		"id,label\n" + id + ",good\n": `line 2: the label is "good", want right, wrong or nothing`,
		"id,label\n" + id + ",\n" + id + ",right\n": "line 3: the turn " + id + " occurs twice",
		"id,label\n\"" + id + "\n":                  "line 2: a quotation mark is missing",
		"PK\x03\x04":                                "it is a compressed file (zip)",
		"PK\x03\x04" + strings.Repeat("\x00", 26) + "xl/workbook.xml": "it is an Excel workbook",
	} {
		sharedtest.Fails(t, sharedtest.Err(ReadSheet(strings.NewReader(text), turns)), want, text)
	}
	for _, text := range []string{"id\tlabel\tx\n\n\t\n" + id + "\twrong\n",
		"\ufeffSEP=;\r\nid;label\r\n" + id + ";wrong\r\n", "sep=,\rid,label,goal\r'" + id + ",wrong,\"a\nb\"\r"} {
		r, err := ReadSheet(strings.NewReader(text), turns)
		if err != nil || r.Labels[id] != Wrong || r.None["not in the sheet"] != 1 {
			t.Errorf("%q: %+v, %v", text, r, err)
		}
	}
}

func FuzzReadSheet(f *testing.F) {
	turns := []JudgedTurn{newTurn(plays("x", "rw"), 0), newTurn(plays("x", "rw"), 1)}
	f.Add("id,label\n" + turns[0].ID + ",right\n")
	f.Add("\ufeffid;label\n" + turns[1].ID + ";\"wrong\n\"\n")
	f.Fuzz(func(t *testing.T, text string) {
		r, err := ReadSheet(strings.NewReader(text), turns)
		if n := len(r.Labels) + r.None["not in the sheet"] + r.None["no label in the sheet"]; err == nil &&
			n != len(turns) {
			t.Errorf("%q: %+v", text, r)
		}
	})
}

// A file of synthetic trajectories: the master's flags are the labels of the turns before them.
func TestReadFile(t *testing.T) {
	line := `{"script": {"Environment": {}, "Goal": "g", "Completion Conditions": [], "Available Actions": {"take {item}": {"verification code": "^take (.*)$", "parameters": {"item": ["a", "b"]}}, "wait": {"verification code": "^wait$", "parameters": {}}}},
		"trajectory": [{"turn": 1, "role": "DM", "Thought": "secret", "Observation": "A room.", "parameter_error": false, "place_error": false, "logic_error": false},
		{"turn": 2, "role": "Player", "Thought": "t", "Action": "take c"},
		{"turn": 3, "role": "DM", "Thought": "secret", "Observation": "No.", "parameter_error": true, "place_error": false, "logic_error": false},
		{"turn": 4, "role": "Player", "Thought": "u", "Action": "wait"},
		{"turn": 5, "role": "DM", "Thought": "secret", "Observation": "Task Succeed", "parameter_error": false, "place_error": false, "logic_error": false}]}`
	file := filepath.Join(t.TempDir(), "x.jsonl")
	sharedtest.OK(t, os.WriteFile(file, []byte(strings.ReplaceAll(line, "\n", " ")+"\n\n{}\n"), 0o600))
	var got []*Trajectory
	_, err := Read(file, func(t *Trajectory) { got = append(got, t) })
	sharedtest.Fails(t, err, "x.jsonl:3: it needs the keys")
	want := &Trajectory{Goal: "g", Actions: "take {item} with item: a, b\nwait\n", First: "A room.",
		Steps: []JudgedStep{
			{Thought: "t", Action: "take c", Observation: "No.", Label: Wrong},
			{Thought: "u", Action: "wait", Observation: "Task Succeed", Label: Right},
		}}
	if len(got) != 1 {
		t.Fatal(got)
	}
	want.ID, want.Task = got[0].ID, got[0].ID
	sharedtest.Equal(t, cmp.Diff(want, got[0]), "")
}
