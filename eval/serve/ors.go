package serve

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// orsProtocol is the name of the Open Reward Standard in metrics and logs.
const orsProtocol = "ors"

// orsIdle ends a session without a call or a ping.
const orsIdle = 900 * time.Second

// maxSessionName is the longest name of a session, in bytes. Clients may make their
// own.
const maxSessionName = 255

// orsSessions are the sessions of the Open Reward Standard, by the names that their
// clients send in a header.
type orsSessions struct {
	mu     sync.Mutex
	byName map[string]*orsSession
}

// orsSession is a session with its episode, of which there is only one.
type orsSession struct {
	name string
	// mount, session and prompt are nil or empty until the episode has started.
	mount   *Mount
	session *Session
	prompt  string

	mu       sync.Mutex // held by the running call
	finished bool
	broken   error // of the environment, which every later call meets again
	// call is the id of the last call, and answer its answer, for a client that lost
	// its connection.
	call   string
	answer []byte
}

// reserve makes a session of a name, if there is none.
func (o *orsSessions) reserve(name string) (*orsSession, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.byName[name] != nil {
		return nil, false
	}
	s := &orsSession{name: name}
	if o.byName == nil {
		o.byName = map[string]*orsSession{}
	}
	o.byName[name] = s
	return s, true
}

func (o *orsSessions) forget(s *orsSession) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.byName[s.name] == s {
		delete(o.byName, s.name)
	}
}

// find returns a session whose episode has started.
func (o *orsSessions) find(name string) (*orsSession, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	s := o.byName[name]
	return s, s != nil && s.session != nil
}

// started makes a session visible.
func (o *orsSessions) started(s *orsSession, session *Session, mount *Mount, prompt string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	s.session, s.mount, s.prompt = session, mount, prompt
}

type orsRoute struct {
	method string
	answer func(*Server, http.ResponseWriter, *http.Request)
}

// orsRoutes are those without an environment.
var orsRoutes = map[string]orsRoute{
	"version":           {http.MethodGet, (*Server).orsVersion},
	"list_environments": {http.MethodGet, (*Server).orsEnvironments},
	"create_session":    {http.MethodPost, (*Server).orsCreateSession},
	"create":            {http.MethodPost, (*Server).orsCreate},
	"ping":              {http.MethodPost, (*Server).orsPing},
	"delete":            {http.MethodPost, (*Server).orsDelete},
	"delete_session":    {http.MethodPost, (*Server).orsDelete},
}

// orsMountRoutes are the methods of those below an environment.
var orsMountRoutes = map[string]string{
	"splits": http.MethodGet, "tools": http.MethodGet, "task_tools": http.MethodGet, "prompt": http.MethodGet,
	"tasks": http.MethodPost, "num_tasks": http.MethodPost, "task": http.MethodPost, "task_range": http.MethodPost,
	"call": http.MethodPost, "actions": http.MethodGet, // which is an extension
}

// root answers what no other protocol has a pattern for: the Open Reward Standard
// and, of a single environment, OpenEnv.
func (s *Server) root(w http.ResponseWriter, r *http.Request) {
	first, second, below := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	if route, ok := orsRoutes[first]; ok && !below {
		if r.Method != route.method {
			notAllowed(w, route.method)
			return
		}
		route.answer(s, w, r)
		return
	}
	name := first
	if below {
		name = second
	}
	method, ok := orsMountRoutes[name]
	switch {
	case !ok:
		s.openEnvRoot(w, r)
	case r.Method != method:
		notAllowed(w, method)
	case below:
		s.orsBelow(w, r, first, name)
	default:
		s.orsRedirect(w, r, name)
	}
}

// orsRedirect answers a route that names no environment: for the environment of the
// header X-Deployment, or by a redirection to the first one.
func (s *Server) orsRedirect(w http.ResponseWriter, r *http.Request, route string) {
	if m, ok := s.deployment(r); ok {
		s.orsBelow(w, r, m.Name, route)
		return
	}
	w.Header().Set("Location", "/"+s.options.Mounts[0].Name+"/"+route)
	w.WriteHeader(http.StatusPermanentRedirect)
}

// deployment returns the environment that a request's header names, as NAME or as
// OWNER/NAME.
func (s *Server) deployment(r *http.Request) (*Mount, bool) {
	name := r.Header.Get("X-Deployment")
	return s.Mount(name[strings.LastIndex(name, "/")+1:])
}

func (s *Server) orsBelow(w http.ResponseWriter, r *http.Request, env, route string) {
	m, ok := s.Mount(env)
	switch {
	case !ok:
		refuse(w, http.StatusNotFound, "unknown environment '"+clipped(env)+"'")
	case route == "splits":
		writeJSON(w, http.StatusOK, splitList(m))
	case route == "tools":
		writeRaw(w, http.StatusOK, orsTools)
	case slices.Contains([]string{"task_tools", "prompt", "call", "actions"}, route):
		if o, ok := s.orsFind(w, r); ok {
			s.orsInSession(w, r, o, route)
		}
	default:
		s.answerTasks(w, r, m, route, true)
	}
}

func (s *Server) orsInSession(w http.ResponseWriter, r *http.Request, o *orsSession, route string) {
	o.session.Touch()
	switch route {
	case "task_tools":
		writeRaw(w, http.StatusOK, orsTools)
	case "prompt":
		writeJSON(w, http.StatusOK, blocksOf(o.prompt))
	case "actions":
		s.orsActions(w, o)
	default:
		s.orsCall(w, r, o)
	}
}

func (s *Server) orsActions(w http.ResponseWriter, o *orsSession) {
	actions, err := within(o.session, o.session.Actions)
	switch {
	case errors.Is(err, ErrNoEpisode):
		refuse(w, http.StatusConflict, "the episode is over")
	case err != nil:
		s.unavailable(w, err)
	default:
		writeJSON(w, http.StatusOK, actionList{actions})
	}
}

// orsTools describes the one tool.
var orsTools = []byte(
	`{"tools":[{"name":"act","description":"Carry out one action in the environment, and read what happens.","input_schema":` +
		`{"properties":{"action":{"description":"The action, as text.","title":"Action","type":"string"}},"required":["action"],"title":"ActParams","type":"object"}}],` +
		`"terminal_tool":null,"supports_score_group":false,"message_block_types":["text"]}`)

// orsBlock is a part of a text.
type orsBlock struct {
	Text   string `json:"text"`
	Detail any    `json:"detail"`
	Type   string `json:"type"`
}

func blocksOf(text string) []orsBlock { return []orsBlock{{Text: text, Type: "text"}} }

func (s *Server) orsVersion(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, struct {
		Version string  `json:"version"`
		Build   *string `json:"build_sha"`
	}{Version: s.options.Version})
}

func (s *Server) orsEnvironments(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, s.names())
}

// sessionName returns the name of a request's session. It answers a request without
// one and returns false.
func sessionName(w http.ResponseWriter, r *http.Request) (string, bool) {
	name := r.Header.Get("X-Session-ID")
	switch {
	case name == "":
		refuse(w, http.StatusBadRequest, "X-Session-ID header is required")
	case len(name) > maxSessionName:
		refuse(w, http.StatusBadRequest, "X-Session-ID is longer than 255 bytes")
	default:
		return name, true
	}
	return "", false
}

// orsFind returns the session of a request. It answers a request without one and
// returns false.
func (s *Server) orsFind(w http.ResponseWriter, r *http.Request) (*orsSession, bool) {
	name, ok := sessionName(w, r)
	if !ok {
		return nil, false
	}
	o, ok := s.ors.find(name)
	if !ok {
		refuse(w, http.StatusNotFound, "Active environment not found")
	}
	return o, ok
}

// orsCreateSession gives a client a name for its session, which needs nothing else
// until its episode starts.
func (s *Server) orsCreateSession(w http.ResponseWriter, _ *http.Request) {
	e := newEvents(w)
	e.send("task_id", newID())
	e.send("end", "")
}

func (s *Server) orsPing(w http.ResponseWriter, r *http.Request) {
	if o, ok := s.orsFind(w, r); ok {
		o.session.Touch()
		writeRaw(w, http.StatusOK, []byte(`{"status":"ok"}`))
	}
}

// orsDelete ends a session. A session that is not there counts as ended.
func (s *Server) orsDelete(w http.ResponseWriter, r *http.Request) {
	name, ok := sessionName(w, r)
	if !ok {
		return
	}
	if o, ok := s.ors.find(name); ok {
		o.session.Close(ByClient)
	}
	writeJSON(w, http.StatusOK, map[string]string{"sid": name})
}

func (s *Server) orsCreate(w http.ResponseWriter, r *http.Request) {
	began := s.options.Now()
	name, ok := sessionName(w, r)
	if !ok {
		return
	}
	e, ok := s.orsChoose(w, r)
	if !ok {
		return
	}
	o, ok := s.ors.reserve(name)
	if !ok {
		refuse(w, http.StatusBadRequest, "Session already exists")
		return
	}
	session, err := s.table.Open(Owner{
		Protocol: orsProtocol, Mount: e.Mount, Address: addressOf(r), Idle: orsIdle,
		Ended: func(Reason) { s.ors.forget(o) },
	})
	if err != nil {
		s.ors.forget(o)
		s.unavailable(w, err)
		return
	}
	reply, err := within(session, func() (Reply, error) { return session.Reset(e) })
	if err != nil {
		session.Close(Failed)
		s.unavailable(w, err)
		return
	}
	s.ors.started(o, session, e.Mount, orsPrompt(&reply))
	writeJSON(w, http.StatusOK, map[string]string{"sid": name})
	s.metrics.whole(e.Mount, orsProtocol, true, s.options.Now().Sub(began))
}

func orsPrompt(r *Reply) string {
	text := withActions(r)
	if r.Goal != "" && !strings.Contains(text, r.Goal) {
		text = r.Goal + "\n\n" + text
	}
	return text
}

// withActions is an observation with the valid actions, if they were asked for.
func withActions(r *Reply) string {
	if r.Actions == nil {
		return r.Observation
	}
	return r.Observation + "\n\nValid actions:\n" + strings.Join(r.Actions, "\n")
}

// orsChoose reads which task an episode plays: {"split", "index"} or {"task_spec"},
// each perhaps with {"env_name"}. It answers a request that chooses none and returns
// false.
func (s *Server) orsChoose(w http.ResponseWriter, r *http.Request) (e Episode, ok bool) {
	f, ok := readForm(w, r)
	if !ok {
		return e, false
	}
	for name, v := range f.values { // null stands for a missing value
		if kind(v) == 'n' {
			delete(f.values, name)
		}
	}
	if _, named := f.values["env_name"]; named {
		env := f.text("env_name")
		if e.Mount, ok = s.Mount(env); !ok && len(f.issues) == 0 {
			refuse(w, http.StatusNotFound, "unknown environment '"+clipped(env)+"'")
			return e, false
		}
	} else if e.Mount, ok = s.deployment(r); !ok {
		e.Mount = s.options.Mounts[0]
	}
	var err error
	if e.Set, e.Task, err = e.Mount.orsTask(f); !f.ok(w) {
		return e, false
	}
	choice, isChoice := errors.AsType[*ChoiceError](err)
	switch {
	case isChoice && (choice.Field == "index" || choice.Field == "split"):
		refuse(w, http.StatusBadRequest, "Invalid "+choice.Field)
	case isChoice:
		refuse(w, http.StatusBadRequest, choice.Error())
	case err != nil:
		s.unavailable(w, err)
	}
	return e, err == nil
}

// orsCall runs a tool, or repeats the answer of the last call.
func (s *Server) orsCall(w http.ResponseWriter, r *http.Request, o *orsSession) {
	began := s.options.Now()
	f, ok := readForm(w, r)
	if !ok {
		return
	}
	tool := f.text("name")
	input, given := f.value("input")
	if given && kind(input) != '{' {
		f.add("dict_type", "Input should be a valid dictionary", input, "input")
	}
	again := ""
	if v, ok := f.values["task_id"]; ok && kind(v) != 'n' {
		again = f.text("task_id")
	}
	if !f.ok(w) {
		return
	}
	e := newEvents(w)
	if again != "" {
		o.repeat(e, again)
		return
	}
	id := newID()
	e.send("task_id", id)
	e.flush() // now a client that loses its connection can ask again
	o.mu.Lock()
	defer o.mu.Unlock()
	answer, err := o.answer, o.broken
	if err == nil {
		answer, err = o.run(tool, input)
	}
	if o.broken = err; err != nil {
		e.send("error", err.Error())
		return
	}
	o.call, o.answer = id, answer
	e.result(answer)
	s.metrics.whole(o.mount, orsProtocol, false, s.options.Now().Sub(began))
}

// repeat answers a call again, if it was the last.
func (o *orsSession) repeat(e *events, id string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if id != o.call {
		e.send("error", "unknown task_id")
		return
	}
	e.send("task_id", id)
	e.result(o.answer)
}

// run carries out a call. The error means that the environment broke.
func (o *orsSession) run(tool string, input json.RawMessage) ([]byte, error) {
	if tool != "act" {
		return orsRefusal("'"+clipped(tool)+"' is not a valid tool", "not_found")
	}
	if o.finished {
		return orsRefusal("'act' was not run: the episode has finished (a tool returned finished=True), so no "+
			"further tool calls are accepted.", "episode_finished")
	}
	f := &form{all: input}
	_ = json.Unmarshal(input, &f.values) // it is an object
	action := f.text("action")
	if len(f.issues) > 0 {
		return orsRefusal("Tool input validation error: action: "+f.issues[0].Msg, "input_validation")
	}
	reply, err := within(o.session, func() (Reply, error) { return o.session.Step(action) })
	if choice, ok := errors.AsType[*ChoiceError](err); ok {
		return orsRefusal("Tool input validation error: "+choice.Error(), "input_validation")
	}
	if err != nil {
		return nil, err
	}
	o.finished = reply.Done
	var result orsResult
	result.OK = true
	result.Output.Blocks = blocksOf(withActions(&reply))
	result.Output.Metadata = orsMetadata{reply.TaskID, reply.Progress, reply.Success, reply.Valid, reply.Truncated,
		reply.Steps}
	result.Output.Reward, result.Output.Finished = pythonFloat(reply.Reward), reply.Done
	return marshal(result)
}

type orsResult struct {
	OK     bool `json:"ok"`
	Output struct {
		Blocks   []orsBlock  `json:"blocks"`
		Metadata orsMetadata `json:"metadata"`
		Reward   pythonFloat `json:"reward"`
		Finished bool        `json:"finished"`
	} `json:"output"`
}

type orsMetadata struct {
	TaskID    string  `json:"task_id"`
	Progress  float64 `json:"progress"`
	Success   bool    `json:"success"`
	Valid     bool    `json:"valid"`
	Truncated bool    `json:"truncated"`
	Steps     int     `json:"steps"`
}

// orsRefusal is a result that tells the model why nothing was done.
func orsRefusal(text, reason string) ([]byte, error) {
	return marshal(struct {
		OK     bool   `json:"ok"`
		Error  string `json:"error"`
		Reason string `json:"reason"`
	}{false, text, reason})
}
