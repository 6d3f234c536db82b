package sciworld

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"

	"heldout/envs"
)

// leastJava is the oldest Java that the simulator runs on.
const leastJava = 8

// How to get what may be missing.
const (
	getJava = "install Java 8 or later: on Debian and Ubuntu apt install openjdk-17-jre-headless, on macOS brew install openjdk@17; or see https://adoptium.net"
	getJar  = "it is in the Python package scienceworld: pip download --no-deps scienceworld==1.1.3 (the version behind published numbers), " +
		"python3 -m zipfile -e scienceworld-1.1.3-py3-none-any.whl sciworld, and give sciworld/scienceworld/scienceworld.jar with --sciworld-jar or HELDOUT_SCIWORLD_JAR"
	getLabels = "give AgentBoard's data folder with --data; without it progress is the simulator's own score, and the results do not count for the held-out score"
)

// Examine checks what the environment needs: AgentBoard's labels, and if the
// official simulator is named, Java, the simulator, and whether Java runs the
// simulator.
func Examine(ctx context.Context, o Options) []envs.Check {
	if o.Jar == "" {
		return []envs.Check{{Name: "simulator", Status: envs.CheckOK,
			Text: "built in, answers as version " + nativeVersion +
				"; the official one plays if --sciworld-jar names it: " + getJar}, checkLabels(o)}
	}
	javaCheck := checkJava(ctx)
	simulator, j := checkJar(o)
	checks := []envs.Check{javaCheck, simulator}
	if javaCheck.Status == envs.CheckOK && simulator.Status == envs.CheckOK {
		checks = append(checks, checkStart(ctx, j))
	}
	return append(checks, checkLabels(o))
}

// javaVersion finds the number in what java -version says: 1.8.0_392 or 17.0.15.
var javaVersion = regexp.MustCompile(`version "(?:1\.)?(\d+)[^"]*"`)

func checkJava(ctx context.Context) envs.Check {
	const name = "Java"
	path, err := exec.LookPath(java)
	if err != nil {
		return envs.Check{Name: name, Status: envs.CheckFail, Text: "there is no java on the path; " + getJava}
	}
	said, err := exec.CommandContext(ctx, path, "-version").CombinedOutput()
	if err != nil {
		return envs.Check{Name: name, Status: envs.CheckFail,
			Text: fmt.Sprintf("%s does not run: %v; %s", path, err, getJava)}
	}
	text, ok := judgeJava(string(said))
	return envs.Check{Name: name, Status: envs.Passed(ok), Text: path + ", " + text}
}

// judgeJava checks the output of java -version.
func judgeJava(said string) (text string, ok bool) {
	m := javaVersion.FindStringSubmatch(said)
	if m == nil {
		first, _, _ := strings.Cut(said, "\n")
		return fmt.Sprintf("which says no version but %q; %s", first, getJava), false
	}
	n, err := strconv.Atoi(m[1])
	if err != nil || n < leastJava {
		return fmt.Sprintf("%s is too old; %s", m[0], getJava), false
	}
	return m[0], true
}

func checkJar(o Options) (envs.Check, jar) {
	const name = "simulator"
	j, err := openJar(o.Jar)
	if err != nil {
		return envs.Check{Name: name, Status: envs.CheckFail, Text: fmt.Sprintf("%v; %s", err, getJar)}, jar{}
	}
	text := fmt.Sprintf("%s, version %s, sha256 %s", o.Jar, j.version, j.sha256)
	if reallyOpensContainers(j.version) {
		text += "; published numbers were made with 1.1.3; the simplification openContainers is left out, because it changes the tasks from 1.2.3 on"
	}
	return envs.Check{Name: name, Status: envs.CheckOK, Text: text}, j
}

// checkStart starts the simulator and loads a task.
func checkStart(ctx context.Context, j jar) envs.Check {
	folders := &scratch{}
	s, err := launcher(j, folders)(ctx)
	if err == nil {
		err = errors.Join(s.load(ctx, boardPlaces()[0], boardSimplifications(j.version), false), s.end())
	}
	if err = errors.Join(err, folders.remove()); err != nil {
		return envs.Check{Name: "start", Status: envs.CheckFail, Text: strings.ReplaceAll(err.Error(), "\n", "; ")}
	}
	return envs.Check{Name: "start", Status: envs.CheckOK, Text: "the simulator starts and loads a task"}
}

func checkLabels(o Options) envs.Check {
	const name = "labels"
	if o.Variant == ScienceWorld || o.Variant == AgentGym {
		return envs.Check{Name: name, Status: envs.CheckOK, Text: "not needed in variant " + o.Variant}
	}
	if o.Data == "" {
		return envs.Check{Name: name, Status: envs.CheckOK, Text: "none; " + getLabels}
	}
	labels, _, err := readLabels(o.Data)
	if err != nil {
		return envs.Check{Name: name, Status: envs.CheckFail, Text: fmt.Sprintf("%v; %s", err, getLabels)}
	}
	return envs.Check{Name: name, Status: envs.CheckOK, Text: fmt.Sprintf("of AgentBoard's %d tasks", len(labels))}
}
