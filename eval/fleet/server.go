package fleet

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"heldout/eval/model"
	"heldout/scoring/record"
)

// server is one server of a fleet. The fleet's lock protects its fields.
type server struct {
	address string
	client  *model.Client
	// calls are in flight, with so many tokens, estimated.
	calls, tokens int
	// latency is the running mean of the time of a call, in seconds; 0 before the first.
	latency float64
	// answered is when the last call was answered, and accepted the latest beginning of one that was.
	answered, accepted time.Time
	// doubt is nil while no call has failed since the last one that was answered.
	doubt *doubt
	// aside is nil while the server is in use.
	aside *aside
	// removed: the server has left the list.
	removed bool
}

// isOut reports whether the server is not in use. The caller holds the lock.
func (s *server) isOut() bool { return s.removed || s.aside != nil }

// aside is why a server is out of use.
type aside struct {
	cause string
	since time.Time
	// began is when the call began whose failure set it aside. An answer to a later one ends that.
	began time.Time
	// rests is until when it asks for no calls, and asked the wait that it asked for; zero if it does not.
	rests     time.Time
	requested time.Duration
	// trial is a call that the server must answer before it is used again; nil for none.
	trial *model.Request
	// refuses: it refuses calls.
	refuses bool
	// fresh: it has just joined and was not in use yet.
	fresh bool
}

// server asks every server about itself. All must serve the same model. A server
// that is not there is set aside; it is an error if none is.
func (f *Fleet) server(ctx context.Context) (record.ServerReport, error) {
	f.mu.Lock()
	servers := f.present()
	f.mu.Unlock()
	silent, heard := context.WithCancel(ctx)
	f.work.Go(func() { f.explain(silent, servers[0]) })
	abouts, errs := interview(ctx, servers, heard)
	heard()
	first := slices.Index(errs, nil)
	if first < 0 {
		return record.ServerReport{}, errors.Join(errs...)
	}
	var roots []string
	for i, s := range servers {
		if errs[i] != nil {
			continue
		}
		if err := f.same(abouts[first], abouts[i]); err != nil {
			return record.ServerReport{},
				fmt.Errorf("%s and %s do not serve the same model: %w", servers[first].client.URL(),
					s.client.URL(), err)
		}
		if root := abouts[i].Root; root != "" && f.o.SameWeights && !slices.Contains(roots, root) {
			roots = append(roots, root)
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.about = &abouts[first]
	f.about.Roots = roots
	for i, s := range servers {
		if errs[i] != nil {
			f.setAside(s, &aside{cause: errs[i].Error()}, 0)
		}
	}
	return abouts[first], nil
}

// silence is how long the questions at the start may take before a line says why.
const silence = 3 * time.Second

// explain says why no server has told about itself yet, by the example of one. ctx is done once one has.
func (f *Fleet) explain(ctx context.Context, s *server) {
	if model.Pause(ctx, silence); ctx.Err() != nil {
		return
	}
	cause := "it answers, and has not told all about itself yet"
	if err := s.client.List(ctx); err != nil {
		cause = err.Error()
	}
	if ctx.Err() == nil {
		f.tell("the run waits for its model servers: %s: %s", s.client.URL(), cause)
	}
}

// interview asks servers about themselves. Once one has answered, which it passes on
// to heard, the others have little time.
func interview(ctx context.Context, servers []*server, heard func()) ([]record.ServerReport, []error) {
	abouts, errs := make([]record.ServerReport, len(servers)), make([]error, len(servers))
	limited, cancel := context.WithCancel(ctx)
	defer cancel()
	var group sync.WaitGroup
	for i, s := range servers {
		group.Go(func() {
			abouts[i], errs[i] = s.client.Server(limited)
			if errs[i] == nil {
				errs[i] = ctx.Err() // a report that was cut short is not what the server says of itself
			}
			if errs[i] == nil {
				heard()
				time.AfterFunc(patience, cancel)
			} else if ctx.Err() == nil {
				errs[i] = late(limited, errs[i])
			}
		})
	}
	group.Wait()
	return abouts, errs
}

// Changed asks the servers in use again what they serve. If one of them has another model than the fleet began with,
// Changed returns its report, and what has changed. A name may be given to another model while a server runs, and
// replies do not tell.
func (f *Fleet) Changed(ctx context.Context) (now record.ServerReport, change string) {
	f.mu.Lock()
	reference, servers := f.about, f.present()
	f.mu.Unlock()
	if reference == nil {
		return now, ""
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	abouts, errs := interview(ctx, servers, func() {})
	for i, about := range abouts {
		if errs[i] != nil {
			continue
		}
		about.ContextLength, about.Roots = reference.ContextLength, reference.Roots
		if changed := record.Changes(*reference, about); len(changed) > 0 {
			return about, strings.Join(changed, "; ")
		}
	}
	return now, ""
}

// same reports in which respect two servers differ that should serve one model.
func (f *Fleet) same(a, b record.ServerReport) error {
	if a.Present != b.Present {
		absent := a
		if a.Present {
			absent = b
		}
		if len(absent.Models) == 0 {
			return errors.New("only one of them tells the names of its models")
		}
		return fmt.Errorf("only one of them has a model of the name; the other one has %s",
			strings.Join(absent.Models, ", "))
	}
	for _, x := range []struct{ name, a, b string }{
		{"software", a.Software, b.Software},
		{"version of the software", a.Version, b.Version},
		{"context length", fmt.Sprint(a.ContextLength), fmt.Sprint(b.ContextLength)},
		{"parent of the model", a.Parent, b.Parent},
		{"digest of the model", a.Digest, b.Digest},
		{"size of the model", a.Size, b.Size},
	} {
		if x.a != x.b {
			return fmt.Errorf("the %s is %q and %q", x.name, x.a, x.b)
		}
	}
	if a.Root != b.Root && !f.o.SameWeights {
		return fmt.Errorf("the root of the model is %q and %q; --set same-weights says that both hold the same weights", a.Root, b.Root)
	}
	return nil
}
