package zmachine

import (
	"encoding/binary"
	"errors"
	"testing"
)

// play runs a story that may be broken: nothing may panic, and every step ends within its budget.
func play(t *testing.T, image []byte, command string) {
	s, err := Load(image)
	if err != nil {
		return
	}
	const budget = 100_000
	m := New(s, Options{Budget: budget, Seed: 1})
	m.Dictionary()
	for n := range uint16(40) {
		m.Object(n)
	}
	check := func(err error) {
		if m.Spent() > budget+1<<16 {
			t.Fatalf("a step took %d instructions of %d", m.Spent(), budget)
		}
		if f, ok := errors.AsType[*Fault](err); err != nil && (!ok || f != m.fault || f.Error() == "") {
			t.Fatalf("%v, but the machine says %v", err, m.fault)
		}
		m.Capture()
		m.ClearCapture()
	}
	check(m.Start())
	at := m.Snapshot()
	for range 2 {
		for range 3 {
			check(m.Step(command))
		}
		if err := m.Restore(at); err != nil || !m.Snapshot().Equal(at) {
			t.Fatalf("restoring failed: %v", err)
		}
	}
	m.DecodeText(int(binary.BigEndian.Uint16(append([]byte(command), 0, 0))), false)
}

// FuzzCode plays small stories with any code, in any version.
func FuzzCode(f *testing.F) {
	f.Add(byte(5), append([]byte{0xB2, 0x94, 0xA5, 0xBB}, read5...), "look")
	f.Add(byte(3), append([]byte{0xE5, 0x7F, 'x'}, read3...), "take lamp, then go")
	f.Add(byte(8), append([]byte{0xF6, 0x7F, 1, 0, 0xBE, 9, 0xFF, 0}, read5...), "a\nb")
	f.Add(byte(4), []byte{0xF3, 0x4F, 3, 0x02, 0x00, 0xFE, 0x00, 2, 0, 255, 255, 255, 255, 0, 1}, "")
	f.Fuzz(func(t *testing.T, version byte, code []byte, command string) {
		play(t, mini(version, code...), command)
	})
}

// FuzzPatch plays a real story with bytes of it changed: of every four of the
// patch, three are the place and one is the value.
func FuzzPatch(f *testing.F) {
	base := lowlight(f).image
	f.Add([]byte{0, 0, 0x0B, 0xFF}, "look")
	f.Add([]byte{0, 0x30, 0xF5, 0xBA, 0, 0x22, 0xF7, 0xFF}, "take all")
	f.Add([]byte{}, "examine \xc3\xa9, then wait")
	f.Fuzz(func(t *testing.T, patch []byte, command string) {
		image := append([]byte(nil), base...)
		for ; len(patch) >= 4; patch = patch[4:] {
			at := int(patch[0])<<16 | int(patch[1])<<8 | int(patch[2])
			image[at%len(image)] = patch[3]
		}
		play(t, image, command)
	})
}
