package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/sharedtest"
	"heldout/eval/episode/episodetest"
	"heldout/eval/model"
)

// choosing is the address of a server with the model m, and a count of its calls. Its choices
// are JSON; answer chooses by the seed of a call.
func choosing(t *testing.T, answer func(seed int64) string) (address string, calls *atomic.Int64) {
	t.Helper()
	calls = new(atomic.Int64)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		w.Header().Set("Content-Type", "application/json")
		var req struct{ Seed int64 }
		switch r.URL.Path {
		case "/v1/models":
			fmt.Fprint(w, `{"object":"list","data":[{"id":"m","owned_by":"vllm","max_model_len":16384}]}`)
		case "/v1/chat/completions":
			if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
				t.Error(err)
			}
			fmt.Fprintf(w, `{"choices":[%s],"usage":{"prompt_tokens":9,"completion_tokens":9}}`, answer(req.Seed))
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL + "/v1", calls
}

// choice is a server's choice with that text and reason for its end.
func choice(text, finish string) string {
	content, _ := json.Marshal(text) // a string can always be written
	return fmt.Sprintf(`{"message":{"role":"assistant","content":%s},"finish_reason":%q}`, content, finish)
}

// examined are the checks of a doctor, and its error.
func examined(t *testing.T, d Doctor, r configs.Run, override func(*configs.Run) error) (checks []envs.Check,
	err error) {
	t.Helper()
	d.Outside, d.Say, d.Server = around(t), func(string) {}, func(string) {}
	d.Tell = func(c envs.Check) { checks = append(checks, c) }
	err = d.Model(t.Context(), r, override)
	return checks, err
}

// One diagnosis says what is most wrong with the first turns, and what helps. Only a model that
// a run would set aside is a failure.
func TestDiagnoses(t *testing.T) {
	for name, test := range sharedtest.Table[struct {
		Says        string
		Text        *string // of each reply; the default is another one for each seed, with some worthless ones
		Temperature float64
		Status      envs.CheckStatus
	}](t, "diagnoses.yaml") {
		t.Run(name, func(t *testing.T) {
			var turns atomic.Int64
			address, _ := choosing(t, func(seed int64) string {
				if test.Text != nil {
					return choice(*test.Text, "stop")
				}
				if seed > 1000 && turns.Add(1)%4 == 0 { // of a turn, not of a probe
					return choice("I do not know.", "stop")
				}
				return choice(fmt.Sprintf("Thought: My seed is %d.\nAction: check valid actions", seed), "stop")
			})
			r := configs.DefaultRun()
			served(address)(&r)
			r.Temperature = test.Temperature
			checks, err := examined(t, Doctor{}, r, nil)
			last := checks[len(checks)-1]
			if last.Status != test.Status ||
				!strings.HasPrefix(last.Name, "replies (pddl gripper/gen0-01, agent react)") ||
				!strings.Contains(last.Text, test.Says) || strings.Contains(last.Text, "\n") {
				t.Errorf("%v: %+v", err, last)
			}
			worthless := strings.HasPrefix(last.Text, "like this, a run would be worthless: the model keeps")
			if (err == nil) && worthless || worthless != (test.Status == envs.CheckFail) {
				t.Errorf("%v: %+v", err, last)
			}
		})
	}
}

// A preset's turns are played in its own form.
func TestDoctorOfPreset(t *testing.T) {
	address, _ := choosing(t, func(int64) string { return choice(looks, "stop") })
	r := configs.DefaultRun()
	r.Preset = configs.Strings{"agentrefine:pddl"}
	checks, err := examined(t, Doctor{}, r, func(to *configs.Run) error {
		served(address)(to)
		return nil
	})
	if last := checks[len(checks)-1]; !strings.HasPrefix(last.Name, "replies (pddl ") || last.Status != envs.CheckOK {
		t.Errorf("%v: %+v", err, last)
	}
}

// Several environments have one diagnosis, and one that is worse has its own.
func TestDoctorOfEnvironments(t *testing.T) {
	address, _ := choosing(t, func(int64) string { return choice(looks, "stop") })
	r := configs.DefaultRun()
	served(address)(&r)
	r.Env, r.Settings = configs.Strings{"pddl", "babyai"}, envs.Settings{}
	checks, err := examined(t, Doctor{}, r, nil)
	n := slices.IndexFunc(checks, func(c envs.Check) bool {
		return strings.HasPrefix(c.Name, "replies (pddl gripper/gen0-01, babyai ")
	})
	if n < 0 || !strings.Contains(checks[n].Text, "keeps the format in 24 of 24 replies") {
		t.Fatalf("%v: %+v", err, checks)
	}
	for _, c := range checks[n+1:] {
		if !strings.HasPrefix(c.Name, "replies (babyai ") {
			t.Errorf("%+v", c)
		}
	}
}

// A quick look takes few calls: is the server there, would a run begin, and what does it reply to the first
// three turns? With show, all that is sent and received is told.
func TestQuickDoctor(t *testing.T) {
	address, calls := choosing(t, func(int64) string {
		return choice("Thought: I \x1b[31mlook.\nAction: dance", "stop")
	})
	r := configs.DefaultRun()
	served(address)(&r)
	var shown strings.Builder
	checks, err := examined(t, Doctor{Quick: true, Show: func(text string) { shown.WriteString(text) }}, r, nil)
	if err != nil || len(checks) != 3 || calls.Load() != 6 ||
		!strings.Contains(checks[2].Text, "keeps the format in 3 of 3 replies; none of its 3 actions is valid") {
		t.Errorf("%v after %d calls: %+v", err, calls.Load(), checks)
	}
	for _, part := range []string{"pddl gripper/gen0-01, seed 0, turn 1\n  sent (user):\n    ",
		"turn 3\n  sent again: 3 messages\n",
		"  sent (assistant):\n    Thought: I \x1b[31mlook.\n    Action: dance\n",
		"  reply (finish reason \"stop\"):\n    Thought: I",
		"  action: \"dance\", not valid\n"} {
		if !strings.Contains(shown.String(), part) {
			t.Errorf("%q is not in\n%s", part, shown.String())
		}
	}
}

// A server that is not there, or refuses, fails at once.
func TestDoctorOfRefusals(t *testing.T) {
	refusing := func(status int) string {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, `{"error":{"message":"no"}}`, status)
		}))
		t.Cleanup(server.Close)
		return server.URL + "/v1"
	}
	for _, test := range []struct{ address, want string }{
		{"http://127.0.0.1:1/v1", "start it with vllm serve"},
		{refusing(404), "404 Not Found"},
		{refusing(401), "--api-key-env"},
	} {
		for _, quick := range []bool{false, true} {
			r := configs.DefaultRun()
			served(test.address)(&r)
			checks, err := examined(t, Doctor{Quick: quick}, r, nil)
			if last := checks[len(checks)-1]; err == nil || last.Status != envs.CheckFail ||
				!strings.Contains(last.Text, test.want) {
				t.Errorf("%s, quick %v: %v: %+v", test.want, quick, err, last)
			}
		}
	}
}

// A server that answers questions, and no call, does not keep the doctor waiting for long, nor in silence.
func TestDoctorOfHangingServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		heard := &awaited{heard: func() {}, Model: episodetest.ModelFunc(func(ctx context.Context, _ model.Request) (
			model.Reply, error) {
			<-ctx.Done()
			return model.Reply{}, ctx.Err()
		})}
		began := time.Now()
		_, err := heard.Chat(t.Context(), model.Request{})
		if err == nil || err.Error() != "no reply within 2m0s" || time.Since(began) != model.FirstReply {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
	})
}

// A quick look fails where a run would end at once.
func TestQuickDoctorBeginsLikeARun(t *testing.T) {
	address, _ := choosing(t, func(int64) string { return choice(looks, "stop") })
	r := configs.DefaultRun()
	served(address)(&r)
	r.MaxTokens = 16384
	checks, err := examined(t, Doctor{Quick: true}, r, nil)
	if last := checks[len(checks)-1]; err == nil || last.Status != envs.CheckFail ||
		!strings.Contains(last.Text, "it would end at once: max-tokens 16384 leaves no room for a prompt") {
		t.Errorf("%v: %+v", err, last)
	}
}
