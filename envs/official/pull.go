package official

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Options say how official data are fetched.
type Options struct {
	// Dir is the data folder; it is made if it is not there.
	Dir string
	// Environments are the environments whose data are wanted; empty for all.
	Environments []string
	// Extras are the sources that are fetched only if they are asked for.
	Extras  []string
	Sources []PublishedFile
	// Accept takes files with other bytes than the published ones.
	Accept bool

	Proxy     func(*http.Request) (*url.URL, error)
	UserAgent string
	Now       func() time.Time
	// Tell is told how a download gets on, Note in a line what stays worth knowing.
	Tell func(Progress)
	Note func(string)

	download *downloader // nil for one that asks the network
}

// Plan returns the sources that a pull may fetch, in order.
func Plan(o Options) ([]PublishedFile, error) {
	if err := CheckEnvironments(o.Environments); err != nil {
		return nil, err
	}
	for _, name := range o.Extras {
		if !slices.Contains(Extras(), name) {
			return nil, fmt.Errorf("unknown extra source %q; there are: %s", name, strings.Join(Extras(), ", "))
		}
	}
	var plan []PublishedFile
	for _, s := range o.Sources {
		if s.Extra && slices.Contains(o.Extras, s.Name) || !s.Extra && o.environments(s) != nil {
			plan = append(plan, s)
		}
	}
	return plan, nil
}

// wantsEnv reports whether an environment or an extra source of it is asked for.
func (o Options) wantsEnv(env string) bool {
	return len(o.Environments) == 0 || slices.Contains(o.Environments, env) ||
		slices.ContainsFunc(o.Sources, func(s PublishedFile) bool {
			return slices.Contains(o.Extras, s.Name) && strings.HasPrefix(s.Parts[0], env+"/")
		})
}

// environments lists those that are asked for, of the parts of a source.
func (o Options) environments(s PublishedFile) (out []string) {
	for _, id := range s.Parts {
		if env, _, _ := strings.Cut(id, "/"); o.wantsEnv(env) {
			out = append(out, env)
		}
	}
	return out
}

// pull is one filling of the data folder.
type pull struct {
	Options
	stage *stage
	// problems are why sources did not give what they should.
	problems []error
	fetched  []string // files to delete when they are not needed any more
	failed   bool     // a source failed, and the same command may do better
}

// Pull fetches the missing official data of some environments. An environment appears in the data folder when all
// that it needs is there. What an interrupted pull fetched is not fetched again.
func Pull(ctx context.Context, o Options) error {
	plan, err := Plan(o)
	if err != nil {
		return err
	}
	return o.fill(func(p *pull) error {
		for _, s := range plan {
			if err := p.source(ctx, s); err != nil {
				return err
			}
		}
		return p.finish()
	})
}

// fill places what work stages in a data folder. What was fetched for it is deleted then.
func (o Options) fill(work func(*pull) error) (err error) {
	if o.download == nil {
		o.download = newDownloader(o.Proxy, o.UserAgent, o.Tell)
	}
	stage, err := openStage(o.Dir, o.Accept)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stage.close()) }()
	p := &pull{Options: o, stage: stage}
	if err := work(p); err != nil {
		return err
	}
	if err := stage.place(); err != nil {
		return err
	}
	p.problems = append(p.problems, stage.problems(len(p.problems) > 0)...)
	for _, file := range p.fetched {
		p.problems = append(p.problems, forget(file))
	}
	return errors.Join(p.problems...)
}

// source fetches a source if a part that it holds is still missing. Only an end of ctx or of the disk is returned;
// other errors are kept, so that the other sources are fetched.
func (p *pull) source(ctx context.Context, s PublishedFile) error {
	missing, err := p.missing(s)
	if err != nil || len(missing) == 0 {
		return err
	}
	err = p.take(ctx, s, func(file string, r Receipt) error { return p.unpack(ctx, s, file, r, missing) })
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		p.failed = true
		p.problems = append(p.problems, err)
	}
	return nil
}

// take fetches a source and has it unpacked. A fetched file that is useless is deleted, so
// that the same command fetches it anew.
func (p *pull) take(ctx context.Context, s PublishedFile, unpack func(file string, r Receipt) error) error {
	file, err := p.get(ctx, s)
	if err != nil {
		return err
	}
	err = unpack(file, Receipt{Origin: s.Name, Address: s.Address(), Retrieved: p.Now().UTC().Format(time.RFC3339)})
	if err != nil && ctx.Err() == nil && s.remote() {
		err = errors.Join(err, forget(file))
	}
	return err
}

// missing lists the parts of a source that are neither in the data folder nor staged.
func (p *pull) missing(s PublishedFile) ([]string, error) {
	environments := p.environments(s)
	if environments == nil {
		return nil, nil
	}
	return p.incomplete(environments, func(f Finding) bool { return slices.Contains(s.Parts, f.ID()) })
}

// incomplete lists the parts of environments that are wanted and neither in the data folder nor staged as a whole.
func (p *pull) incomplete(environments []string, accept func(Finding) bool) (ids []string, err error) {
	found, err := Check(p.Dir, environments)
	for _, f := range found {
		if accept(f) && !f.Usable() && !p.stage.completes(f) {
			ids = append(ids, f.ID())
		}
	}
	return ids, err
}

func (p *pull) get(ctx context.Context, s PublishedFile) (string, error) {
	if !s.remote() {
		info, err := os.Stat(s.URL)
		if err == nil && !info.Mode().IsRegular() {
			err = fmt.Errorf("%s is not a plain file", s.URL)
		}
		if err != nil {
			return "", fmt.Errorf("%s: %w", s.Name, err)
		}
		return s.URL, nil
	}
	file := filepath.Join(p.Dir, workName, s.Name)
	p.Note(fmt.Sprintf("%s: %s", s.Name, s.Address()))
	if err := p.download.fetch(ctx, s, file); err != nil {
		return "", err
	}
	p.fetched = append(p.fetched, file)
	return file, nil
}

// unpack stages what is wanted of a source's file.
func (p *pull) unpack(ctx context.Context, s PublishedFile, file string, r Receipt, parts []string) error {
	if s.DataPath != "" {
		return p.stage.offerFile(s.DataPath, file, s.remote(), r)
	}
	about, err := walkArchive(ctx, file, usualLimits, func(name string, _ int64, content io.Reader) error {
		if !candidate(name) {
			return nil
		}
		return p.stage.offer(name, content, r, parts...)
	})
	p.stage.linked = append(p.stage.linked, about.links...)
	if err == nil || ctx.Err() != nil {
		return err
	}
	return fmt.Errorf("%s: %s: %w", s.Name, s.Address(), err)
}

// candidate reports whether an archive's member may have one of the published names.
func candidate(name string) bool {
	base := filepath.Base(name)
	return base == labelName || base == gameName || candidateEnd.MatchString(base)
}

// candidateEnd matches the ends of the names of problems and of story files.
var candidateEnd = regexp.MustCompile(`\.(pddl|z[1-8])$`)

// finish gives up the environments that are not complete, and reports them.
func (p *pull) finish() error {
	for _, env := range environments() {
		if !p.wantsEnv(env) {
			continue
		}
		lacking, err := p.incomplete([]string{env}, func(f Finding) bool {
			// What is staged of a part that is not needed counts as well.
			return f.Needed || p.stage.counts()[f.ID()] > 0
		})
		if err != nil {
			return err
		}
		if len(lacking) == 0 {
			continue
		}
		for _, part := range p.stage.finder.parts {
			if folder, _, _ := strings.Cut(part.Folder, "/"); part.Env == env {
				if err := p.stage.drop(folder); err != nil {
					return err
				}
			}
		}
		p.problems = append(p.problems, fmt.Errorf("%s is not complete, and nothing of it was placed: %s is missing",
			env, strings.Join(lacking, " and ")))
	}
	if p.failed {
		p.fetched = nil // the same command takes what is there
	}
	return nil
}
