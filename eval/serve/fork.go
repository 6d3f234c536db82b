package serve

import (
	"encoding/json"
	"errors"
	"net/http"

	"heldout/envs"
	"heldout/envs/datafile"
	"heldout/scoring/table"
)

// errBusy answers a fork of a session whose request is still running.
var errBusy = errors.New("the session is busy: fork it after its step")

// Fork opens sessions whose episodes go on from the present moment of this one, all of them or none. They have its
// owner, but for Ended. The error is ErrNoEpisode without a running episode, a *CapacityError, an *EndedError or,
// if the environment cannot fork, a *ChoiceError.
func (s *Session) Fork(count int) (forks []*Session, err error) {
	if !s.mu.TryLock() {
		return nil, errBusy
	}
	s.mu.Unlock()
	if err := s.begin(); err != nil {
		return nil, err
	}
	defer s.end()
	defer func() {
		if err != nil {
			closeAll(forks, Capacity)
			forks = nil
		}
	}()
	defer s.guard(&err)
	if s.world == nil {
		return nil, ErrNoEpisode
	}
	forker, ok := envs.As[envs.Forker](s.world)
	if !ok {
		return nil, &ChoiceError{"session", "the environment cannot fork"}
	}
	owner := s.owner
	owner.Ended = nil
	for range count {
		world, err := forker.Fork()
		if err != nil {
			return forks, err
		}
		fork, err := s.table.Open(owner)
		if err != nil {
			return forks, errors.Join(err, world.Close())
		}
		fork.mu.Lock()
		fork.episode, fork.world, fork.last = s.episode, world, s.last
		s.table.worlds.Add(1)
		if s.record != nil {
			fork.record = s.record.fork(s.table.options.Now())
		}
		fork.unused.Store(true)
		fork.mu.Unlock()
		fork.clear() // in case it has ended meanwhile
		forks = append(forks, fork)
	}
	return forks, nil
}

// attach gives a fork to the client that comes for it, and reports whether it had none. Ended is as for an owner.
func (s *Session) attach(ended func(EndReason)) bool {
	if !s.ended.CompareAndSwap(nil, &ended) {
		return false
	}
	if s.endErr.Load() != nil && s.ended.CompareAndSwap(&ended, nil) {
		return false // it ended meanwhile, and told nobody
	}
	s.Touch()
	return true
}

type forkWanted struct {
	Session string   `json:"session"`
	Count   *integer `json:"count"`
}

// wantForks says what forks sessions.
const wantForks = `want {"forks": [{"session": ID, "count": N}, …]} with 1 to 4096 sessions in all`

// forkSessions answers POST /v1/fork with the ids of the forks of each entry: of all entries or of none.
func (s *Server) forkSessions(w http.ResponseWriter, r *http.Request) {
	body, ok := readBody(w, r)
	if !ok {
		return
	}
	var q struct {
		Forks []forkWanted `json:"forks"`
	}
	if strictly(body, &q) != nil {
		refuse(w, http.StatusBadRequest, wantForks)
		return
	}
	forks := make([]forked, len(q.Forks))
	for i, f := range q.Forks {
		session, found := s.batchSession(f.Session)
		if !found {
			refuse(w, http.StatusNotFound, "unknown session "+table.Shortened(f.Session, quotedBytes))
			return
		}
		forks[i] = forked{session: session, count: f.Count.or(1)}
	}
	err := forkAll(forks)
	answer(w, map[string]any{"sessions": table.Each(forks, func(f forked) []string { return idsOf(f.forks) })}, err)
}

type forked struct {
	session *Session
	count   int
	forks   []*Session
}

// forkAll forks sessions: all as often as is asked, or none.
func forkAll(forks []forked) error {
	total := 0
	for _, f := range forks {
		if f.count < 1 || f.count > maxOpen {
			return &ChoiceError{"forks", wantForks}
		}
		total += f.count
	}
	if total < 1 || total > maxOpen {
		return &ChoiceError{"forks", wantForks}
	}
	for i := range forks {
		f := &forks[i]
		var err error
		if f.forks, err = f.session.Fork(f.count); err != nil {
			for _, done := range forks[:i] {
				closeAll(done.forks, Capacity)
			}
			return err
		}
	}
	return nil
}

// closeSessions answers POST /v1/close. Closing a session twice is not an error.
func (s *Server) closeSessions(w http.ResponseWriter, r *http.Request) {
	body, ok := readBody(w, r)
	if !ok {
		return
	}
	var q struct {
		Sessions []string `json:"sessions"`
	}
	if strictly(body, &q) != nil || len(q.Sessions) > maxBatch {
		refuse(w, http.StatusBadRequest, `want {"sessions": [ID, …]} with at most 8192 sessions`)
		return
	}
	var closing []*Session
	for _, id := range q.Sessions {
		if session, ok := s.batchSession(id); ok {
			closing = append(closing, session)
		}
	}
	closeAll(closing, ByClient)
	writeJSON(w, http.StatusOK, map[string]int{"closed": len(closing)})
}

// fork forks the session of a WebSocket. Each fork is attached by a connection of its own.
func (c *socket) fork(q request) (reply, error) {
	var values jsonObject
	_ = json.Unmarshal(q.data, &values) // it is an object, or nothing
	f := &fields{values: values}
	count := int64(1)
	if n := f.count("count"); n != nil {
		count = *n
	}
	f.errs = append(f.errs, extra(q.data, values, "count")...)
	if len(f.errs) > 0 {
		return reply{}, &frameError{Code: validationError, Message: "Invalid fork: " + listed(f.errs), Errors: f.errs}
	}
	if count < 1 || count > maxOpen {
		return reply{}, &ChoiceError{"count", `want {"type": "fork", "data": {"count": N}} with N from 1 to 4096`}
	}
	forks, err := c.session.Fork(int(count))
	if err != nil {
		return reply{}, err
	}
	return reply{"fork", map[string][]string{"session_ids": idsOf(forks)}}, nil
}

// attach takes a fork whose client comes for it.
func (c *socket) attach(id string, ended func(EndReason)) error {
	session, ok := c.server.table.Find(id)
	if !ok || session.owner.Protocol != openEnv || session.owner.Mount != c.mount {
		return unknownSession(id)
	}
	c.session = session
	if !session.attach(ended) {
		c.session = nil
		return &frameError{Code: sessionError,
			Message: "session_id " + table.Shortened(id, quotedBytes) + " has a client already"}
	}
	return nil
}

// Keys name where an episode is.
type Keys struct {
	// State is equal for two moments of a task if both go on alike, apart from the steps
	// that are left; empty if the environment cannot tell. See envs.StateKey.
	State       string `json:"state_key,omitzero"`
	Observation string `json:"observation_key"`     // equal for equal observations of a task
	StepsLeft   *int   `json:"steps_left,omitzero"` // the number of steps until the limit; nil without one
}

// keys sets the keys of a reply, if they were asked for.
func (e *EpisodeStart) keys(w envs.World, r *Reply) (err error) {
	if !e.Keys {
		return nil
	}
	r.Keys = &Keys{Observation: datafile.Hash(e.Task.Digest + "\n" + r.Observation)[:16]}
	if e.MaxSteps > 0 {
		r.Keys.StepsLeft = new(max(0, e.MaxSteps-r.Steps))
	}
	r.Keys.State, err = envs.StateKey(e.Task, w)
	return err
}

// pipeForks asks for forks: [SESSION, COUNT].
type pipeForks [2]int

// fork forks sessions, and answers with the number of the first fork. The others follow, in
// the order of the entries.
func (p *pipe) fork(q []pipeForks) (any, error) {
	forks := make([]forked, len(q))
	for i, f := range q {
		session := p.session(f[0])
		if session == nil {
			return nil, errClosed
		}
		forks[i] = forked{session: session, count: f[1]}
	}
	if err := forkAll(forks); err != nil {
		return nil, err
	}
	var sessions []*Session
	for _, f := range forks {
		sessions = append(sessions, f.forks...)
	}
	return p.take(sessions), nil
}
