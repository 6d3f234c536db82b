package official

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// tight are limits for tests.
var tight = limits{members: 20, file: 1 << 10, total: 1 << 20, ratio: 50, slack: 1 << 12, directory: 1 << 12}

// walkBytes walks an archive that a test made, and returns what was visited.
func walkBytes(t testing.TB, archive []byte, l limits) (names, links []string, err error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "archive")
	check(t, os.WriteFile(file, archive, 0o600))
	about, err := walkArchive(context.Background(), file, l, func(name string, _ int64, content io.Reader) error {
		names = append(names, name)
		_, err := io.Copy(io.Discard, content)
		return err
	})
	return names, about.links, err
}

func TestWalk(t *testing.T) {
	members := []member{{name: "./a/b.txt", content: "b"}, {name: "a/c", content: "target", link: true},
		{name: "big", content: strings.Repeat("x", 2000)}, {name: "d", content: "d"}}
	for kind, archive := range map[string][]byte{"tar.gz": tarGz(t, members...), "zip": zipped(t, members...),
		"tar": unzipped(t, tarGz(t, members...))} {
		names, links, err := walkBytes(t, archive, tight)
		if err != nil || !slices.Equal(names, []string{"a/b.txt", "d"}) || !slices.Equal(links, []string{"a/c"}) {
			t.Errorf("%s: %q, links %q, %v", kind, names, links, err)
		}
	}
}

func unzipped(t testing.TB, b []byte) []byte {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(b))
	check(t, err)
	out, err := io.ReadAll(z)
	check(t, err)
	return out
}

func TestMaliciousArchives(t *testing.T) {
	many := make([]member, 21)
	for i := range many {
		many[i] = member{name: "x"}
	}
	zeros := strings.Repeat("\x00", 1<<19)
	for want, members := range map[string][]member{
		`"../../etc/passwd" whose name leads outside`: {{name: "../../etc/passwd", content: "x"}},
		`"/etc/passwd" whose name leads outside`:      {{name: "/etc/passwd", content: "x"}},
		`"a\\..\\b" whose name leads outside`:         {{name: `a\..\b`, content: "x"}},
		`"a/../../b" whose name leads outside`:        {{name: "a/../../b", link: true, content: "/etc"}},
		"more than 20 members":                        many,
	} {
		for kind, archive := range map[string][]byte{"tar.gz": tarGz(t, members...), "zip": zipped(t, members...)} {
			if _, _, err := walkBytes(t, archive, tight); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %s", kind, err, want)
			}
		}
	}
	for want, members := range map[string][]member{
		"more than 50 times its size": {{name: "a", content: zeros}},
		"more than 1048576 bytes": {{name: "a", content: zeros}, {name: "b", content: zeros},
			{name: "c", content: zeros}},
	} {
		l := tight
		if strings.Contains(want, "bytes") {
			l.ratio = 1 << 20
		}
		if _, _, err := walkBytes(t, tarGz(t, members...), l); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	// A zip whose directory lies about a member's size.
	small := zipped(t, member{name: "a", content: strings.Repeat("\x00", 1<<16)})
	lying := bytes.Clone(small)
	i := bytes.LastIndex(lying, []byte("PK\x01\x02"))
	copy(lying[i+24:], []byte{1, 0, 0, 0})
	if _, _, err := walkBytes(t, lying, tight); err == nil {
		t.Error("a lying zip is no error")
	}
	huge := make([]member, 100)
	for i := range huge {
		huge[i] = member{name: strings.Repeat("n", 50)}
	}
	if _, _, err := walkBytes(t, zipped(t, huge...), tight); err == nil ||
		!strings.Contains(err.Error(), "directory is too large") {
		t.Error(err)
	}
}

func TestDamagedArchives(t *testing.T) {
	content := labels("babyai", 8)
	for kind, archive := range map[string][]byte{"tar.gz": tarGz(t, member{name: "a", content: content}),
		"zip": zipped(t, member{name: "a", content: content})} {
		for name, damage := range map[string]func([]byte) []byte{
			"half":      func(b []byte) []byte { return b[:len(b)/2] },
			"last byte": func(b []byte) []byte { return b[:len(b)-1] },
			"a bit":     func(b []byte) []byte { b[len(b)-12] ^= 16; return b },
		} {
			if _, _, err := walkBytes(t, damage(bytes.Clone(archive)), tight); err == nil || errors.Is(err, errPlain) {
				t.Errorf("%s, %s: %v", kind, name, err)
			}
		}
	}
	for _, plain := range []string{"", "x", "<!DOCTYPE html>", strings.Repeat("z", 600)} {
		if _, _, err := walkBytes(t, []byte(plain), tight); !errors.Is(err, errPlain) {
			t.Errorf("%.20q: %v", plain, err)
		}
	}
}

// FuzzWalkArchive: no archive leads to a panic, to names that lead outside or to
// more content than the limits allow.
func FuzzWalkArchive(f *testing.F) {
	members := []member{{name: "a/b.txt", content: "b"}, {name: "c", content: "d", link: true}}
	f.Add(tarGz(f, members...))
	f.Add(zipped(f, members...))
	f.Add(unzipped(f, tarGz(f, members...)))
	f.Fuzz(func(t *testing.T, archive []byte) {
		names, _, _ := walkBytes(t, archive, tight)
		for _, name := range names {
			if !filepath.IsLocal(name) {
				t.Errorf("%q leads outside", name)
			}
		}
	})
}
