//go:build linux

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"heldout/envs/sharedtest"
)

// built stands for the stage of the Containerfile that compiles, which needs a registry.
const built = `FROM scratch AS build
COPY heldout /heldout
COPY image /image
COPY ca-certificates.crt /etc/ssl/certs/
`

// The image's last stage is built as it stands in the Containerfile. Its program runs
// without root and writes to the mounted working directory and to nothing else.
func TestImage(t *testing.T) {
	switch _, err := exec.LookPath("buildah"); {
	case !sharedtest.Long():
		t.Skip("the long form builds the image: set HELDOUT_LONG=1")
	case err != nil:
		sharedtest.Absent(t, "buildah", "install buildah")
	case os.Getuid() != 0:
		t.Skip("building without a daemon needs root here: run the test as root")
	}
	of := func(dir, name string, args ...string) (string, error) {
		c := exec.CommandContext(t.Context(), name, args...)
		c.Dir, c.Env = dir, append(os.Environ(), "CGO_ENABLED=0")
		out, err := c.CombinedOutput()
		return string(out), err
	}
	dir := t.TempDir()
	work := filepath.Join(dir, "work")
	must := func(out string, err error) string {
		t.Helper()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return out
	}
	for _, made := range []string{work, filepath.Join(dir, "image", "tmp")} {
		sharedtest.OK(t, os.MkdirAll(made, 0o777))
		if err := os.Chmod(made, 0o777|os.ModeSticky); err != nil { // whatever the umask is
			t.Fatal(err)
		}
	}
	text := sharedtest.Must(os.ReadFile(filepath.Join("..", "..", "Containerfile")))(t)
	_, last, ok := strings.Cut(string(text), "\nFROM scratch\n")
	if !ok {
		t.Fatal("the Containerfile has no last stage from scratch")
	}
	for name, content := range map[string]string{
		"Containerfile": built + "\nFROM scratch\n" + last, "ca-certificates.crt": "",
	} {
		sharedtest.OK(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644))
	}
	must(of(".", "go", "build", "-o", filepath.Join(dir, "heldout"), "."))

	buildah := func(args ...string) (string, error) {
		store := []string{"--root", filepath.Join(dir, "root"), "--runroot", filepath.Join(dir, "run"),
			"--storage-driver", "vfs"}
		return of(dir, "buildah", append(store, args...)...)
	}
	must(buildah("bud", "--isolation", "chroot", "-q", "-t", "heldout", "."))
	container := strings.TrimSpace(must(buildah("from", "heldout")))
	run := func(args ...string) (string, error) {
		return buildah(append([]string{"run", "--isolation", "chroot", "-v", work + ":/work", container, "--",
			"/heldout"}, args...)...)
	}
	play := []string{"run", "--env", "pddl", "--limit", "2", "--model", "expert", "--quiet", "--out"}
	must(run(append(play, "r")...)) // in the working directory
	info := sharedtest.Must(os.Stat(filepath.Join(work, "r", "episodes.jsonl")))(t)
	sharedtest.Equal(t, info.Sys().(*syscall.Stat_t).Uid, 65532, "records are of user")
	must(run("bundle", "r", "--out", "r.heldout"))
	if out, err := run(append(play, "/elsewhere")...); err == nil || !strings.Contains(out, "permission denied") {
		t.Errorf("it writes elsewhere: %v\n%s", err, out)
	}
}
