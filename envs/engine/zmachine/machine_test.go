package zmachine

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"heldout/envs/sharedtest"
)

// Where mini puts things.
const (
	miniGlobals = 0x040
	miniObjects = 0x240
	miniBuffer  = 0x300 // text buffer, and behind it the parse buffer
	miniNoName  = 0x200 // there is no property, and no name
	miniParse   = 0x3E0
	miniStatic  = 0x400
	miniDict    = 0x400
	miniCode    = 0x420
)

// mini makes a story whose code is the given instructions.
func mini(version byte, code ...byte) []byte {
	image := make([]byte, miniCode, miniCode+len(code)+64)
	image[0] = version
	for at, v := range map[int]int{
		headerStart: miniCode, headerDictionary: miniDict, headerObjects: miniObjects,
		headerGlobals: miniGlobals, headerStatic: miniStatic,
	} {
		binary.BigEndian.PutUint16(image[at:], uint16(v))
	}
	image[miniBuffer], image[miniParse] = 100, 10
	image[miniObjects+31*2+7] = miniNoName >> 8 // of object 1, up to version 3
	image[miniDict+1] = 7                       // no separators, entries of seven bytes, none
	image = append(image, code...)
	return append(image, make([]byte, 64)...)
}

// read waits for a line, in versions 3 and 5.
var (
	read3 = []byte{0xE4, 0x0F, miniBuffer >> 8, miniBuffer & 0xFF, miniParse >> 8, miniParse & 0xFF}
	read5 = append(read3[:6:6], 0)
)

func load(t testing.TB, image []byte) *Story {
	t.Helper()
	return sharedtest.Must(Load(image))(t)
}

// shown takes what was captured.
func shown(m *Machine) string {
	b := m.Capture()
	text := string(b[:bytes.IndexByte(b, 0)])
	m.ClearCapture()
	return text
}

// lowlight loads the story of the environment.
func lowlight(t testing.TB) *Story {
	t.Helper()
	return load(t, sharedtest.Must(os.ReadFile("../../jericho/lowlight/lowlight.z5"))(t))
}

func TestLoadRefuses(t *testing.T) {
	change := func(at int, v byte) []byte {
		b := mini(5)
		b[at] = v
		return b
	}
	for want, image := range map[string][]byte{
		"shorter than its header":             make([]byte, 63),
		"longer than the largest":             make([]byte, maxStory+1),
		"version 6":                           change(0, 6),
		"version 0":                           change(0, 0),
		"version 9":                           change(0, 9),
		"its static memory starts at 0xff00":  change(headerStatic, 0xFF),
		"its static memory starts at 0x0":     append([]byte{5}, make([]byte, 100)...),
		"its first instruction is at 0xff20":  change(headerStart, 0xFF),
		"its global variables cannot be writ": change(headerGlobals, 0x10),
		"are missing: fetch it again":         change(headerLength, 0xFF),
	} {
		sharedtest.Fails(t, sharedtest.Err(Load(image)), want)
	}
}

// A fault tells where it was, whatever kind of instruction it was.
func TestFaultsTellWhere(t *testing.T) {
	for name, code := range map[string][]byte{
		"storew":    {0xE1, 0x17, 0xFF, 0x00, 0, 1},
		"storeb":    {0xE2, 0x17, 0xFF, 0x00, 0, 1},
		"test_attr": {0x0A, 1, 48, 0xC2},
		"add":       {0x54, 0, 1, 0x10}, // from the empty stack
		"set_attr":  {0x0B, 1, 48},
		"jump":      {0x8C, 0xFF, 0xFF}, // to itself
	} {
		s := load(t, mini(5, append([]byte{0xB4, 0x0D, 0x10, 1}, code...)...))
		for where, s := range map[string]*Story{"": s, " that may change": changeable(s, s.Size())} {
			f, ok := errors.AsType[*Fault](New(s, Options{Budget: 100}).Start())
			if want := miniCode + 4 + len(code); !ok || f.PC != want {
				t.Errorf("%s%s: %v, want it before %#x", name, where, f, want)
			}
		}
	}
}

// Stories that go wrong halt, say why, and stay halted.
func TestFaults(t *testing.T) {
	for name, c := range sharedtest.Table[struct {
		Version byte
		Code    string
		Want    FaultKind
	}](t, "faults.yaml") {
		code := sharedtest.Must(hex.DecodeString(strings.ReplaceAll(c.Code, " ", "")))(t)
		s := load(t, mini(c.Version, code...))
		for _, s := range []*Story{s, changeable(s, s.Size())} {
			m := New(s, Options{Budget: 100_000})
			err := m.Start()
			f, ok := errors.AsType[*Fault](err)
			if !ok || f.Kind != c.Want || !m.Halted() {
				t.Errorf("%s: %v, want %v", name, err, c.Want)
				continue
			}
			sharedtest.Equal(t, m.Step("look"), err, name, "the next step")
		}
	}
}

// A word too long for the buffer is shown as far as it goes before the machine halts.
func TestTextOverflow(t *testing.T) {
	var code []byte
	for range pendingSize {
		code = append(code, 0xE5, 0x7F, 'x')
	}
	m := New(load(t, mini(5, append(code, read5...)...)), Options{})
	if f, ok := errors.AsType[*Fault](m.Start()); !ok || f.Kind != TextOverflow {
		t.Fatal(f)
	}
	if got := shown(m); got != strings.Repeat("x", pendingSize) {
		t.Errorf("%d characters: %q", len(got), got)
	}
}

// The first numbers for seed 1, by the formula of spec §7; counting; and a seed set by the story.
func TestRandom(t *testing.T) {
	var r random
	r.seed(1)
	a := uint32(1)
	for i := range 1000 {
		a = a*22695477 + 1
		if got, want := r.next(100, 7), uint16(a/65536%32768)%100+1; got != want {
			t.Fatalf("draw %d: %d, want %d", i, got, want)
		}
	}
	sharedtest.Equal(t, r.next(-3, 7), 0, "seeding gives a number")
	for i, want := range []uint16{1, 2, 3, 1, 2} {
		sharedtest.Equal(t, r.next(10, 7), want, "counting draw", i)
	}
	r.next(-1000, 7)
	sharedtest.Equal(t, r, random{a: 1000, counter: r.counter}, "seeded with 1000")
	r.next(0, 7)
	if r.a != 7 || r.interval != 0 {
		t.Errorf("seeded again: %+v", r)
	}
}

// What is typed ahead is read later; spec §5.
func TestTypeAhead(t *testing.T) {
	m := New(lowlight(t), Options{})
	sharedtest.OK(t, m.Start())
	shown(m)
	for i, c := range []struct{ action, want string }{
		{"west\nexamine well", "Well Yard"},
		{"north", "Deep and black"}, // not north: the line typed ahead
		{"north", "Shed"},
		{`look\_look`, "Shed"},           // a line break too
		{"zzz", "Shed"},                  // the line typed ahead
		{`lo\ok\nat nets`, "not a verb"}, // backslashes are dropped: "looknat nets"
		{"x nets" + strings.Repeat(" ", 300) + "\nwest", "something you need to refer to"},
		{"south", "Well Yard"}, // the line behind the 198th byte was never there
	} {
		sharedtest.OK(t, m.Step(c.action))
		if got := shown(m); !strings.Contains(got, c.want) {
			t.Errorf("step %d, %q: %q, want %q in it", i, c.action, got, c.want)
		}
	}
}

// Tokens and dictionary: words are found by their first nine letters, separators are words.
func TestTokenise(t *testing.T) {
	m := New(lowlight(t), Options{})
	sharedtest.OK(t, m.Start())
	words := map[string]int{}
	for _, w := range m.Dictionary() {
		words[w.Text] = w.Address
	}
	const buffer, parse = 0x1200, 0x1300
	m.mem[buffer+1] = byte(copy(m.mem[buffer+2:], "take clockworking, zzz.lamp"))
	m.mem[parse] = 20
	m.tokenise(buffer, parse, 0, false)
	want := []struct {
		text       string
		start, len byte
	}{{"take", 2, 4}, {"clockwork", 7, 12}, {",", 19, 1}, {"zzz", 21, 3}, {".", 24, 1}, {"lamp", 25, 4}}
	if n := int(m.mem[parse+1]); n != len(want) {
		t.Fatalf("%d words, want %d", n, len(want))
	}
	for i, w := range want {
		at := parse + 2 + 4*i
		if got := int(m.Word(at)); got != words[w.text] || m.mem[at+2] != w.len || m.mem[at+3] != w.start {
			t.Errorf("word %d: %#x, length %d at %d; want %#x, %+v", i, got, m.mem[at+2], m.mem[at+3], words[w.text], w)
		}
	}
	if words["clockwork"] == 0 || words["zzz"] != 0 {
		t.Error("the dictionary is not what it should be")
	}
}

// The status line of version 3 is written at every read, in three columns.
func TestStatusLine(t *testing.T) {
	m := New(load(t, mini(3, append(read3, read3...)...)), Options{})
	sharedtest.OK(t, m.Start())
	copy(m.mem[miniGlobals:], []byte{0, 1, 0, 5, 0xFF, 0xFF})
	sharedtest.OK(t, m.Step("x"))
	want := " object#1" + strings.Repeat(" ", 98) + "Score: 5" + strings.Repeat(" ", 16) + "Moves: -1" +
		strings.Repeat(" ", 14) + "\n"
	sharedtest.Equal(t, shown(m), want)
}

// Starting again and restoring give the same texts; so does another machine.
func TestSnapshot(t *testing.T) {
	s := lowlight(t)
	m, other := New(s, Options{Seed: 5}), New(s, Options{Seed: 5})
	actions := strings.Split(
		"west/turn windlass/take key/save/north/wait/wait/restore/wait/wait/restart/yes/look/wait", "/")
	play := func(m *Machine) (texts []string) {
		for _, a := range actions {
			sharedtest.OK(t, m.Step(a))
			texts = append(texts, shown(m))
		}
		return texts
	}
	sharedtest.OK(t, errors.Join(m.Start(), other.Start()))
	shown(m)
	at := m.Snapshot()
	want := strings.Join(play(m), "|")
	for _, text := range []string{"Ok.", "Are you sure you want to restart"} {
		if !strings.Contains(want, text) {
			t.Errorf("%q is not in %q", text, want)
		}
	}
	for _, m := range []*Machine{m, other} {
		sharedtest.OK(t, m.Restore(at))
		if !m.Snapshot().Equal(at) {
			t.Error("what was restored is not what was taken")
		}
		sharedtest.Equal(t, strings.Join(play(m), "|"), want)
	}
	sharedtest.Fails(t, New(load(t, mini(5)), Options{}).Restore(at), "", "another story's snapshot was restored")
}

// A step shows the same whether or not the machine was asked for the prompt before.
func TestPrompt(t *testing.T) {
	code := append(slices.Clone(read3), 0xE6, 0x7F, 7, 0xBB, 0x8C, 0xFF, 0xF5) // print 7, new line, again
	play := func(prepare func(*Machine)) (*Snapshot, string) {
		image := mini(3, code...)
		image[miniGlobals+1] = 1 // the place
		m := New(load(t, image), Options{})
		sharedtest.OK(t, m.Start())
		prepare(m)
		for range 2 {
			sharedtest.OK(t, m.Step("a"))
		}
		at := m.Snapshot()
		return at, shown(m)
	}
	plain, want := play(func(*Machine) {})
	if strings.Count(want, "Score:") != 2 || strings.Count(want, "7") != 2 {
		t.Fatalf("two steps show %q", want)
	}
	for name, prepare := range map[string]func(*Machine){
		"once":             func(m *Machine) { m.Prompt() },
		"twice":            func(m *Machine) { m.Prompt(); m.Prompt() },
		"before a start":   func(m *Machine) { m.Prompt(); _ = m.Start() },
		"before a restore": func(m *Machine) { at := m.Snapshot(); m.Prompt(); _ = m.Restore(at) },
	} {
		at, text := play(prepare)
		sharedtest.Equal(t, text, want, name)
		if string(at.memory) != string(plain.memory) || at.state.screen != plain.state.screen {
			t.Errorf("%s: memory or screen is different", name)
		}
	}
}

// Machines share what is decoded of a story, whichever comes to it first.
func TestMachinesShareCode(t *testing.T) {
	play := func(s *Story) (text string) {
		m := New(s, Options{Seed: 1})
		err := m.Start()
		for _, action := range []string{"west", "turn windlass", "take key", "north", "take all", "look", "zzz"} {
			text += shown(m)
			if err == nil {
				err = m.Step(action)
			}
		}
		return fmt.Sprint(text, shown(m), m.Spent(), err)
	}
	want := play(lowlight(t))
	s := lowlight(t)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			sharedtest.Equal(t, play(s), want)
		})
	}
	wg.Wait()
}

// A text is decoded anew when an abbreviation in it has changed.
func TestTextsFollowAbbreviations(t *testing.T) {
	const abbreviations, words = 0x200, 0x210
	text := func(chars ...uint16) []byte {
		w := 0x8000 | chars[0]<<10 | chars[1]<<5 | chars[2]
		return []byte{byte(w >> 8), byte(w)}
	}
	code := append([]byte{0xB2}, text(1, 0, 6)...) // print abbreviation 0 and "a", read,
	code = append(code, read5...)
	second := []byte{(words/2 + 1) >> 8, (words/2 + 1) & 0xFF}
	code = append(code, 0xE1, 0x13, abbreviations>>8, abbreviations&0xFF, 0) // make abbreviation 0 the second word,
	code = append(code, second...)
	code = append(code, 0x8C, 0xFF, byte(-1-len(code))) // and begin again
	image := mini(5, code...)
	image[headerAbbrevs], image[headerAbbrevs+1] = abbreviations>>8, abbreviations&0xFF
	image[abbreviations], image[abbreviations+1] = words/2>>8, words/2&0xFF
	copy(image[words:], append(text(7, 5, 5), text(8, 5, 5)...))
	m := New(load(t, image), Options{})
	for i, want := range []string{"", "ba", "ca", "ca"} { // what waits to be shown is shown after the read
		play := m.Start
		if i > 0 {
			play = func() error { return m.Step("x") }
		}
		err := play()
		if got := strings.TrimSpace(shown(m)); err != nil || got != want {
			t.Errorf("step %d: %q, %v, want %q", i, got, err, want)
		}
	}
}

// Stories of another machine are called by their names.
func TestOtherStories(t *testing.T) {
	for magic, want := range map[string]string{"Glul": "a Glulx story", "FORM": "a Blorb archive",
		"\x1f\x8b": "a gzip file", "G\x00\x00\x00": "version 71"} {
		image := append([]byte(magic), make([]byte, 100)...)
		sharedtest.Fails(t, sharedtest.Err(Load(image)), want, magic)
	}
}

// conformance loads a story of the public test suites, or skips the test.
func conformance(t *testing.T, file string) *Story {
	t.Helper()
	b := sharedtest.Must(os.ReadFile(sharedtest.Data(t, "zmachine/"+file, "the suites czech and praxix, compiled")))(t)
	return load(t, b)
}

// TestCzech runs the suite czech, which needs no input. That it ends with an
// error does not matter: it quits, which does nothing here.
func TestCzech(t *testing.T) {
	for _, file := range []string{"czech.z3", "czech.z4", "czech.z5", "czech.z8"} {
		t.Run(file, func(t *testing.T) {
			m := New(conformance(t, file), Options{Capture: 1 << 20})
			err := m.Start()
			if got := shown(m); !strings.Contains(got, "Failed: 0") || strings.Contains(got, "ERROR") {
				t.Errorf("%s\n%v", got, err)
			}
		})
	}
}

// TestPraxix runs the suite praxix, apart from what it says about undo, which there is not.
func TestPraxix(t *testing.T) {
	m := New(conformance(t, "praxix.z5"), Options{Capture: 1 << 20})
	sharedtest.OK(t, m.Start())
	shown(m)
	sharedtest.OK(t, m.Step("all"))
	for line := range strings.Lines(shown(m)) {
		if strings.Contains(line, "FAIL") && !strings.Contains(strings.ToLower(line), "undo") {
			t.Error(line)
		}
	}
}
