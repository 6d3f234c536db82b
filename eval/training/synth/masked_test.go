package synth

import (
	"fmt"
	"strings"
	"testing"

	"heldout/envs/sharedtest"
)

// What passes is written so that it can be read for training, with a mask by the master's next turn.
func TestMasked(t *testing.T) {
	line := fmt.Sprintf(`{"id": "a<b", "script": %s, "trajectory": %s, "more": 1}`,
		strings.Join(strings.Fields(shop), " "), good().json())
	var out []byte
	check := func(o Options, want string) {
		t.Helper()
		sharedtest.OK(t, VerifyLines("lines", strings.NewReader(line), o, false, func(c Checked) error {
			if c.Reason != "" || c.Masked == nil {
				t.Fatalf("%+v", c)
			}
			out = c.Masked
			return nil
		}))
		got := ""
		if _, err := ReadItems("lines", strings.NewReader(string(out)), func(i *Item) error {
			if i.ID != "a<b" || len(i.Turns) != 9 || i.Script.Goal == "" || i.Turns[1].Thought != "I think." {
				t.Errorf("%+v", i)
			}
			for n, turn := range i.Turns {
				if !turn.Master {
					got += map[bool]string{true: "+", false: "-"}[i.Train[n]]
				} else if i.Train[n] {
					t.Errorf("turn %d is the master's", n+1)
				}
			}
			return nil
		}); err != nil || got != want {
			t.Errorf("%q, want %q; %v", got, want, err)
		}
	}
	check(DefaultOptions(), "-+-+")
	if !strings.Contains(string(out), "a<b") || strings.Contains(string(out), "more") {
		t.Errorf("%s", out)
	}
	line = string(out) // again
	check(DefaultOptions(), "-+-+")
}

func TestItemsThatAreNotVerified(t *testing.T) {
	raw := fmt.Sprintf(`{"script": %s, "trajectory": %s}`, strings.Join(strings.Fields(shop), " "), good().json())
	for line, want := range map[string]string{
		raw:              `lines:2: turn 2: the key "train" is missing`,
		`{"script": {}}`: `needs the keys`,
		`[1]`:            `heldout verify --masked`,
		strings.ReplaceAll(raw, `"Goal"`, `"Goals"`): `no "Goal"`,
	} {
		_, err := ReadItems("lines", strings.NewReader("\n"+line), func(*Item) error { return nil })
		sharedtest.Fails(t, err, want)
	}
}

func FuzzReadItem(f *testing.F) {
	f.Add(
		[]byte(`{"script": ` + shop +
			`, "trajectory": [{"turn": 0, "role": "Player", "Thought": "", "Action": "wait", "train": true}]}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		item, err := readItem(line)
		if err == nil && (len(item.Turns) != len(item.Train) || len(item.Turns) == 0) {
			t.Errorf("%+v", item)
		}
	})
}
