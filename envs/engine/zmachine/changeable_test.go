package zmachine

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"heldout/envs/sharedtest"
)

// lowlightCommands save, restore, win the game, restart and restore again.
const lowlightCommands = "save/down/wait/restore/script/unscript/undo/again/examine me/xyzzy/look, then inventory/" +
	"west/turn windlass/take key/north/take all/south/west/take matches/light lantern/east/east/" +
	"east/push slab/down/take crank/up/west/north/unlock door with key/north/down/take can/fill can/up/up/" +
	"wind clockwork/up/fill lamp/light lamp/undo/restart/west/restore/wait"

// changeable returns a story whose memory may change up to an address. Its header does not
// say so, because Inform's parser finds the grammar where the header says that static
// memory begins; and the header could say no address above 64 KB.
func changeable(s *Story, end int) *Story {
	c := *s
	c.dynamic, c.code = end, make(code, s.Size())
	return &c
}

// twins are two machines that play the same in different ways.
type twins struct{ plain, other *Machine }

// fatal is what testing's T and rapid's T have in common.
type fatal interface {
	Helper()
	Fatalf(string, ...any)
}

// both does something with each machine, and reports a difference.
func (w twins) both(t fatal, what string, do func(m *Machine) error) {
	t.Helper()
	errs := [2]string{fmt.Sprint(do(w.plain)), fmt.Sprint(do(w.other))}
	if errs[0] != errs[1] {
		t.Fatalf("%s: error %s, the other %s", what, errs[0], errs[1])
	}
	a, b := w.plain, w.other
	if !bytes.Equal(a.capture, b.capture) || a.captured != b.captured {
		t.Fatalf("%s: shown %q, the other %q", what, a.capture[:a.captured], b.capture[:b.captured])
	}
	if !bytes.Equal(a.mem, b.mem) {
		t.Fatalf("%s: memory: %s", what, cmp.Diff(a.mem, b.mem))
	}
	if a.Spent() != b.Spent() {
		t.Fatalf("%s: spent %d, the other %d", what, a.Spent(), b.Spent())
	}
	if s, r := a.inUse(), b.inUse(); !reflect.DeepEqual(s, r) {
		t.Fatalf("%s: %s", what, cmp.Diff(s, r, cmp.Exporter(func(reflect.Type) bool { return true })))
	}
}

// inUse is the state without what has been on the stack and is no more.
func (m *Machine) inUse() state {
	s := m.state
	clear(s.stack[s.sp:])
	clear(s.frames[s.depth:])
	s.fault, s.saved = nil, nil // compared as an error; holds code
	return s
}

// playChangeable plays a story as it is, and with its code in memory that may change: all
// of it, and half of it. It returns what was shown.
func playChangeable(t fatal, s *Story, seed int, commands []string) string {
	t.Helper()
	var all bytes.Buffer
	for _, end := range []int{s.Size(), (s.dynamic + s.Size()) / 2} {
		w := twins{New(s, Options{Seed: seed}), New(changeable(s, end), Options{Seed: seed})}
		w.both(t, "start", (*Machine).Start)
		for _, c := range commands {
			w.both(t, c, func(m *Machine) error {
				m.ClearCapture()
				return m.Step(c)
			})
			all.Write(w.plain.capture[:w.plain.captured])
		}
	}
	return all.String()
}

// Instructions that may change are decoded anew each time, and nothing is known of what follows
// them. They do the same as in constant memory, and cost the same.
func TestChangeableCode(t *testing.T) {
	const won = "The wicks catch one after the other"
	if text := playChangeable(t, lowlight(t), 1, strings.Split(lowlightCommands, "/")); !strings.Contains(text, won) {
		t.Errorf("%q is not in %q", won, text)
	}
}

// A story changes an instruction of its own, which says what it prints.
func TestCodeChanges(t *testing.T) {
	code := append([]byte{0xE5, 0x7F, 'a'}, read5...)
	code = append(code, 0xE2, 0x17, (miniCode+2)>>8, (miniCode+2)&0xFF, 0, 'b') // storeb
	code = append(code, 0x8C, 0xFF, byte(-1-len(code)))                         // to the beginning
	image := mini(5, code...)
	binary.BigEndian.PutUint16(image[headerStatic:], miniCode+uint16(len(code)))
	m := New(load(t, image), Options{})
	sharedtest.OK(t, m.Start())
	for _, want := range []string{"a", "b", "b"} { // what waits to be shown is shown at the read
		sharedtest.OK(t, m.Step("x"))
		sharedtest.Equal(t, strings.TrimSpace(shown(m)), want)
	}
}

func TestChangeableCodeOfGames(t *testing.T) {
	folder := filepath.Join(sharedtest.AgentBoard(t), "jericho/z-machine-games-master/jericho-game-suite")
	var bindings struct {
		Games map[string]struct {
			ROM, Walkthrough string
			Seed             int
		}
	}
	sharedtest.JSON(t, "jericho/thirdparty_jericho_bindings_20.json", &bindings)
	for _, name := range sharedtest.Sample(t, slices.Sorted(maps.Keys(bindings.Games)), 2) {
		g := bindings.Games[name]
		t.Run(name, func(t *testing.T) {
			b := sharedtest.Must(os.ReadFile(filepath.Join(folder, g.ROM)))(t)
			playChangeable(t, load(t, b), g.Seed, strings.Split(g.Walkthrough, "/"))
		})
	}
}

func TestAnyChangeableCode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := sharedtest.Must(Load(anyStory(t)))(t)
		commands := rapid.SliceOfN(rapid.StringMatching(`[a-c]{2}`), 1, 5).Draw(t, "commands")
		m := New(s, Options{Seed: 1})
		sharedtest.OK(t, m.Start())
		// A command that fails may write where only the other story may.
		if n := slices.IndexFunc(commands, func(c string) bool { return m.Step(c) != nil }); n >= 0 {
			commands = commands[:n]
		}
		playChangeable(t, s, 1, commands)
	})
}
