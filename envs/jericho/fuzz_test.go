package jericho

import (
	"context"
	"strings"
	"testing"
	"unicode/utf8"

	"heldout/envs"
	"heldout/envs/agentboard"
	"heldout/envs/engine/zmachine"
	"heldout/envs/sharedtest"
)

// FuzzStep types anything into our own game, some steps after its start.
func FuzzStep(f *testing.F) {
	e := own(f, 0)
	w, _ := startedWorld(f, e, 0)
	walkthrough := splitWalkthrough(lowlight.Walkthrough)
	var moments []envs.World
	for _, a := range walkthrough {
		moments = append(moments, forked(f, w))
		steps(f, w, a)
	}
	for _, a := range []string{"look", "take all, then drop it", "a\nb\nc", "restart", "quit", "save",
		"Light the lamp.", "\\w\\n", "x é’\x00\xff", strings.Repeat("go ", 100)} {
		f.Add(a, uint8(3))
		f.Add(a, uint8(28))
	}
	f.Fuzz(func(t *testing.T, action string, moment uint8) {
		w := forked(t, moments[int(moment)%len(moments)])
		if asksForHelp(agentboard.JerichoAction(action)) {
			return // takes long: see TestHelp
		}
		before := w.(*world).progress
		s := steps(t, w, action)
		if s.Progress < before || s.Progress > 1 || s.Success != (s.Progress == 1) || s.Success && !s.Done {
			t.Errorf("%q: %+v after %v", action, s, before)
		}
		if !utf8.ValidString(s.Observation) || strings.ContainsAny(s.Observation, "\n\x00") {
			t.Errorf("%q: %q", action, s.Observation)
		}
	})
}

// FuzzHelp asks for the valid actions of a broken story.
func FuzzHelp(f *testing.F) {
	f.Add([]byte{0, 0, 0x0F, 0x40})
	f.Add([]byte{0, 0x19, 0xFC, 0xFF, 0, 0x22, 0xF8, 3})
	f.Fuzz(func(t *testing.T, patch []byte) {
		image := append([]byte(nil), lowlightImage...)
		for ; len(patch) >= 4; patch = patch[4:] {
			image[(int(patch[0])<<16|int(patch[1])<<8|int(patch[2]))%len(image)] = patch[3]
		}
		story, err := zmachine.Load(image)
		if err != nil {
			return
		}
		deriveTemplates(story)
		w := newWorld(newPlay(&lowlight.game, story, 0,
			binding{Grammar: "look;examine OBJ;put OBJ on OBJ", MaxWordLength: 9}))
		w.session.machine.SetBudget(100_000)
		w.play.actions().attemptBudget = 100_000
		if _, err := w.Start(context.Background()); err != nil {
			return
		}
		for _, action := range []string{"west", "wait"} {
			if _, err := w.Step(context.Background(), action); err != nil {
				return
			}
			sharedtest.Must(w.Actions(context.Background()))(t)
		}
	})
}

// FuzzLabels reads anything as labels.
func FuzzLabels(f *testing.F) {
	f.Add(
		[]byte(`{"goal":"g","subgoals":["a"],"difficulty":"easy","additional_info":{"subtask":"905","init_obs":"o"}}`))
	f.Add([]byte(`{"difficulty":"hard","subgoals_1":"x"}` + "\n\n"))
	f.Add(
		[]byte(
			`[{"game_name":"905","difficulty":"hard","n_subgoals":7,"rewarded_observations":[{"observation":"You do."}]}]`))
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, parse := range []func(string, []byte) ([]label, error){parseLabels, parsePartial} {
			labels, err := parse("labels", b)
			if err == nil {
				for _, l := range labels {
					if l.difficulty != envs.Easy && l.difficulty != envs.Hard || l.subgoals.n < len(l.subgoals.texts) &&
						!l.subgoals.partial {
						t.Errorf("%+v", l)
					}
				}
			}
		}
	})
}

// FuzzBindings reads anything as bindings, in both forms.
func FuzzBindings(f *testing.F) {
	f.Add([]byte(pythonBindings))
	f.Add([]byte(`{"games":{"zork1":{"rom":"zork1.z5","grammar":"a;b OBJ","walkthrough":"n/s"}}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		known, err := parseBindings(b)
		if err != nil {
			return
		}
		for name, x := range known {
			if name == "" || x.Grammar == "" || x.MaxWordLength <= 0 {
				t.Errorf("%q: %+v", name, x)
			}
			reduceTemplates(x.Grammar, x.MaxWordLength, usualVerbs())
		}
	})
}
