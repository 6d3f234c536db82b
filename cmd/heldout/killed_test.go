//go:build unix

package main

import (
	"bytes"
	"cmp"
	"errors"
	"flag"
	"io/fs"
	"maps"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"heldout/configs"
	"heldout/envs/sharedtest"
	"heldout/envs/stream"
	"heldout/eval/share/bundle"
	"heldout/scoring/record"
)

var (
	killsEach = flag.Int("kills-each", 0, "how often TestKilledCommands kills or stops each command")
	killsSeed = flag.Int64("kills-seed", 1, "seed of the moments of these kills")
)

// varying are the time at which data were imported, the checksum of the record that has it, and
// the folders of a board's bundles.
var varying = regexp.MustCompile(`"retrieved": *"[^"]*"|"heldout-data.json": *{\s*"sha256": *"[^"]*"|` +
	`unpacked-[0-9]+`)

// leftBehind matches temporary files, and what is set aside of a line that a kill left unfinished.
var leftBehind = regexp.MustCompile(regexp.QuoteMeta(record.Unfinished) +
	`[0-9]*(/|$)|/calls\.set-aside$|^run/episodes\.set-aside$`)

// snapshot returns the files below a directory, without times and without those that match
// a form. Lines that were set aside may be there twice.
func snapshot(t *testing.T, dir, without string) map[string]string {
	t.Helper()
	files, left := map[string]string{}, regexp.MustCompile(cmp.Or(without, "^$"))
	sharedtest.OK(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(dir, path)
		if err != nil || d.IsDir() || leftBehind.MatchString(name) || left.MatchString(name) {
			return err
		}
		b, err := os.ReadFile(path)
		if files[name] = varying.ReplaceAllString(string(b), ""); strings.HasSuffix(name, "set-aside") {
			lines := strings.SplitAfter(strings.TrimSuffix(files[name], "\n")+"\n", "\n")
			slices.Sort(lines)
			files[name] = strings.Join(slices.Compact(lines), "")
		}
		return err
	}))
	return files
}

// A command that writes is killed, interrupted and terminated at random moments, and started
// again until it ends. After each time, each file is as it was or as it will be, and nothing
// else changes; in the end all is as without kills: nothing is lost, doubled or changed.
//
// It is a sample. 10,000 times: go test ./cmd/heldout -run TestKilledCommands -kills-each 310 -timeout 2h
func TestKilledCommands(t *testing.T) {
	sharedtest.Heavy(t)
	t.Parallel()
	from := t.TempDir()
	server := httptest.NewServer(&fakeServer{context: 16384})
	t.Cleanup(server.Close) // once the parallel tests have ended
	material(t, from, server.URL)
	most := cmp.Or(*killsEach, 1)
	every := sharedtest.Every(t, 4, 4)
	for i, c := range killedCommands(t) {
		if i%every != 0 && *killsEach == 0 {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			k := &killing{T: t, c: c, from: from, server: server.URL, dir: filepath.Join(t.TempDir(), "series", "work"),
				rng: stream.New(*killsSeed, "kills", c.Name)}
			k.undisturbed()
			for k.hits < most && !t.Failed() {
				k.series(most-k.hits, i)
			}
			for j, limit := range limits {
				if c.Beside == "" && (j == i%len(limits) || *killsEach > 0) {
					k.limited(limit)
				}
			}
			t.Logf("%d hits in %d runs", k.hits, k.runs)
		})
	}
}

// killing is how a command is killed, and what it leaves without kills.
type killing struct {
	*testing.T
	c            killedCommand
	from, server string
	rng          *rand.Rand
	took         time.Duration
	before, want map[string]string
	hits, runs   int

	dir           string    // in which it works
	limit         string    // a command of the shell before it
	processes     []*killed // the command, and the one beside it
	printed, said bytes.Buffer
}

// begin prepares the folder anew, and the processes in it.
func (k *killing) begin() {
	k.Helper()
	k.runs++
	err := errors.Join(os.RemoveAll(filepath.Dir(k.dir)), os.MkdirAll(k.dir, 0o777))
	if len(k.c.Needs) > 0 {
		copying := exec.Command("cp", append(append([]string{"-R"}, k.c.Needs...), k.dir)...)
		copying.Dir = k.from
		err = errors.Join(err, copying.Run())
	}
	sharedtest.OK(k, err)
	places := strings.NewReplacer("$SERVER", k.server, "$PORT", freePort(k))
	start := func(command string) *killed {
		return &killed{b: k, command: func() *exec.Cmd {
			words := []string{"-c", cmp.Or(k.limit, ":") + ` && exec "$0" "$@"`, "heldout"}
			cmd := exec.Command("sh", append(words, strings.Fields(places.Replace(command))...)...)
			cmd.Dir, cmd.Env = k.dir, append(os.Environ(), "TMPDIR="+filepath.Dir(k.dir))
			return cmd
		}}
	}
	k.processes = []*killed{start(k.c.Args)}
	main := k.processes[0].command
	k.processes[0].command = func() *exec.Cmd {
		cmd := main()
		k.printed.Reset()
		k.said.Reset()
		cmd.Stdout, cmd.Stderr = &k.printed, &k.said
		return cmd
	}
	if k.c.Beside != "" {
		k.processes = append(k.processes, start(k.c.Beside))
	}
}

// end lets the command come to its end, and the one beside it.
func (k *killing) end() {
	k.Helper()
	for main := k.processes[0]; !main.succeeded(); {
		k.keep()
		select {
		case <-main.done:
			if !main.succeeded() {
				k.Fatalf("%v: %s", main.cmd.ProcessState, &k.said)
			}
		case <-k.processes[len(k.processes)-1].done:
		}
	}
	for _, p := range k.processes {
		p.end()
	}
}

func (k *killing) keep() {
	for _, p := range k.processes {
		p.keep()
	}
}

// left returns the files that remain once the command has ended.
func (k *killing) left() map[string]string {
	k.Helper()
	files := snapshot(k.T, k.dir, k.c.Times)
	if k.c.Shown {
		files["standard output"] = k.printed.String()
	}
	if k.c.Run != "" {
		dir, file := filepath.Join(k.dir, k.c.Run), k.dir+bundle.Extension
		checkEpisodes(k.T, dir)
		sharedtest.OK(k, sharedtest.Err(bundle.Create(k.Context(), file, []record.Parts{{dir}}, configs.About{}, "")))
		content := sharedtest.Must(os.ReadFile(file))(k)
		files["bundle"] = string(content)
	}
	return files
}

// undisturbed lets the command run without a kill.
func (k *killing) undisturbed() {
	k.begin()
	k.before = snapshot(k.T, k.dir, "")
	begun := time.Now()
	k.end()
	k.took, k.want = time.Since(begun), k.left()
}

// signals end a command: each of them in its turn.
var signals = []syscall.Signal{syscall.SIGKILL, syscall.SIGINT, syscall.SIGTERM}

// series ends the command up to so many times, and lets it come to its end then. Others begin with another signal.
func (k *killing) series(most, first int) {
	k.begin()
	for range min(1+k.rng.IntN(6), most) {
		if k.complete() {
			break
		}
		k.keep()
		select {
		case <-k.processes[0].done:
		case <-time.After(time.Duration(k.rng.Int64N(int64(k.took)))): // the moment of the signal
		}
		victim := k.processes[k.rng.IntN(len(k.processes))]
		if k.processes[0].succeeded() {
			break
		}
		how := signals[(first+k.hits)%len(signals)]
		if victim.stop(how) {
			k.hits++
		} else if k.runs > 20*(k.hits+1) {
			k.Fatalf("%v does not end it", how)
		}
		k.whole()
		if said := k.said.String(); strings.Count("\n"+said, "\nheldout: ") > 1 || strings.Contains(said, "goroutine") {
			k.Errorf("it says %s", said)
		}
	}
	k.finish()
}

// complete reports that what the command refuses to write again is there.
func (k *killing) complete() bool {
	_, err := os.Stat(filepath.Join(k.dir, k.c.Done))
	return k.c.Done != "" && err == nil
}

// finish lets the command come to its end, and compares what it leaves.
func (k *killing) finish() {
	k.Helper()
	if !k.complete() {
		k.end()
	}
	if now := k.left(); !maps.Equal(now, k.want) {
		k.Errorf("in the end there are %q, want %q", differing(now, k.want), differing(k.want, now))
	}
}

// limits make the machine lack room for files, open files, or the right to write.
var limits = []string{"ulimit -f 1", "ulimit -n 16", "ulimit -f 33", "chmod -R a-w . && " +
	`if [ $(id -u) = 0 ]; then exec setpriv --bounding-set=-all "$0" "$@"; fi`}

// limited runs the command where the machine lacks something, and then where it does not.
func (k *killing) limited(limit string) {
	k.begin()
	main := k.processes[0]
	k.limit = limit
	main.keep()
	<-main.done
	k.limit = ""
	if out, err := exec.Command("chmod", "-R", "u+w", k.dir).CombinedOutput(); err != nil {
		k.Fatalf("%v: %s", err, out)
	}
	code, said := main.cmd.ProcessState.ExitCode(), k.said.String()
	hidden := strings.Contains(said, "file resize error") // the index's database does not say of which kind
	if code != exitMachine && code != exitOK && !hidden ||
		strings.Count("\n"+said, "\nheldout: ") > 1 || strings.Contains(said, "goroutine") {
		k.Errorf("under %s: exit code %d: %s", limit, code, said)
	}
	k.whole()
	k.finish()
}

// stop ends the process by a signal, and reports whether it did: the process may have come to its end before.
func (k *killed) stop(s syscall.Signal) bool {
	_ = k.cmd.Process.Signal(s) // it may have ended
	select {
	case <-k.done:
	case <-time.After(time.Minute): // it takes less than two seconds where nothing else runs
		k.b.Errorf("%q goes on after %v", k.cmd.Args, s)
		k.end()
	}
	how := k.cmd.ProcessState.Sys().(syscall.WaitStatus)
	if how.ExitStatus() != 128+int(s) && how.Signal() != s && !k.succeeded() {
		k.b.Errorf("%q ends with %v after %v", k.cmd.Args, k.cmd.ProcessState, s)
	}
	return !k.succeeded()
}

// whole checks that each file is as it was or as it will be.
func (k *killing) whole() {
	k.Helper()
	now := snapshot(k.T, k.dir, cmp.Or(k.c.Half, k.c.Times))
	for name, content := range now {
		if old, ok := k.before[name]; (!ok || content != old) && content != k.want[name] {
			k.Errorf("%s is neither the old nor the new one", name)
		}
	}
	for name := range k.before {
		if _, ok := now[name]; !ok && !strings.HasSuffix(name, ".manifest.json") {
			k.Errorf("%s is gone", name)
		}
	}
}

// differing lists the files that another snapshot does not have like this.
func differing(files, other map[string]string) (names []string) {
	for name, content := range files {
		if other[name] != content {
			names = append(names, name)
		}
	}
	return names
}
