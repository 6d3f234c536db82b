package sciworld

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"heldout/envs/sharedtest"
)

// official is the official simulator in a process of its own, which answers lists of
// calls (Driver.java, beside the engine). It plays one game at a time.
type official struct {
	game    // it has neither forks nor states
	t       testing.TB
	version string
	in      io.WriteCloser
	out     *bufio.Reader
	list    []string // of what was valid after the last step
}

// simulator is the one process of all tests, which ends with its input.
var simulator *official

// startOfficial returns the simulator, which it starts for the first test, or skips the test.
func startOfficial(t testing.TB) *official {
	t.Helper()
	if simulator != nil {
		simulator.t = t
		return simulator
	}
	jar := os.Getenv("HELDOUT_SCIWORLD_JAR")
	if jar == "" {
		sharedtest.Absent(t, "java", "needs the official simulator: set HELDOUT_SCIWORLD_JAR to the path of "+
			"scienceworld.jar (pip download --no-deps scienceworld==1.1.3, and unpack)")
	}
	if _, err := exec.LookPath("javac"); err != nil {
		sharedtest.Absent(t, "java", "needs javac on the path: install a Java development kit, 17 or later")
	}
	jar = sharedtest.Must(filepath.Abs(jar))(t)
	driver := sharedtest.Must(filepath.Abs("../engine/scienceworld/testdata/driver/Driver.java"))(t)
	// With one hash code for all objects (2), what the simulator lists in the order of hash codes is in the order
	// of insertion, on every machine. A test is over before what the second compiler takes is won back.
	java := exec.Command("java", "-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
		"-XX:+UnlockExperimentalVMOptions", "-XX:hashCode=2", "-Duser.language=en", "-cp", jar, driver)
	java.Dir, java.Stderr = os.TempDir(), os.Stderr
	o := &official{t: t}
	o.in, o.out = pipes(t, java)
	sharedtest.OK(t, java.Start())
	o.version = ask[string](o, "#version")
	simulator = o
	return o
}

func pipes(t testing.TB, c *exec.Cmd) (io.WriteCloser, *bufio.Reader) {
	t.Helper()
	in := sharedtest.Must(c.StdinPipe())(t)
	return in, bufio.NewReader(sharedtest.Must(c.StdoutPipe())(t))
}

// plays sets up an environment that the official simulator plays, one world after the other.
func (o *official) plays(options Options) *Env {
	o.t.Helper()
	e := opened(o.t, options)
	e.newGame = func() game { return o }
	if e.board && o.version != nativeVersion { // opens containers, which changes the tasks
		e.simplifications = "selfWateringFlowerPots,openDoors,noElectricalAction"
	}
	return e
}

// ask calls a method of the simulator, whose result is a T.
func ask[T any](o *official, method string, args ...string) T {
	o.t.Helper()
	line, err := json.Marshal([][]string{append([]string{method}, args...)})
	if err == nil {
		_, err = o.in.Write(append(line, '\n'))
	}
	if err == nil {
		line, err = o.out.ReadBytes('\n')
	}
	var results []T
	if err == nil {
		err = json.Unmarshal(line, &results)
	}
	if err != nil || len(results) != 1 {
		o.t.Fatalf("%s %q: %s: %v", method, args, line, err)
	}
	return results[0]
}

func (o *official) load(p taskVariation, simplifications string) {
	o.t.Helper()
	if trouble := ask[string](o, "load", p.task, strconv.Itoa(p.variation), simplifications, "false"); trouble != "" {
		o.t.Fatalf("%s is not loaded: %s", p.id(), trouble)
	}
}

func (o *official) start(p taskVariation, simplifications string) (report, error) {
	o.load(p, simplifications)
	if trouble := ask[string](o, "reset"); trouble != "" {
		o.t.Fatalf("%s is not reset: %s", p.id(), trouble)
	}
	return o.act("look around"), nil
}

// act makes all the calls of the Python package, in its order (§3).
func (o *official) act(action string) report {
	r := report{
		observation: ask[string](o, "step", action), score: ask[float64](o, "getScore"),
		completed: ask[bool](o, "getCompleted"), moves: ask[int](o, "getNumMoves"),
	}
	for _, free := range []string{"freeActionLook", "freeActionInventory", "freeActionTaskDesc"} {
		ask[string](o, free)
	}
	o.list = ask[[]string](o, "getValidActionObjectCombinations")
	return r
}

func (o *official) inventory() string { return ask[string](o, "freeActionInventory") }

func (o *official) description() string { return ask[string](o, "getTaskDescription") }

func (o *official) forms() []string { return ask[[]string](o, "getPossibleActions") }

func (o *official) objects() []string { return ask[[]string](o, "getPossibleObjects") }

func (o *official) goals() string { return ask[string](o, "getGoalProgressStr") }

func (o *official) valid() []string { return o.list }

func (o *official) judge(action string) bool {
	type valid struct {
		Action string `json:"action"`
	}
	var list struct {
		Actions []valid `json:"validActions"`
	}
	if err := json.Unmarshal([]byte(ask[string](o, "getValidActionObjectCombinationsJSON")), &list); err != nil {
		o.t.Fatal(err)
	}
	return slices.Contains(list.Actions, valid{action})
}
