package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"heldout/configs"
	"heldout/envs"
	"heldout/eval/episode"
	"heldout/eval/model"
	"heldout/scoring/table"
)

const (
	// tries is how often a task's first turns are played, each time with another seed.
	tries, firstTurns = 4, 3
	// patience is how long the doctor waits for a server that is gone.
	patience = 10 * time.Second
)

// Model checks the servers of a model, plays the first turns of a run on it, and tells one
// diagnosis of its replies. override is set if r names presets: what the user gave besides.
func (d *Doctor) Model(ctx context.Context, r configs.Run, override func(*configs.Run) error) error {
	job, err := d.firstRun(r, override)
	if err != nil {
		return ConfigError{err}
	}
	defer job.Close()
	if r.WaitForServers > 0 {
		if _, err := job.Served[0].Fleet.Await(ctx, r.WaitForServers); err != nil {
			return err
		}
	}
	switch {
	case d.Quick:
		d.quick(ctx, job)
	case d.Servers(ctx, job) && d.begins(ctx, job):
		d.diagnose(ctx, openings(job), tries, int(job.Config.Concurrency))
	}
	return d.verdictOr(ctx)
}

// quick makes as few calls as tell something: is the server there, would a run begin, and what are the replies
// to the first turns of one task?
func (d *Doctor) quick(ctx context.Context, j *Job) {
	check := model.Reach(ctx, j.Served[0].Fleet.Clients()[0])
	if d.tell(check); check.Status == envs.CheckOK && d.begins(ctx, j) {
		d.diagnose(ctx, openings(j)[:1], 1, 1)
	}
}

// Servers checks the servers of a job's first served model, and reports whether any gives replies.
func (d *Doctor) Servers(ctx context.Context, j *Job) (answers bool) {
	clients := j.Served[0].Fleet.Clients()
	fields := maps.Clone(j.Config.Extra)
	maps.DeleteFunc(fields, func(name string, _ any) bool { return slices.Contains(j.Config.OnlyVLLM, name) })
	for _, client := range clients {
		if len(clients) > 1 {
			d.Server(client.URL())
		}
		d.doing("asking " + client.URL())
		for check := range model.Examine(ctx, client, fields, max(int(j.Config.Concurrency), 8)) {
			if ctx.Err() != nil {
				return false
			}
			warns := check.Status == envs.CheckWarn
			answers = answers || check.Name == "reply" && check.Status != envs.CheckFail
			d.server.OneReply = d.server.OneReply || check.Name == model.SamplingCheck && warns
			d.server.Cache = d.server.Cache || check.Name == model.CacheCheck && warns
			d.tell(check)
		}
	}
	return answers
}

// firstRun prepares the run whose first turns the model plays.
func (d *Doctor) firstRun(r configs.Run, override func(*configs.Run) error) (*Job, error) {
	chosen, err := d.chosen(r, override)
	if err != nil {
		return nil, err
	}
	for i := range chosen {
		chosen[i].Run.GiveUpAfter = patience
	}
	job, err := New(d.Outside, Plain, chosen...)
	if err == nil && len(job.Served) == 0 {
		job.Close()
		return nil, errors.New("want a --model that a server serves, such as vllm:NAME")
	}
	return job, err
}

func (d *Doctor) chosen(r configs.Run, override func(*configs.Run) error) ([]Chosen, error) {
	if len(r.Preset) > 0 {
		chosen, _, err := resolvePresets(d.Outside, Plain, Input{Override: override}, r.Preset)
		return chosen, cmp.Or(err, validate(chosen, Plain))
	}
	if len(r.Env) == 0 && r.Tasks == "" {
		r.Setup = envs.Setup{}
	}
	if len(r.Env) == 0 {
		r.Env = configs.Strings{"pddl"}
	}
	r.Seeds = "0-0"
	return Default(r), Validate(r, Plain)
}

// begins makes the checks of a run.
func (d *Doctor) begins(ctx context.Context, j *Job) bool {
	if err := j.Meet(ctx); err != nil {
		cause, _, _ := strings.Cut(err.Error(), "\n") // what helps are the doctor's own words
		d.tell(envs.Check{Name: "run", Status: envs.CheckFail, Text: "it would end at once: " + cause})
		return false
	}
	d.tell(envs.Check{Name: "run", Status: envs.CheckOK,
		Text: "as far as they tell, all servers that answer serve the same model, and its context has room for a prompt " +
			"and a reply"})
	return true
}

// openings are the first episodes of a job in each of its environments, with its first model.
func openings(j *Job) (first []episode.Episode) {
	begun := map[*episode.Benchmark]bool{}
	for _, e := range j.Plan.Episodes {
		if !begun[e.Benchmark] && e.Fleet() == j.Served[0].Fleet {
			begun[e.Benchmark] = true
			first = append(first, e)
		}
	}
	return first
}

// try is a try at the first turns of an episode.
type try struct {
	episode episode.Episode
	turns   []episode.Turn
	err     error
}

// diagnose plays the first turns of episodes so many times each, so many at once, and tells one
// diagnosis of all replies. An environment with a worse one has a line of its own.
func (d *Doctor) diagnose(ctx context.Context, first []episode.Episode, times, concurrency int) {
	d.doing("playing the first turns of " + table.Counted(len(first), "task"))
	slow := time.AfterFunc(patience, func() {
		d.Say(fmt.Sprintf("no reply yet; the first one is waited for, at most %v", model.FirstReply))
	})
	heard := &awaited{Model: first[0].Player.Model, heard: func() { slow.Stop() }}
	trials := play(ctx, first, heard, times, concurrency)
	slow.Stop()
	if d.Show != nil {
		d.Show(transcript(trials))
	}
	for _, t := range trials {
		if ctx.Err() != nil {
			return
		}
		if t.err != nil {
			d.tell(envs.Check{Name: repliesOf(t.episode), Status: envs.CheckFail,
				Text: "a run would end: " + t.err.Error()})
			return
		}
	}
	adviser := first[0].Player.Adviser()
	if adviser.Shows = "--show prints them: "; d.Show != nil {
		adviser.Shows = ""
	}
	sum := d.server
	var parts []model.ReplyCounts
	for i := range first {
		part := countReplies(trials[i*times : (i+1)*times])
		sum.Join(part)
		parts = append(parts, part)
	}
	verdict := checkOf(sum.Diagnose(adviser), first...)
	d.tell(verdict)
	for i, part := range parts {
		if own := checkOf(part.Diagnose(adviser), first[i]); worse(own.Status, verdict.Status) {
			d.tell(own)
		}
	}
}

// awaited is a model that does not wait long for its first reply.
type awaited struct {
	model.Model
	heard func() // called with each reply
	any   atomic.Bool
}

// Chat implements model.Model.
func (a *awaited) Chat(ctx context.Context, req model.Request) (model.Reply, error) {
	if a.any.Load() {
		return a.Model.Chat(ctx, req)
	}
	limited, cancel := context.WithTimeout(ctx, model.FirstReply)
	defer cancel()
	reply, err := a.Model.Chat(limited, req)
	switch {
	case err == nil:
		a.any.Store(true)
		a.heard()
	case limited.Err() != nil && ctx.Err() == nil:
		err = fmt.Errorf("no reply within %v", model.FirstReply)
	}
	return reply, err
}

// play plays the first turns of episodes on a model.
func play(ctx context.Context, first []episode.Episode, on model.Model, times, concurrency int) []try {
	trials := make([]try, len(first)*times)
	var group errgroup.Group
	group.SetLimit(max(1, concurrency))
	for i := range trials {
		t := &trials[i]
		condition := *first[i/times].Condition
		condition.Seed += int64(i % times)
		t.episode = first[i/times]
		t.episode.Condition = &condition
		player := *t.episode.Player
		player.Model = on
		t.episode.Player = &player
		group.Go(func() error {
			t.turns, t.err = t.episode.Opening(ctx, firstTurns)
			return nil
		})
	}
	_ = group.Wait() // the errors are kept
	return trials
}

func countReplies(trials []try) (t model.ReplyCounts) {
	for _, try := range trials {
		for i := range try.turns {
			turn := &try.turns[i]
			reading := turn.Move.Reading(turn.Step.Valid || turn.Step.Understood)
			reading.Bare = turn.Bare
			t.Add(reading)
		}
	}
	return t
}

// checkOf is a diagnosis as a check.
func checkOf(d model.Diagnosis, first ...episode.Episode) envs.Check {
	check := envs.Check{Name: repliesOf(first...), Status: envs.CheckOK, Text: d.String()}
	switch {
	case d.Unusable():
		check.Status, check.Text = envs.CheckFail, "like this, a run would be worthless: the model "+check.Text
	case d.Symptom != "":
		check.Status = envs.CheckWarn
	}
	return check
}

// worse reports whether a status is worse than another one.
func worse(s, reference envs.CheckStatus) bool {
	return s == envs.CheckFail && reference != envs.CheckFail || s == envs.CheckWarn && reference == envs.CheckOK
}

// repliesOf is the name of the check of replies in those episodes.
func repliesOf(first ...episode.Episode) string {
	tasks := table.Each(first, func(e episode.Episode) string { return e.Condition.Env + " " + e.Task.ID })
	return fmt.Sprintf("replies (%s, agent %s)", strings.Join(tasks, ", "), first[0].Player.Agent)
}
