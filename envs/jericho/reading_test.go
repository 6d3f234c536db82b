package jericho

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"heldout/envs/sharedtest"
)

//go:embed testdata/reading.sums
var readingSums string

// readingPieces are what actions in reading.py consist of.
var readingPieces = strings.Split(
	"look,take,all,x,Take,LOOK,it, ,  ,.,;,?,!,\",',-,a,Z,0,>,é,É,Ä,ß,œ,æ,«,¿,×,Þ,ÿ,\u00a0,€,日,😀,‘,’,“,”,‛,\u0085,\u009b,\t,"+
		"\\_,\\\\,\\.,\\^,\\<,\\>,\\0,\\5,\\?,\\[,\\!,\\ ,\x1b,\x05", ",")

// readingAction is what reading.py's action is.
func readingAction(number int) (next int, said string) {
	draw := func() int {
		number = (number*1103515245 + 12345) % (1 << 31)
		return number
	}
	for range (draw() >> 8) % 12 {
		times := draw() >> 16 % 40
		said += strings.Repeat(readingPieces[number>>8%len(readingPieces)], max(times-30, 1)) +
			strings.Repeat(" ", times%2)
	}
	return number, said
}

// Whatever is typed, stories read it as in jericho 3.3.1, into buffers of any size, and show it alike.
func TestReading(t *testing.T) {
	lengths := []int{100, 1000}
	turns := sharedtest.Times(t, lengths[1], lengths[0])
	for line := range strings.Lines(readingSums) {
		fields := strings.Fields(line)
		e := sharedtest.Must(New(Options{Story: "testdata/reading.z" + fields[0], Seed: 1, Raw: true}))(t)
		w, start := startedWorld(t, e, 0)
		digest := sha256.New()
		_, _ = io.WriteString(digest, start.Observation)
		number := int(fields[0][0] - '0')
		for range turns {
			var said string
			number, said = readingAction(number)
			_, _ = io.WriteString(digest, sharedtest.Must(w.Step(context.Background(), said))(t).Observation)
		}
		if got, want := fmt.Sprintf("%x", digest.Sum(nil))[:32], fields[1+slices.Index(lengths, turns)]; got != want {
			t.Errorf("version %s: the digest of %d turns is %s, want %s", fields[0], turns, got, want)
		}
	}
}
