//go:build unix

package main

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"go.yaml.in/yaml/v4"
	"golang.org/x/sys/unix"

	"heldout/envs/sharedtest"
)

// recipe returns the path of a recipe and its text.
func recipe(t *testing.T, name string) (path, text string) {
	t.Helper()
	path = sharedtest.Must(filepath.Abs(filepath.Join("..", "..", "configs", "recipes", name)))(t)
	b := sharedtest.Must(os.ReadFile(path))(t)
	return path, string(b)
}

// standIn puts a shell script on PATH under the name of a program.
func standIn(t *testing.T, name, script string) {
	t.Helper()
	if _, err := exec.LookPath("bash"); err != nil {
		sharedtest.Absent(t, "bash", "install bash")
	}
	dir := t.TempDir()
	sharedtest.OK(t, os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/bash\n"+script+"\n"), 0o755))
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// A part that gets Slurm's signal before its time limit stops and is queued again, and
// the same job goes on. One that Slurm ends, or that ends by itself, is not.
func TestSlurm(t *testing.T) {
	sharedtest.Heavy(t)
	requeued := filepath.Join(t.TempDir(), "requeued")
	standIn(t, "scontrol", `echo "$@" >>`+requeued)
	path, text := recipe(t, "slurm.sh")
	before := regexp.MustCompile(`(?m)^#SBATCH --signal=B:(\w+)@\d+$`).FindStringSubmatch(text)
	if before == nil {
		t.Fatal("there is no signal before the time limit")
	}
	limit := unix.SignalNum("SIG" + before[1])
	// The last of the calls that are left, and all after it, get no answer.
	var left atomic.Int64
	last, model := make(chan struct{}), &fakeServer{context: 16384}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n := left.Add(-1); n > 0 {
			model.ServeHTTP(w, r)
			return
		} else if n == 0 {
			close(last)
		}
		_, _ = io.Copy(io.Discard, r.Body) // a client that goes away is seen after its request
		<-r.Context().Done()
	}))
	defer server.Close()
	out := filepath.Join(t.TempDir(), "run")
	// job runs the batch script, which gets a signal alone or, as where Slurm ends a job, with all its processes.
	job := func(signal syscall.Signal, all bool, more ...string) (code int, stderr string) {
		cmd := fakeRun(server.URL, out, more...)
		cmd = exec.Command("bash", append([]string{path}, cmd.Args[2:]...)...)
		cmd.Env = append(os.Environ(), "SLURM_JOB_ID=42", "SLURM_ARRAY_TASK_ID=1", "SLURM_ARRAY_TASK_MIN=1",
			"SLURM_ARRAY_TASK_MAX=1", "SLURM_ARRAY_TASK_COUNT=1")
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		var says bytes.Buffer
		cmd.Stderr = &says
		left.Store(1 << 40)
		if signal != 0 {
			left.Store(100)
			last = make(chan struct{})
		}
		sharedtest.OK(t, cmd.Start())
		if signal != 0 {
			<-last
			to := cmd.Process.Pid
			if all {
				to = -to
			}
			sharedtest.OK(t, syscall.Kill(to, signal))
		}
		return exitCode(t, cmd.Wait()), says.String()
	}
	for _, tt := range []struct {
		what     string
		signal   syscall.Signal
		all      bool
		more     []string
		code     int
		requeued string
	}{
		{"the time limit", limit, false, nil, exitOK, "requeue 42\n"},
		{"the end of the job", syscall.SIGTERM, true, nil, 128 + int(syscall.SIGTERM), ""},
		{"nothing", 0, false, nil, exitOK, ""},
		{"a wrong command line", 0, false, []string{"--seeds", "x"}, exitUsage, ""},
	} {
		code, says := job(tt.signal, tt.all, tt.more...)
		got, _ := os.ReadFile(requeued)
		if code != tt.code || string(got) != tt.requeued {
			t.Errorf("%s: exit code %d, want %d; scontrol was told %q, want %q: %s", tt.what, code, tt.code, got,
				tt.requeued, says)
		}
		_ = os.Remove(requeued)
	}
	checkEpisodes(t, filepath.Join(out, "shard-1-of-1"))
}

// twoPorts returns the first of two ports in a row that nobody listens at.
func twoPorts(t *testing.T) int {
	t.Helper()
	for range 100 {
		first := sharedtest.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
		port := first.Addr().(*net.TCPAddr).Port
		second, err := net.Listen("tcp", fmt.Sprint("127.0.0.1:", port+1))
		first.Close()
		if err == nil {
			second.Close()
			return port
		}
	}
	t.Fatal("there are no two ports in a row")
	return 0
}

// vllmServers is the recipe for vLLM with two GPUs and a server of checkpoints in the
// place of vLLM's, which is a process of vLLM's process.
func vllmServers(t *testing.T, model string) (cmd *exec.Cmd, tells net.Listener, port int) {
	t.Helper()
	standIn(t, "vllm", `echo "$CUDA_VISIBLE_DEVICES: $*"; checkpointserver "$2" "${@: -1}" & wait $!`)
	if _, err := exec.LookPath("curl"); err != nil {
		sharedtest.Absent(t, "curl", "install curl")
	}
	tells = sharedtest.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	t.Cleanup(func() { tells.Close() })
	port = twoPorts(t)
	path, _ := recipe(t, "vllm.sh")
	cmd = exec.Command("bash", path, model, "--max-model-len", "16384")
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "GPUS=0,1 2,3", fmt.Sprint("PORT=", port),
		"HELDOUT_TEST_TELL="+tells.Addr().String())
	return cmd, tells, port
}

// There is a server for each group of GPUs. A run uses them, and none is left when the script is stopped.
func TestVLLMServers(t *testing.T) {
	sharedtest.Heavy(t)
	cmd, tells, port := vllmServers(t, fakeModel)
	stdout := sharedtest.Must(cmd.StdoutPipe())(t)
	sharedtest.OK(t, cmd.Start())
	defer cmd.Process.Kill()
	servers := []told{accept(t, tells), accept(t, tells)}
	line := make([]byte, 1000)
	n := sharedtest.Must(stdout.Read(line))(t)
	want := fmt.Sprintf("--base-url http://127.0.0.1:%d/v1,http://127.0.0.1:%d/v1\n", port, port+1)
	sharedtest.Equal(t, string(line[:n]), want)
	run := append([]string{"run", "--env", "pddl", "--limit", "4", "--model", "vllm:" + fakeModel, "--out",
		filepath.Join(t.TempDir(), "run")}, strings.Fields(want)...)
	if out, err := exec.Command("heldout", run...).CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	for i, gpus := range []string{"0,1", "2,3"} {
		log, err := os.ReadFile(filepath.Join(cmd.Dir, fmt.Sprintf("vllm-%d.log", port+i)))
		want := fmt.Sprintf("%s: serve %s --max-model-len 16384 --host 127.0.0.1 --port %d\n", gpus, fakeModel, port+i)
		if err != nil || !strings.HasPrefix(string(log), want) {
			t.Errorf("the log is %q, want %q first: %v", log, want, err)
		}
	}
	sharedtest.OK(t, cmd.Process.Signal(syscall.SIGTERM))
	sharedtest.Equal(t, exitCode(t, cmd.Wait()), exitInterrupted, "exit code")
	for _, s := range servers {
		for s.Scan() {
		}
		if s.Err() != nil {
			t.Errorf("a server is left: %v", s.Err())
		}
	}
}

// Nothing stays if a port is taken.
func TestVLLMPortTaken(t *testing.T) {
	cmd, _, port := vllmServers(t, fakeModel)
	other := sharedtest.Must(net.Listen("tcp", fmt.Sprint("127.0.0.1:", port+1)))(t)
	defer other.Close()
	out, err := cmd.CombinedOutput()
	want := fmt.Sprintf("vllm.sh: port %d is taken: set PORT\n", port+1)
	if code := exitCode(t, err); code != exitError || string(out) != want {
		t.Errorf("exit code %d: %q, want %q", code, out, want)
	}
}

// A server that cannot start ends the script, which names its log.
func TestVLLMServerFails(t *testing.T) {
	model := t.TempDir()
	sharedtest.OK(t, os.WriteFile(filepath.Join(model, "serves"), []byte("-1"), 0o644))
	cmd, _, port := vllmServers(t, model)
	out, err := cmd.CombinedOutput()
	want := fmt.Sprintf("vllm.sh: http://127.0.0.1:%d ended: see vllm-%d.log\n", port, port)
	if code := exitCode(t, err); code != exitError || string(out) != want {
		t.Errorf("exit code %d: %q, want %q", code, out, want)
	}
}

// The recipe for Kubernetes runs the image as its own user, who owns the shared volume,
// and its command is one that heldout takes.
func TestKubernetes(t *testing.T) {
	image := sharedtest.Must(os.ReadFile(filepath.Join("..", "..", "Containerfile")))(t)
	user := regexp.MustCompile(`(?m)^USER (\d+):(\d+)$`).FindStringSubmatch(string(image))
	if user == nil {
		t.Fatal("the image has no user and group as numbers")
	}
	_, text := recipe(t, "kubernetes.yaml")
	first, second, _ := strings.Cut(text, "\n---\n")
	var claim struct {
		Metadata struct{ Name string }
		Spec     struct {
			AccessModes []string `yaml:"accessModes"`
		}
	}
	var job struct {
		Spec struct {
			Completions int
			Template    struct {
				Spec struct {
					SecurityContext map[string]any `yaml:"securityContext"`
					Containers      []struct{ Args []string }
					Volumes         []struct {
						Name                  string
						PersistentVolumeClaim struct {
							ClaimName string `yaml:"claimName"`
						} `yaml:"persistentVolumeClaim"`
					}
				}
			}
		}
	}
	sharedtest.OK(t, yaml.Unmarshal([]byte(first), &claim))
	sharedtest.OK(t, yaml.Unmarshal([]byte(second), &job))
	pod := job.Spec.Template.Spec
	for key, want := range map[string]string{"runAsUser": user[1], "runAsGroup": user[2], "fsGroup": user[2],
		"runAsNonRoot": "true"} {
		sharedtest.Equal(t, fmt.Sprint(pod.SecurityContext[key]), want, key)
	}
	if !slices.Equal(claim.Spec.AccessModes, []string{"ReadWriteMany"}) || claim.Metadata.Name == "" ||
		pod.Volumes[0].PersistentVolumeClaim.ClaimName != claim.Metadata.Name {
		t.Errorf("the claim is %+v, the volumes are %+v", claim, pod.Volumes)
	}
	// There is neither data nor server here.
	args := slices.DeleteFunc(pod.Containers[0].Args, func(a string) bool {
		name, _, _ := strings.Cut(a, "=")
		return slices.Contains([]string{"--data", "--model", "--base-url", "--api-key-env"}, name)
	})
	cmd := exec.Command("heldout", append(args, "--model=random", "--dry-run")...)
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "JOB_COMPLETION_INDEX=7")
	out, err := cmd.CombinedOutput()
	want := fmt.Sprintf("shard %d/%[1]d plays", job.Spec.Completions)
	if err != nil || !strings.Contains(string(out), want) {
		t.Errorf("%v: %s, want %q", err, out, want)
	}
}
