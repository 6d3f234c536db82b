package serve

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"heldout/envs/spelling"
	"heldout/scoring/table"
)

// The batch route: many steps and resets in one request.
const (
	batchProtocol = "v1"
	batchPath     = "/v1/step"
	// maxBatch is the largest number of entries, maxOpen the largest number of sessions opened at once.
	maxBatch, maxOpen = 8192, 4096
	// batchTime bounds a whole batch: entries that have not begun by then are refused.
	batchTime = 60 * time.Second
)

func (s *Server) batchRoutes() {
	s.mux.HandleFunc("GET /v1/envs", s.listEnvs)
	s.mux.HandleFunc("GET /v1/envs/{env}/tasks", s.listTasks)
	s.mux.HandleFunc("POST /v1/sessions", s.openSessions)
	s.mux.HandleFunc("DELETE /v1/sessions/{id}", s.closeSession)
	s.mux.HandleFunc("POST "+batchPath, s.batch)
	s.mux.HandleFunc("POST /v1/fork", s.forkSessions)
	s.mux.HandleFunc("POST /v1/close", s.closeSessions)
}

func (s *Server) listEnvs(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, s.envList())
}

// envList lists the environments. It opens the default split of each.
func (s *Server) envList() any {
	type listed struct {
		Name   string      `json:"name"`
		Splits []splitInfo `json:"splits"`
		*settled
		Error string `json:"error,omitempty"`
	}
	list := []listed{}
	for _, m := range s.options.Mounts {
		l := listed{Name: m.Name, Splits: splitList(m)}
		if settled, err := m.settle(); err != nil {
			l.Error = err.Error()
		} else {
			l.settled = &settled
		}
		list = append(list, l)
	}
	return map[string]any{"version": s.options.Version, "envs": list}
}

// listTasks answers GET /v1/envs/{env}/tasks?split=NAME.
func (s *Server) listTasks(w http.ResponseWriter, r *http.Request) {
	m, ok := s.Mount(r.PathValue("env"))
	if !ok {
		notFound(w)
		return
	}
	list, err := taskList(m, r.URL.Query().Get("split"))
	answer(w, list, err)
}

// taskList lists the tasks of a split. The error is a *ChoiceError if there is no such split.
func taskList(m *Mount, split string) (any, error) {
	set, err := m.Set(split)
	if err != nil {
		return nil, err
	}
	return map[string]any{"env": m.Name, "split": set.Name, "tasks": taskRange(set.Tasks, 0, len(set.Tasks))}, nil
}

// openSessions answers POST /v1/sessions with the ids of the sessions that it opens.
func (s *Server) openSessions(w http.ResponseWriter, r *http.Request) {
	body, ok := readBody(w, r)
	if !ok {
		return
	}
	var q sessionsWanted
	if body != nil && strictly(body, &q) != nil {
		answer(w, nil, &ChoiceError{"body", `want {"env": NAME, "count": N}`})
		return
	}
	sessions, err := s.openAll(q, Owner{Protocol: batchProtocol, Address: addressOf(r)})
	answer(w, map[string]any{"sessions": idsOf(sessions)}, err)
}

type sessionsWanted struct {
	Env   string   `json:"env"`
	Count *integer `json:"count"`
}

func idsOf(sessions []*Session) []string { return table.Each(sessions, (*Session).ID) }

// openAll opens sessions, all of them or none; owner lacks the mount. The error is a
// *ChoiceError for what cannot be opened, a *CapacityError or an *EndedError.
func (s *Server) openAll(q sessionsWanted, owner Owner) ([]*Session, error) {
	count := q.Count.or(1)
	m, err := s.mountOr(q.Env)
	if err != nil {
		return nil, err
	}
	if count < 1 || count > maxOpen {
		return nil, &ChoiceError{"count", fmt.Sprintf("count is %d, want 1 to %d", count, maxOpen)}
	}
	owner.Mount = m
	sessions := make([]*Session, 0, count)
	for range count {
		session, err := s.table.Open(owner)
		if err != nil {
			closeAll(sessions, Capacity)
			return nil, err
		}
		sessions = append(sessions, session)
	}
	return sessions, nil
}

// unknownMount names the environments that there are.
func (s *Server) unknownMount(name string) error {
	return &ChoiceError{"env", fmt.Sprintf("unknown environment %q%s; there are %s", table.Shortened(name, quotedBytes),
		spelling.Hint(name, s.names()), strings.Join(s.names(), ", "))}
}

// mountOr returns the mount with that name; without a name, the only one.
func (s *Server) mountOr(name string) (*Mount, error) {
	m, ok := s.Mount(name)
	switch {
	case ok:
		return m, nil
	case name == "" && len(s.options.Mounts) == 1:
		return s.options.Mounts[0], nil
	}
	return nil, s.unknownMount(name)
}

// closeSession answers DELETE /v1/sessions/{id}.
func (s *Server) closeSession(w http.ResponseWriter, r *http.Request) {
	session, ok := s.batchSession(r.PathValue("id"))
	if !ok {
		refuse(w, http.StatusNotFound, "unknown session")
		return
	}
	session.Close(ByClient)
	writeJSON(w, http.StatusOK, map[string]bool{"closed": true})
}

// batchSession returns a session of this protocol.
func (s *Server) batchSession(id string) (*Session, bool) {
	session, ok := s.table.Find(id)
	return session, ok && session.owner.Protocol == batchProtocol
}

// batchEntry is a step or a reset of a batch, or asks for the valid actions.
type batchEntry struct {
	Session string          `json:"session"`
	Action  *string         `json:"action"`
	Reset   json.RawMessage `json:"reset"`
	Actions bool            `json:"actions"`
	Sampled                 // of an action
}

// check reports an entry that does not ask for one thing.
func (e *batchEntry) check() error {
	if !single(e.Action != nil, e.Reset != nil, e.Actions) || e.Action == nil &&
		(e.TokenIDs != nil || e.Logprobs != nil) {
		return errInvalidEntry
	}
	if err := e.Sampled.check(); err != nil {
		return &frameError{Code: validationError, Message: "Invalid entry: " + err.Error()}
	}
	return nil
}

// single reports whether exactly one of these is true.
func single(conditions ...bool) bool {
	first := slices.Index(conditions, true)
	return first >= 0 && !slices.Contains(conditions[first+1:], true)
}

// batch answers POST /v1/step.
func (s *Server) batch(w http.ResponseWriter, r *http.Request) {
	body, ok := readBytes(w, r)
	if !ok {
		return
	}
	var q struct {
		Steps []json.RawMessage `json:"steps"`
	}
	if tooDeep(body) || json.Unmarshal(body, &q) != nil || len(q.Steps) == 0 || len(q.Steps) > maxBatch {
		refuse(w, http.StatusBadRequest, `want {"steps": [{"session": ID, "action": TEXT}, `+
			`{"session": ID, "reset": {…}} or {"session": ID, "actions": true}, …]} with 1 to 8192 entries`)
		return
	}
	writeJSON(w, http.StatusOK, s.stepMany(q.Steps))
}

// stepMany carries out a batch. A bad entry gets an error in its place.
func (s *Server) stepMany(raw []json.RawMessage) resultList {
	began := s.options.Now()
	late := began.Add(batchTime)
	entries, sessions, answers := make([]batchEntry, len(raw)), make([]*Session, len(raw)), make([]any, len(raw))
	for i := range raw {
		var err error
		if sessions[i], err = s.readEntry(raw[i], &entries[i]); err != nil {
			answers[i] = entryError(err)
		}
	}
	sideBySide(sessions, answers, func(i int, first bool) (any, error) {
		if !first && s.options.Now().After(late) {
			return nil, errLate
		}
		return entries[i].carryOut(sessions[i])
	}, entryError)
	s.metrics.batches.Update(s.options.Now().Sub(began).Seconds())
	return resultList{answers}
}

var errLate = &frameError{Code: executionError,
	Message: "the batch took longer than " + batchTime.String() + ": send fewer entries"}

// readEntry reads an entry and finds its session.
func (s *Server) readEntry(raw json.RawMessage, e *batchEntry) (*Session, error) {
	if json.Unmarshal(raw, e) != nil || kind(raw) != '{' {
		return nil, errInvalidEntry
	}
	if err := e.check(); err != nil {
		return nil, err
	}
	session, ok := s.batchSession(e.Session)
	if !ok {
		return nil, unknownSession(e.Session)
	}
	return session, nil
}

// unknownSession reports a session that is not there, or is not the client's.
func unknownSession(id string) error {
	return &frameError{Code: sessionError, Message: "Unknown session_id: " + table.Shortened(id, quotedBytes)}
}

var errInvalidEntry = &frameError{Code: validationError,
	Message: `Invalid entry: want {"session": ID} with either "action": TEXT, "reset": {…} or "actions": true; an ` +
		`action may have "token_ids": [N, …] and "logprobs": [X, …]`}

func (e *batchEntry) carryOut(session *Session) (any, error) {
	if e.Action != nil {
		r, err := session.Take(ClientAction{*e.Action, e.Sampled})
		return observationOf(&r, false), err
	}
	if e.Actions {
		actions, err := session.Actions()
		return actionList{actions}, err
	}
	r, err := session.resetBy(e.Reset)
	return observationOf(&r, true), err
}

// resetBy starts the episode that the arguments of a reset choose.
func (s *Session) resetBy(arguments json.RawMessage) (Reply, error) {
	episode, bad, err := s.owner.Mount.readReset(arguments)
	switch {
	case len(bad) > 0:
		return Reply{}, &frameError{Code: validationError, Message: "Invalid reset: " + listed(bad), Errors: bad}
	case err != nil:
		return Reply{}, err
	}
	return s.Reset(episode)
}

func entryError(err error) any {
	e := errorFrame(err)
	var answer struct {
		Error struct {
			Code    string       `json:"code"`
			Message string       `json:"message"`
			Errors  []fieldError `json:"errors,omitempty"`
		} `json:"error"`
	}
	answer.Error.Code, answer.Error.Message, answer.Error.Errors = e.Code, e.Message, e.Errors
	return answer
}

// batchWorkers is how many sessions of a request are stepped at the same time.
const batchWorkers = 32

// resultList answers a request with many entries.
type resultList struct {
	Results []any `json:"results"`
}

// sideBySide fills in the answers of those entries of a request that have a session. Entries of one session run in
// order, sessions in parallel. Step carries out the entry at a place; first is its session's first one. Fail is the
// answer to an error: if a session ends while a step goes on and on, all its entries have one.
func sideBySide(sessions []*Session, answers []any, step func(place int, first bool) (any, error),
	fail func(error) any) {
	places := map[*Session][]int{}
	for place, session := range sessions {
		places[session] = append(places[session], place)
	}
	var stepping errgroup.Group
	stepping.SetLimit(batchWorkers)
	for place, session := range sessions {
		own := places[session]
		if session == nil || own[0] != place {
			continue
		}
		stepping.Go(func() error {
			replies, err := runUntilEnd(session, func() ([]any, error) { return inOrder(own, step, fail), nil })
			for i, place := range own {
				if err != nil {
					answers[place] = fail(err)
				} else {
					answers[place] = replies[i]
				}
			}
			return nil
		})
	}
	_ = stepping.Wait() // always nil
}

// inOrder carries out the entries of one session.
func inOrder(places []int, step func(place int, first bool) (any, error), fail func(error) any) []any {
	replies := make([]any, len(places))
	for i, place := range places {
		reply, err := step(place, i == 0)
		if err != nil {
			reply = fail(err)
		}
		replies[i] = reply
	}
	return replies
}
