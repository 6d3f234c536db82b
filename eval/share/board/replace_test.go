package board

import (
	"os"
	"path/filepath"
	"testing"

	"heldout/envs/sharedtest"
	"heldout/scoring/record"
)

// A new site takes the place of the one before. One that a killed process had moved away, and not
// replaced, gets its name back.
func TestReplace(t *testing.T) {
	out := filepath.Join(t.TempDir(), "site")
	writeSite(t, out, "old")
	work := sharedtest.Must(record.OpenWorkplace(out))(t)
	if err := os.Rename(out, work.Path(replacedSite)); err != nil { // and here the process was killed
		t.Fatal(err)
	}
	if err := os.Rename(work.Dir, work.Dir+"1"); err != nil { // its lock is free then
		t.Fatal(err)
	}
	sharedtest.OK(t, work.Close())
	sharedtest.OK(t, os.Rename(work.Dir+"1", work.Dir))
	work = sharedtest.Must(openWorkplace(out))(t)
	wantSite(t, out, "old")
	writeSite(t, work.Path("site"), "new")
	sharedtest.OK(t, replace(work, work.Path("site"), out))
	wantSite(t, out, "new")
	sharedtest.OK(t, work.Close())
	sharedtest.Equal(t, len(sharedtest.Must(os.ReadDir(filepath.Dir(out)))(t)), 1, "beside the site")
}

func writeSite(t *testing.T, dir, content string) {
	t.Helper()
	sharedtest.OK(t, os.MkdirAll(dir, 0o755))
	sharedtest.OK(t, os.WriteFile(filepath.Join(dir, "index.html"), []byte(content), 0o600))
}

func wantSite(t *testing.T, dir, want string) {
	t.Helper()
	if b, err := os.ReadFile(filepath.Join(dir, "index.html")); err != nil || string(b) != want {
		t.Errorf("the site is %q, %v; want %q", b, err, want)
	}
}
