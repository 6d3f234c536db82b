// Package scale has the episodes of a run played on several machines.
package scale

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"heldout/configs"
	"heldout/envs/datafile"
	"heldout/eval"
	"heldout/eval/bench"
	"heldout/eval/progress"
	"heldout/eval/scale/queue"
)

// queueFolder is the folder of a queue's server inside the run directory.
const queueFolder = "queue"

// leading is a run whose episodes are played by workers.
type leading struct {
	job   *bench.Job
	on    bench.Screen
	place queue.Location
	about queue.Job
	input bench.Input
}

// Lead has the missing episodes of a job played by workers. About has what only the caller
// knows of the run; ownEnvs: the environments are those that this machine has.
func Lead(ctx context.Context, j *bench.Job, on bench.Screen, p queue.Location, about queue.Job, input bench.Input,
	ownEnvs bool) error {
	if ownEnvs && len(j.Config.Preset) == 0 {
		about.Flags = append(about.Flags, queue.Flag{Name: "env", Values: j.Config.Env, List: true})
	}
	l := &leading{j, on, p, about, input}
	folder := filepath.Join(j.Dir, queueFolder)
	return j.Work(ctx, on, 0, func(s *bench.JobSession, run *progress.Tracker, watching eval.Observer) error {
		run.PlayElsewhere()
		role := "heldout " + about.Command
		if p.Address != queue.InProcess {
			err := l.conduct(ctx, s, watching, p.Options(role, 0, on.Warn))
			if err != nil && len(s.Missing) == 0 { // the run is complete without it
				on.Warn(err.Error())
				return nil
			}
			return err
		}
		if _, err := os.Stat(folder); len(s.Missing) == 0 && errors.Is(err, fs.ErrNotExist) {
			return nil // and there are no workers to tell so
		}
		server, err := queue.Serve(folder, p.Listen, p.Security)
		if err != nil {
			return err
		}
		err = l.conduct(ctx, s, watching, queue.Options{Embedded: server, Security: p.Security, AckWait: p.AckWait,
			Name: role, Tell: on.Warn})
		queue.Shut(server)
		if err == nil {
			err = os.RemoveAll(filepath.Join(folder, "jetstream")) // what the server keeps there
			_ = os.Remove(folder)                                  // unless something else is in it
		}
		return err
	})
}

// conduct has the missing episodes of a session played by workers.
func (l *leading) conduct(ctx context.Context, s *bench.JobSession, watching eval.Observer, o queue.Options) error {
	about, err := l.describe(s)
	if err != nil {
		return err
	}
	leader, err := queue.Lead(ctx, o, about, queue.LeaderOptions{
		Dir: l.job.Dir, Finished: s.FinishedIDs(), Servers: s.AddServers})
	if err != nil {
		return err
	}
	if len(s.Missing) > 0 {
		l.on.Say(fmt.Sprintf("run %s; start workers with: %s", about.Name, l.place.Invitation(about.Name)))
	}
	bound, stop := leader.Bind(ctx)
	defer stop(nil)
	err = s.Play(bound, leader, watching, l.on.Warn)
	if bound.Err() != nil && ctx.Err() == nil {
		err = context.Cause(bound) // the queue is given up
	}
	return errors.Join(err, leader.Close(err == nil))
}

// describe describes the run to its workers.
func (l *leading) describe(s *bench.JobSession) (about queue.Job, err error) {
	about = l.about
	if about.Config, err = l.input.ReadFile(); err != nil {
		return about, err
	}
	about.Name, about.File, about.Chosen = s.Name(), l.input.File, l.input.Chosen
	about.Files, about.Plan, about.Parts = files(&l.job.Config), l.job.Plan.Hash(), l.job.Plan.Hashes()
	return about, nil
}

// files returns the files that the configuration of a run names. A name of ours has neither dot nor slash.
func files(r *configs.Run) (out []queue.FlagFile) {
	add := func(flag, name string) {
		if content, err := datafile.Read(name, datafile.MaxConfig); err == nil { // the run has read it
			out = append(out, queue.FlagFile{Flag: flag, Path: name, SHA256: datafile.Hash(content)})
		}
	}
	for _, o := range configs.Options() {
		if o.Names != configs.Files {
			continue
		}
		for _, name := range o.Texts(r) {
			if strings.ContainsAny(name, "./") {
				add(o.Name, name)
			}
		}
	}
	for name := range strings.SplitSeq(r.Tasks, ",") {
		if list, ok := strings.CutPrefix(strings.TrimSpace(name), "@"); ok {
			add("tasks", list)
		}
	}
	return out
}
