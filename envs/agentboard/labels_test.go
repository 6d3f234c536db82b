package agentboard

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLabels(t *testing.T) {
	parse := func(line []byte, task int) (string, error) {
		if len(line) == 0 {
			return "", errors.New("empty")
		}
		return fmt.Sprint(task, string(line)), nil
	}
	got, err := Labels([]byte("a\nb\r\nc"), parse)
	if d := cmp.Diff([]string{"0a", "1b", "2c"}, got); d != "" || err != nil {
		t.Error(d, err)
	}
	for text, want := range map[string]string{
		"a\n\nc": "2: empty",
		"a\n" + strings.Repeat("x", longestLine+1): "2: the line has more than 1048576 bytes",
	} {
		if got, err := Labels([]byte(text), parse); err == nil || err.Error() != want || got != nil {
			t.Errorf("%.9q: %v, %v, want %s", text, got, err, want)
		}
	}
}

func TestCheckID(t *testing.T) {
	if err := CheckID(3, 3); err != nil {
		t.Error(err)
	}
	if err := CheckID(3, 4); err == nil || err.Error() != "want id 4, got 3" {
		t.Error(err)
	}
}
