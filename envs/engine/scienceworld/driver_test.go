package scienceworld

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"heldout/envs/sharedtest"
)

// driver is the official simulator in a process of its own, which answers lists
// of calls (testdata/driver/Driver.java).
type driver struct {
	in  io.WriteCloser
	out *bufio.Reader
}

// kindNumbers is the table of the kinds' numbers.
const kindNumbers = "object_type_ids.tsv"

// call is a method of the simulator's interface with its arguments.
type call []string

// startDriver starts the simulator, or skips the test.
func startDriver(t testing.TB) *driver {
	t.Helper()
	jar := os.Getenv("HELDOUT_SCIWORLD_JAR")
	if jar == "" {
		sharedtest.Absent(t, "java", "needs the official simulator 1.1.3: set HELDOUT_SCIWORLD_JAR to the path of "+
			"scienceworld.jar (pip download --no-deps scienceworld==1.1.3, and unpack)")
	}
	for _, program := range []string{"java", "javac"} {
		if _, err := exec.LookPath(program); err != nil {
			sharedtest.Absent(t, "java", "needs "+program+" on the path: install a Java development kit, 17 or later")
		}
	}
	jar = sharedtest.Must(filepath.Abs(jar))(t)
	dir := t.TempDir()
	// The numbers of kinds come from a file of the package, sought where the simulator runs.
	numbers, err := os.ReadFile(filepath.Join(filepath.Dir(jar), kindNumbers))
	if err != nil {
		sharedtest.Absent(t, "java", "needs the file "+kindNumbers+" of the simulator's package: put it beside the jar")
	}
	sharedtest.OK(t, os.WriteFile(filepath.Join(dir, kindNumbers), numbers, 0o600))
	if out, err := exec.Command("javac", "-d", dir, "testdata/driver/Driver.java").CombinedOutput(); err != nil {
		t.Fatalf("javac: %v\n%s", err, out)
	}
	java := exec.Command("java", "-Xmx700m", "-Xmn400m", "-XX:+UseSerialGC", "-XX:+UnlockExperimentalVMOptions",
		"-XX:hashCode=2",
		"--add-opens", "java.base/java.util=ALL-UNNAMED", "-cp", jar+string(os.PathListSeparator)+dir, "Driver")
	java.Dir, java.Stderr = dir, os.Stderr
	in := sharedtest.Must(java.StdinPipe())(t)
	out := sharedtest.Must(java.StdoutPipe())(t)
	sharedtest.OK(t, java.Start())
	t.Cleanup(func() {
		in.Close()
		if err := java.Wait(); err != nil {
			t.Error("the driver:", err)
		}
	})
	d := &driver{in: in, out: bufio.NewReaderSize(out, 1<<20)}
	if v := d.answers(t, []call{{"#version"}})[0]; v != "1.1.3" {
		t.Skipf(
			"needs the official simulator 1.1.3, which this engine equals; HELDOUT_SCIWORLD_JAR is of version %s: "+
				"name the jar of the Python package scienceworld==1.1.3, as .ci/run does", v)
	}
	return d
}

// send sends calls, the answers to which are read later.
func (d *driver) send(calls []call) error {
	line, err := json.Marshal(calls)
	if err != nil {
		return err
	}
	_, err = d.in.Write(append(line, '\n'))
	return err
}

// receive reads the answers to one line of calls, each as text: lists are joined by line feeds.
func (d *driver) receive() ([]string, error) {
	line, err := d.out.ReadBytes('\n')
	if err != nil {
		return nil, err
	}
	var raw []json.RawMessage
	if err := json.Unmarshal(line, &raw); err != nil {
		return nil, err
	}
	out := make([]string, len(raw))
	for i, r := range raw {
		if out[i], err = answerText(r); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func answerText(raw json.RawMessage) (string, error) {
	switch raw[0] {
	case '"':
		var s string
		err := json.Unmarshal(raw, &s)
		return s, err
	case '[':
		var list []json.RawMessage
		if err := json.Unmarshal(raw, &list); err != nil {
			return "", err
		}
		var parts []string
		for _, r := range list {
			s, err := answerText(r)
			if err != nil {
				return "", err
			}
			parts = append(parts, s)
		}
		return strings.Join(parts, "\n"), nil
	}
	return string(raw), nil
}

// answers makes calls and waits for the answers.
func (d *driver) answers(t testing.TB, calls []call) []string {
	t.Helper()
	sharedtest.OK(t, d.send(calls))
	return sharedtest.Must(d.receive())(t)
}

// loadCall starts a variation.
func loadCall(task string, variation int, simplifications string, gold bool) call {
	return call{"load", task, strconv.Itoa(variation), simplifications, strconv.FormatBool(gold)}
}

// number compares as numbers do: Java and Go print them differently.
func number(text string) string {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return text
	}
	return fmt.Sprint(x)
}
