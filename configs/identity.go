package configs

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Identity says which agent plays from outside heldout, besides its name: a function, a
// program behind a server, a loop over the environments. On the command line and in lists,
// each field is KEY=VALUE. The zero Identity says nothing.
type Identity struct {
	Version  string         `json:"version,omitempty"`  // what its author calls it
	Source   string         `json:"source,omitempty"`   // a hash of its source, in hex
	Sampling map[string]any `json:"sampling,omitempty"` // how replies are sampled where heldout has no say in it
}

const wantIdentity = `want version=TEXT, source=HASH or sampling={"NAME": VALUE}`

// longestSampling is the largest size of what says how replies are sampled, in bytes.
const longestSampling = 4096

var sourceHash = regexp.MustCompile(`^[0-9a-f]{8,64}$`)

// IsHash reports whether a text is a hash as agents of the user's give them: 8 to 64 hex digits.
func IsHash(text string) bool { return sourceHash.MatchString(text) }

// UnmarshalYAML implements yaml.InterfaceUnmarshaler.
func (i *Identity) UnmarshalYAML(read func(any) error) error {
	var list Strings
	if read(&list) == nil {
		return i.Replace(list)
	}
	var named struct {
		Version  *string        `yaml:"version"`
		Source   *string        `yaml:"source"`
		Sampling map[string]any `yaml:"sampling"`
	}
	if err := read(&named); err != nil {
		return err
	}
	var errs []error
	*i = Identity{}
	for key, text := range map[string]*string{"version": named.Version, "source": named.Source} {
		if text != nil {
			errs = append(errs, i.set(key, *text))
		}
	}
	if named.Sampling != nil {
		b, err := json.Marshal(named.Sampling)
		errs = append(errs, err, i.set("sampling", string(b)))
	}
	return errors.Join(errs...)
}

// CheckPlayer reports a name of a player that tables cannot show.
func CheckPlayer(name string) error { return checkPlain("name", name) }

func checkPlain(field, text string) error {
	if n := utf8.RuneCountInString(text); n == 0 || n > longestName || strings.TrimSpace(text) != text ||
		strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return fmt.Errorf("the %s %.100q of a player has %d characters, want 1 to %d that print, without blanks at its ends",
			field, text, n, longestName)
	}
	return nil
}

func (i *Identity) set(key, value string) error {
	switch key = strings.TrimSpace(key); key {
	case "version":
		if err := checkPlain("version", value); err != nil {
			return err
		}
		i.Version = value
	case "source":
		if !IsHash(value) {
			return fmt.Errorf("the source %.100q of a player is no hash: want 8 to 64 digits from 0 to 9 and a to f", value)
		}
		i.Source = value
	case "sampling":
		// Numbers keep their digits, because ids are hashes of them.
		d := json.NewDecoder(strings.NewReader(value))
		d.UseNumber()
		i.Sampling = nil
		if err := d.Decode(&i.Sampling); err != nil || d.More() || len(i.Sampling) == 0 ||
			len(value) > longestSampling {
			return fmt.Errorf("the sampling of a player is %.100q, want a JSON object of at most %d bytes, such as "+
				`{"temperature": 0.7}`, value, longestSampling)
		}
	default:
		return fmt.Errorf("a player has no %.100q; %s", key, wantIdentity)
	}
	return nil
}

// Zero reports whether the identity says nothing.
func (i Identity) Zero() bool { return i.Version == "" && i.Source == "" && len(i.Sampling) == 0 }

// Equal reports whether both say the same.
func (i Identity) Equal(o Identity) bool {
	a, err := json.Marshal(i)
	b, err2 := json.Marshal(o)
	return errors.Join(err, err2) == nil && bytes.Equal(a, b)
}

// Append reads one more text.
func (i *Identity) Append(s string) error {
	key, value, ok := strings.Cut(s, "=")
	if !ok {
		return fmt.Errorf("%.100q says nothing about a player; %s", s, wantIdentity)
	}
	return i.set(key, value)
}

// Replace reads the texts of an identity.
func (i *Identity) Replace(values []string) error {
	*i = Identity{}
	return Each(values, i.Append)
}

// GetSlice returns the texts that Append reads.
func (i *Identity) GetSlice() (values []string) {
	if i.Version != "" {
		values = append(values, "version="+i.Version)
	}
	if i.Source != "" {
		values = append(values, "source="+i.Source)
	}
	if len(i.Sampling) > 0 {
		text, _ := json.Marshal(i.Sampling) // what was read can be written
		values = append(values, "sampling="+string(text))
	}
	return values
}
