package agentboard

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"heldout/envs/sharedtest"
)

func TestLabels(t *testing.T) {
	parse := func(line []byte, task int) (string, error) {
		if string(line) == "bad" {
			return "", errors.New("it is bad")
		}
		return fmt.Sprint(task, string(line)), nil
	}
	got, err := Labels("labels", []byte("a\nb\r\nc"), parse)
	if d := cmp.Diff([]string{"0a", "1b", "2c"}, got); d != "" || err != nil {
		t.Error(d, err)
	}
	for text, want := range map[string]string{
		"\ufeffa\n\nbad": "labels:3: it is bad",
		"a\n" + strings.Repeat("x", longestLine+1): "labels:2: the line has more than 1048576 bytes",
	} {
		if got, err := Labels("labels", []byte(text), parse); err == nil || err.Error() != want || got != nil {
			t.Errorf("%.9q: %v, %v, want %s", text, got, err, want)
		}
	}
}

func TestCheckID(t *testing.T) {
	sharedtest.OK(t, CheckID(3, 3))
	if err := CheckID(3, 4); err == nil || err.Error() != "want id 4, got 3" {
		t.Error(err)
	}
}
