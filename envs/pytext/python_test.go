package pytext

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"unicode"

	"heldout/envs/sharedtest"
)

// program answers each text, a line of JSON, with what Python makes of it, and begins with the characters of
// each class. A text is also formatted: the slots a, b and c have values.
const program = `
import json, re, sys, unicodedata
known = [chr(i) for i in range(0x110000) if unicodedata.category(chr(i)) not in ("Cn", "Cs")]
print(json.dumps({"Known": "".join(known), "Space": "".join(c for c in known if c.isspace()),
    "SpaceRE": "".join(re.findall(r"\s", "".join(known))), "Word": "".join(re.findall(r"\w", "".join(known))),
    "Digit": "".join(re.findall(r"\d", "".join(known))), "LowerCase": "".join(c for c in known if c.islower()),
    "Alpha": "".join(c for c in known if c.isalpha()), "Print": "".join(c for c in known if c.isprintable())}))
for line in sys.stdin:
    s = json.loads(line)
    try:
        formatted = s.format(a="1", b="{b}", c="")
    except (KeyError, ValueError, IndexError, AttributeError):
        formatted = None
    print(json.dumps({"Strip": s.strip(), "Lower": s.lower(), "Fields": s.split(), "List": str([s, s]),
        "Format": formatted}))
`

// python runs a program, or skips the test.
func python(t testing.TB, program, input string) []byte {
	t.Helper()
	path, err := exec.LookPath("python3")
	if err != nil {
		sharedtest.Absent(t, "python3", "needs Python: install python3")
	}
	c := exec.Command(path, "-c", program)
	c.Stdin = strings.NewReader(input)
	var faults bytes.Buffer
	c.Stderr = &faults
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, faults.String())
	}
	return out
}

// odd are pieces that Python and Go could take differently: white space, final sigmas and what has no lower
// case of one character, marks, digits, braces and quotes.
var odd = []string{"\x1c", "\x1d", "\x1e", "\x1f", "\v", "\f", "\r", "\n", "\t", " ", "\u0085", "\u00a0", "\u1680",
	"\u180e", "\u2003", "\u200b", "\u2028", "\u2029", "\u202f", "\u205f", "\u3000", "\ufeff", "\x00", "\x7f", "Σ", "ΑΣ",
	"ΑΣ'", "Σ.Α", "'Σ", "Σ\u0301", "İ", "I", "ẞ", "ǅ", "Ω", "K", "Ⅷ", "Ⓐ", "\U00010400", "\u0130\u0307", "ᾈ", "Ϗ", "Ꭰ",
	"Ა",
	"½", "٣", "一", "é", "e\u0301", "{", "}", "{{", "}}", "{a}", "{b}", "{c}", "{d}", "{a!r}", "{a:>3}", "{}", "{0}",
	"{ a}", "'",
	`"`, `\`, "a", "B", "<action>", "</action>"}

// Python's strip, split, lower, str.format and repr of lists are ours, and so are the classes of characters, over
// all that both know.
func TestPythonItself(t *testing.T) {
	draw := rand.New(rand.NewPCG(70, 1))
	texts := slices.Clone(odd)
	for range sharedtest.Times(t, 50000, 5000, 200000) {
		text := ""
		for range draw.IntN(8) {
			if draw.IntN(4) == 0 {
				text += string(rune(draw.IntN(0xd800)))
			} else {
				text += odd[draw.IntN(len(odd))]
			}
		}
		texts = append(texts, text)
	}
	var input strings.Builder
	for _, text := range texts {
		input.WriteString(string(sharedtest.Must(json.Marshal(text))(t)) + "\n")
	}
	answers := json.NewDecoder(bytes.NewReader(python(t, program, input.String())))
	var classes struct{ Known, Space, SpaceRE, Word, Digit, LowerCase, Alpha, Print string }
	sharedtest.OK(t, answers.Decode(&classes))
	for name, c := range map[string]struct {
		python string
		ours   func(rune) bool
	}{"isspace": {classes.Space, IsSpace}, `\s`: {classes.SpaceRE, IsSpace}, `\w`: {classes.Word, IsWord},
		`\d`:      {classes.Digit, func(r rune) bool { return unicode.Is(unicode.Nd, r) }},
		"islower": {classes.LowerCase, IsLower}, "isalpha": {classes.Alpha, unicode.IsLetter},
		"isprintable": {classes.Print, unicode.IsPrint}} {
		is := map[rune]bool{}
		for _, r := range c.python {
			is[r] = true
		}
		for _, r := range classes.Known {
			// Those five are since Unicode 15.
			later := name == "islower" && strings.ContainsRune("\u10fc\ua7f2\ua7f3\ua7f4\uab69", r)
			if c.ours(r) != is[r] && !later {
				t.Errorf("%s of %U is %v", name, r, is[r])
			}
		}
	}
	known := map[rune]bool{}
	for _, r := range classes.Known {
		known[r] = true
	}
	faults := 0
	for _, text := range texts {
		var want struct {
			Strip, Lower, List string
			Fields             []string
			Format             *string
		}
		sharedtest.OK(t, answers.Decode(&want))
		if strings.ContainsFunc(text, func(r rune) bool { return !known[r] }) {
			continue // Python's Unicode is another version
		}
		for what, pair := range map[string][2]string{"strip": {Strip(text), want.Strip},
			"lower": {Lower(text), want.Lower}, "list": {List([]string{text, text}), want.List},
			"split": {fmt.Sprintf("%q", Fields(text)), fmt.Sprintf("%q", want.Fields)}} {
			if pair[0] != pair[1] && faults < 20 {
				faults++
				t.Errorf("%s of %+q is %+q, want %+q", what, text, pair[0], pair[1])
			}
		}
		got, err := Format(text, map[string]string{"a": "1", "b": "{b}", "c": ""})
		if plain := !strings.ContainsAny(text, "!:"); err == nil && (want.Format == nil || got != *want.Format) ||
			err != nil && want.Format != nil && plain {
			t.Errorf("format of %+q is %+q, %v", text, got, err)
		}
	}
}
