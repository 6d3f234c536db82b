package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/outside/lines"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

// programProtocol is the version of the lines between heldout and an agent of the user's. heldout help own-agent
// describes them.
const programProtocol = 1

// Program is an agent of the user's: a process that plays many episodes at once over lines of JSON. It is safe for
// concurrent use.
type Program struct {
	// Called is the name that it gives itself, and Identity says more.
	Called   string
	Identity configs.Identity

	lines            *lines.Program[programAnswer]
	timeout, episode time.Duration
}

// programRequest is a line to an agent.
type programRequest struct {
	lines.Head
	Episode string `json:"episode,omitzero"`
	// Store is the hash that the program's store had at the end of the last recorded episode.
	Store string `json:"store,omitzero"`
	*ProgramEpisode
	Observation *string  `json:"observation,omitzero"`
	Actions     []string `json:"actions,omitzero"`
	*programEnd
}

// ProgramEpisode is what a program is told of an episode before its first action. Examples are worked episodes, as
// prompts have them.
type ProgramEpisode struct {
	Env         string   `json:"env"`
	Task        string   `json:"task"`
	Kind        string   `json:"kind"`
	Split       string   `json:"split"`
	Seed        int64    `json:"seed"`
	StepLimit   int      `json:"step_limit"`
	Instruction string   `json:"instruction"`
	Examples    []string `json:"examples"`
	Goal        string   `json:"goal"`
}

// programEnd is what a program is told at the end of an episode.
type programEnd struct {
	Outcome  record.Outcome `json:"outcome"`
	Success  bool           `json:"success"`
	Progress float64        `json:"progress"`
	Reason   string         `json:"reason,omitzero"`
}

// What a program is asked for.
const (
	askAbout  = "describe"
	askFirst  = "start"
	askNext   = "step"
	askListed = "actions"
	askEnd    = "end"
)

// programAnswer is a line of an agent.
type programAnswer struct {
	lines.Envelope
	Action  *string       `json:"action"`
	Thought string        `json:"thought"`
	Reply   string        `json:"reply"`
	Usage   record.Usage  `json:"usage"`
	Notes   []record.Note `json:"notes"`
	// Want is empty, or "actions" for the list of what is possible now.
	Want string `json:"want"`
	// Stop: the agent gives up.
	Stop bool `json:"stop"`
	// Store is a hash of what the agent remembers, with the first and the last answer of an episode.
	Store string `json:"store"`
}

// mostUsage is the largest number of a usage, and mostNotes the largest number of notes of a step.
const mostUsage, mostNotes = 1 << 40, 1000

func (a *programAnswer) check() error {
	u := a.Usage
	for _, n := range []int{u.Calls, u.PromptTokens, u.CompletionTokens, u.CachedTokens, u.ReasoningTokens} {
		if n < 0 || n > mostUsage {
			return fmt.Errorf("it gives a usage of %d, want 0 to %d", n, mostUsage)
		}
	}
	if a.Store != "" && !configs.IsHash(a.Store) {
		return fmt.Errorf("it gives the store %.80q, want 8 to 64 hex digits", a.Store)
	}
	if len(a.Notes) > mostNotes {
		return fmt.Errorf("it gives %d notes at once, want at most %d", len(a.Notes), mostNotes)
	}
	return nil
}

func (a *programAnswer) usage() Usage {
	u := a.Usage
	if u.PromptTokens+u.CompletionTokens > 0 {
		u.Calls = max(u.Calls, 1)
	}
	return Usage{Usage: u, Requests: u.Calls}
}

// CrashError is what went wrong in an agent of the user's in one episode; others go on.
type CrashError struct{ Text string }

// Error begins with the last line, which says most of a traceback.
func (e *CrashError) Error() string {
	text := strings.TrimSpace(e.Text)
	if i := strings.LastIndexByte(text, '\n'); i >= 0 {
		return "the agent: " + strings.TrimSpace(text[i:]) + "\n" + text
	}
	return "the agent: " + text
}

// GoneError says that an agent of the user's plays no more.
type GoneError struct {
	Called string
	Err    error
}

// Error says what the program did last, and how it plays on.
func (e *GoneError) Error() string {
	return fmt.Sprintf("the agent %s plays no more: %v\nwhen it is mended, the same command plays what is missing",
		e.Called, e.Err)
}

// Unwrap returns what the program did.
func (e *GoneError) Unwrap() error { return e.Err }

// programAbout is what a program says of itself.
type programAbout struct {
	lines.Envelope
	Protocol int            `json:"protocol"`
	Name     string         `json:"name"`
	Version  string         `json:"version"`
	Hash     string         `json:"hash"`
	Sampling map[string]any `json:"sampling"`
}

// StartProgram starts a shell command as an agent, unless ctx ends before. An answer may take as long as the timeout,
// and an episode as long as its own; 0 sets no limit to episodes.
func StartProgram(ctx context.Context, command string, timeout, episode time.Duration) (*Program, error) {
	p := &Program{timeout: timeout, episode: episode}
	greeting := &programRequest{Head: lines.Head{Ask: askAbout, Protocol: programProtocol}}
	started, err := lines.Start[programAnswer](ctx, command, timeout, greeting, p.describe)
	if err != nil {
		return nil, fmt.Errorf("the agent %.100q: %w", command, err)
	}
	p.lines = started
	return p, nil
}

// describe reads what the program says of itself.
func (p *Program) describe(line []byte) error {
	var a programAbout
	err := lines.Parse(line, &a)
	switch {
	case err != nil:
		return err
	case a.Error != "":
		return &lines.SaidError{Text: a.Error}
	case a.ID != 0:
		return fmt.Errorf("it answers the request %d, and there is only 0", a.ID)
	case a.Protocol != programProtocol:
		return fmt.Errorf("it speaks protocol %d, and heldout %d", a.Protocol, programProtocol)
	case a.Hash+a.Version == "":
		return errors.New("it gives neither hash nor version, so nothing would show that it changed")
	}
	p.Called = a.Name
	identity := configs.Identity{Version: a.Version, Source: a.Hash, Sampling: a.Sampling}
	return cmp.Or(configs.CheckPlayer(a.Name), p.Identity.Replace(identity.GetSlice()))
}

// Close ends the program.
func (p *Program) Close() error {
	p.lines.Close()
	return nil
}

// ask makes a request in an episode that ends when it is over; nil for no limit. The error is a *CrashError, a
// *GoneError or the error of ctx.
func (p *Program) ask(ctx context.Context, r *programRequest, done <-chan time.Time) (a programAnswer, err error) {
	answers, err := p.lines.Request(r)
	if err == nil {
		select {
		case d := <-answers:
			a, err = d.Answer, cmp.Or(d.Err, d.Answer.check())
		case <-ctx.Done():
			return a, ctx.Err()
		case <-time.After(p.timeout):
			err = fmt.Errorf("it has not answered %q within %v", r.Ask, p.timeout)
		case <-done:
			err = fmt.Errorf("it has played the episode for %v, as long as episode-timeout lets it", p.episode)
		}
	}
	if err == nil {
		return a, nil
	}
	if failure := p.lines.Failure(); failure != nil {
		return a, &GoneError{p.Called, failure}
	}
	if failure, ok := errors.AsType[*lines.SaidError](err); ok {
		return a, &CrashError{failure.Text}
	}
	return a, &CrashError{err.Error()}
}

// programAgent plays an episode.
type programAgent struct {
	program *Program
	world   envs.World
	turn    Turn
	store   record.StoreHashes
	next    programRequest
	acted   bool // and was not told yet what came of it
	done    <-chan time.Time
}

// Turn is the place of an episode among those that a program plays: its id among those in flight, the hash of the
// store that the last one left, and whether they are played in order, as a store needs.
type Turn struct {
	ID, Store string
	Ordered   bool
}

// NewProgramAgent returns an agent that is played by a program.
func NewProgramAgent(p *Program, turn Turn, about ProgramEpisode, in configs.Instructions, w envs.World,
	observation string) Agent {
	about.Instruction = strings.TrimSpace(in.System + "\n\n" + in.Instruction)
	about.Examples = table.Each(in.Examples, func(e configs.Example) string { return renderExample(e, true) })
	a := &programAgent{program: p, world: w, turn: turn, next: programRequest{Head: lines.Head{Ask: askFirst},
		Episode: turn.ID, Store: turn.Store, ProgramEpisode: &about, Observation: &observation}}
	if p.episode > 0 {
		a.done = time.After(p.episode)
	}
	return a
}

// Act implements Agent.
func (a *programAgent) Act(ctx context.Context) (Move, error) {
	var move Move
	a.acted = false
	for {
		answer, err := a.program.ask(ctx, &a.next, a.done)
		move.Usage.plus(answer.usage())
		move.Notes = append(move.Notes, answer.Notes...)
		if err == nil && a.next.Ask == askFirst {
			err = a.remembers(answer.Store)
		}
		if err != nil {
			return move, err
		}
		switch {
		case answer.Stop:
			move.GiveUp = true
		case answer.Want == askListed:
			if a.next, err = a.listed(ctx); err != nil {
				return move, err
			}
			continue
		case answer.Want != "":
			return move, &CrashError{fmt.Sprintf("it wants %.40q, and only %q is to be had", answer.Want, askListed)}
		case answer.Action == nil:
			return move, &CrashError{fmt.Sprintf("its answer to %s has none of action, want, stop and error",
				a.next.Ask)}
		default:
			a.acted = true
			move.Thought, move.Action, move.Reply = answer.Thought, *answer.Action, answer.Reply
		}
		return move, nil
	}
}

// remembers takes the hash of the program's store before the episode.
func (a *programAgent) remembers(hash string) error {
	a.store.Before = hash
	switch {
	case hash != "" && !a.turn.Ordered:
		return &CrashError{"it has a store, which needs --set order=sequential: episodes at once would share it"}
	case hash == a.turn.Store || a.turn.Store == "":
		return nil
	}
	return &GoneError{a.program.Called, fmt.Errorf("its store has the hash %s, and the last recorded episode left %s: "+
		"put back the store of then, or begin anew with another --out", cmp.Or(hash, "of nothing"), a.turn.Store)}
}

// listed is the request that has the valid actions; without them if the environment does not list any.
func (a *programAgent) listed(ctx context.Context) (programRequest, error) {
	r := a.request(askListed)
	lister, ok := envs.As[envs.Lister](a.world)
	if !ok {
		return r, nil
	}
	actions, err := lister.Actions(ctx)
	if err != nil {
		return r, &WorldError{err}
	}
	r.Actions = slices.Concat([]string{}, actions)
	return r, nil
}

func (a *programAgent) request(ask string) programRequest {
	return programRequest{Head: lines.Head{Ask: ask}, Episode: a.next.Episode}
}

// Observe implements Agent.
func (a *programAgent) Observe(observation string) string {
	a.next = a.request(askNext)
	a.next.Observation = &observation
	return observation
}

// End implements Ending.
func (a *programAgent) End(ctx context.Context, rec *record.Episode, outcome record.Outcome, cause error) (Move,
	error) {
	r := a.request(askEnd)
	if n := len(rec.Trajectory); a.acted && n > 0 {
		r.Observation = &rec.Trajectory[n-1].Observation
	}
	r.programEnd = &programEnd{Outcome: outcome, Success: outcome == record.Success, Progress: rec.Progress}
	if cause != nil {
		r.Reason = cause.Error()
	}
	answer, err := a.program.ask(ctx, &r, nil)
	if a.store.After = answer.Store; a.store != (record.StoreHashes{}) {
		rec.Store = &a.store
	}
	if err == nil && cause == nil && (a.store.Before == "") != (a.store.After == "") {
		err = &CrashError{"it gives the hash of its store with the first or the last answer of an episode, and not with both"}
	}
	return Move{Usage: answer.usage(), Step: record.Step{Notes: answer.Notes}}, err
}
