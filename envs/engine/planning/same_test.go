package planning

import (
	"strings"
	"testing"

	"heldout/envs/sharedtest"
)

const grip = `(define (problem p1) (:domain gripper)
 (:objects rooma roomb - room ball1 ball2 - ball left - gripper)
 (:init (at-robby rooma) (free left) (at ball1 rooma) (at ball2 roomb)) ; two balls
 (:goal (and (at ball1 roomb) (at ball2 rooma))))`

// What is written in another way is the same problem; another fact makes another one.
func TestSameness(t *testing.T) {
	same := func(text string, named ...string) string {
		t.Helper()
		s := sharedtest.Must(Sameness("p", text, named...))(t)
		sharedtest.Equal(t, len(s), 16, s)
		return s
	}
	swap := strings.NewReplacer
	want := same(grip)
	for name, text := range map[string]string{
		"case":       strings.ToUpper(grip),
		"space":      strings.Join(strings.Fields(strings.Replace(grip, "; two balls", "", 1)), " "),
		"name":       swap("p1", "other", ":domain gripper", ":domain grippers").Replace(grip),
		"facts":      swap("(at-robby rooma) (free left)", "(free left) (at-robby rooma)").Replace(grip),
		"goals":      swap("(at ball1 roomb) (at ball2 rooma)", "(at ball2 rooma) (at ball1 roomb)").Replace(grip),
		"objects":    swap("rooma roomb - room", "roomb rooma - room").Replace(grip),
		"names":      swap("rooma", "kitchen", "ball1", "b", "ball2", "ball1", "left", "hand").Replace(grip),
		"swap rooms": swap("rooma", "roomb", "roomb", "rooma").Replace(grip),
	} {
		if same(text) != want {
			t.Errorf("another %s makes another problem", name)
		}
	}
	for name, text := range map[string]string{
		"verb":  strings.Replace(grip, "(free left)", "(empty left)", 1),
		"type":  strings.Replace(grip, "- ball", "- box", 1),
		"place": strings.Replace(grip, "(at ball2 roomb))", "(at ball2 rooma))", 1),
		"goal":  strings.Replace(grip, "(at ball2 rooma))", "(at ball2 roomb))", 1),
		"more":  strings.Replace(grip, "(at-robby rooma)", "(at-robby rooma) (at-robby roomb)", 1),
		"less":  strings.Replace(grip, "(free left)", "", 1),
	} {
		if same(text) == want {
			t.Errorf("another %s makes the same problem", name)
		}
	}
	if renamed := strings.ReplaceAll(grip, "ball1", "b"); same(renamed, "ball") == same(grip, "ball") {
		t.Error("names that count do not count")
	}
	if _, err := Sameness("p", "(define", "x"); err == nil || !strings.HasPrefix(err.Error(), "p:1:8") {
		t.Error(err)
	}
}
