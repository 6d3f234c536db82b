package serve

import (
	_ "embed"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"

	"heldout/envs"
	"heldout/scoring/table"
)

// The limits of bodies.
const (
	maxBody      = 64 << 10
	maxBatchBody = 1 << 20
)

type openEnvRoute struct {
	method string
	answer func(*Server, http.ResponseWriter, *http.Request, *Mount)
}

// openEnvRoutes are the routes of a mount, without the routes of tasks.
var openEnvRoutes = map[string]openEnvRoute{
	"ws": {http.MethodGet, (*Server).serveSocket},
	"health": {http.MethodGet, func(_ *Server, w http.ResponseWriter, _ *http.Request, _ *Mount) {
		writeHealth(w)
	}},
	"metadata":     {http.MethodGet, (*Server).writeMetadata},
	"schema":       {http.MethodGet, (*Server).writeSchema},
	"openapi.json": {http.MethodGet, (*Server).writeOpenAPI},
	"reset":        {http.MethodPost, (*Server).resetOnce},
	"step":         {http.MethodPost, (*Server).stepOnce},
	"state": {http.MethodGet, func(_ *Server, w http.ResponseWriter, _ *http.Request, _ *Mount) {
		writeJSON(w, http.StatusOK, stateOf(SessionState{}))
	}},
	"mcp": {http.MethodPost, (*Server).serveMCP},
}

func (s *Server) serveOpenEnv(w http.ResponseWriter, r *http.Request, m *Mount, path string) {
	route, ok := openEnvRoutes[path]
	if !ok {
		s.serveTasks(w, r, m, path)
		return
	}
	if r.Method != route.method && !(route.method == http.MethodGet && r.Method == http.MethodHead) {
		notAllowed(w, route.method)
		return
	}
	route.answer(s, w, r, m)
}

func notFound(w http.ResponseWriter) { refuse(w, http.StatusNotFound, "Not Found") }

func notAllowed(w http.ResponseWriter, allowed string) {
	w.Header().Set("Allow", allowed)
	refuse(w, http.StatusMethodNotAllowed, "Method Not Allowed")
}

func writeHealth(w http.ResponseWriter) {
	writeJSON(w, http.StatusOK, map[string]string{"status": "healthy"})
}

// openEnvMount answers /openenv/{env}/….
func (s *Server) openEnvMount(w http.ResponseWriter, r *http.Request) {
	m, ok := s.Mount(r.PathValue("env"))
	if !ok {
		refuse(w, http.StatusNotFound, "unknown environment "+table.Shortened(r.PathValue("env"), quotedBytes)+
			"; there are "+strings.Join(s.names(), ", "))
		return
	}
	s.serveOpenEnv(w, r, m, r.PathValue("path"))
}

// openEnvRoot answers what no other protocol does, if there is a single environment.
func (s *Server) openEnvRoot(w http.ResponseWriter, r *http.Request) {
	if len(s.options.Mounts) != 1 {
		notFound(w)
		return
	}
	s.serveOpenEnv(w, r, s.options.Mounts[0], strings.TrimPrefix(r.URL.Path, "/"))
}

func (s *Server) names() []string {
	return table.Each(s.options.Mounts, func(m *Mount) string { return m.Name })
}

// readBody reads a JSON body of a limited size and depth. It answers the request
// and returns false if that fails. The body is nil if it is empty.
func readBody(w http.ResponseWriter, r *http.Request) (body json.RawMessage, ok bool) {
	b, ok := readBytes(w, r)
	switch {
	case !ok:
		return nil, false
	case len(b) == 0:
		return nil, true
	case tooDeep(b) || !json.Valid(b):
		invalidBody(w, fieldError{Type: "json_invalid", Loc: []string{"body"}, Msg: "JSON decode error",
			Input: json.RawMessage("{}")})
		return nil, false
	}
	return b, true
}

// readBytes reads a body of a limited size. It answers the request and returns false if that fails.
func readBytes(w http.ResponseWriter, r *http.Request) (body []byte, ok bool) {
	body, err := io.ReadAll(r.Body)
	if tooLong, ok := errors.AsType[*http.MaxBytesError](err); ok {
		w.Header().Set("Connection", "close")
		refuse(w, http.StatusRequestEntityTooLarge, tooLong.Error())
	} else if err != nil {
		refuse(w, http.StatusBadRequest, "the body cannot be read")
	}
	return body, err == nil
}

// noObject is the error of a body that is not an object.
func noObject(body json.RawMessage) fieldError {
	return fieldError{Type: "model_attributes_type", Loc: []string{"body"},
		Msg: "Input should be a valid dictionary or object to extract fields from", Input: body}
}

// invalidBody answers a body of the wrong form.
func invalidBody(w http.ResponseWriter, errs ...fieldError) {
	writeJSON(w, http.StatusUnprocessableEntity, map[string]any{"detail": errs})
}

// within places errors in the body or the query, as the reference does over HTTP.
func located(source string, errs []fieldError) []fieldError {
	for i := range errs {
		errs[i].Loc = append([]string{source}, errs[i].Loc...)
		errs[i].URL = ""
	}
	return errs
}

// resetOnce answers POST …/reset: an episode that nobody can step.
func (s *Server) resetOnce(w http.ResponseWriter, r *http.Request, m *Mount) {
	body, ok := readBody(w, r)
	if !ok {
		return
	}
	if body != nil && kind(body) != '{' {
		invalidBody(w, noObject(body))
		return
	}
	e, bad, err := m.readReset(body)
	if len(bad) > 0 {
		invalidBody(w, located("body", bad)...)
		return
	}
	var session *Session
	if err == nil {
		session, err = s.table.Open(Owner{Protocol: openEnv, Address: addressOf(r)})
	}
	if err != nil {
		answer(w, nil, err)
		return
	}
	defer session.Close(ByClient)
	reply, err := runUntilEnd(session, func() (Reply, error) { return session.Reset(e) })
	answer(w, struct {
		observation
		Metadata any `json:"metadata"`
	}{observation: *observationOf(&reply, true)}, err)
}

// answer answers with the JSON of v, or with an error of the choice, the session or the table.
func answer(w http.ResponseWriter, v any, err error) {
	ended, isEnd := errors.AsType[*EndedError](err)
	switch {
	case err == nil:
		writeJSON(w, http.StatusOK, v)
	case errors.As(err, new(*ChoiceError)):
		refuse(w, http.StatusBadRequest, err.Error())
	case errors.Is(err, ErrNoEpisode), errors.Is(err, errBusy):
		refuse(w, http.StatusConflict, err.Error())
	case errors.As(err, new(*CapacityError)), isEnd && ended.Reason == ShutDown:
		w.Header().Set("Retry-After", "5")
		refuse(w, http.StatusServiceUnavailable, err.Error())
	default:
		refuse(w, http.StatusInternalServerError, err.Error())
	}
}

// runUntilEnd runs a request of a session, and returns when the session ends, even if the request goes on: the
// error is then an *EndedError.
func runUntilEnd[T any](session *Session, request func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		value, err := request()
		done <- result{value, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-session.ctx.Done():
	}
	r, ok := last(done)
	if !ok {
		r.err = session.endErr.Load()
	}
	return r.value, r.err
}

// stepOnce answers POST …/step, which has no episode to step.
func (s *Server) stepOnce(w http.ResponseWriter, r *http.Request, m *Mount) {
	body, ok := readBody(w, r)
	if !ok {
		return
	}
	var values jsonObject
	if json.Unmarshal(body, &values) != nil {
		invalidBody(w, noObject(orNull(body)))
		return
	}
	action, ok := values["action"]
	if !ok {
		invalidBody(w, located("body", []fieldError{missing("action", body)})...)
		return
	}
	if _, bad := readAction(action); len(bad) > 0 {
		invalidBody(w, bad...)
		return
	}
	refuse(w, http.StatusConflict, "an HTTP request has no episode to step: open a WebSocket at /openenv/"+m.Name+
		"/ws, whose session keeps its episode")
}

func orNull(body json.RawMessage) json.RawMessage {
	if body == nil {
		return json.RawMessage("null")
	}
	return body
}

func (s *Server) serveMCP(w http.ResponseWriter, r *http.Request, _ *Mount) {
	b, ok := readBytes(w, r)
	if !ok {
		return
	}
	writeJSON(w, http.StatusOK, answerMCP(b))
}

// mcpAnswer is an answer of the Model Context Protocol.
type mcpAnswer struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Error   mcpError        `json:"error"`
}

type mcpError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data"`
}

// answerMCP answers a request of the Model Context Protocol: that there is nothing.
func answerMCP(b []byte) mcpAnswer {
	var q struct {
		Version *string         `json:"jsonrpc"`
		Method  *string         `json:"method"`
		ID      json.RawMessage `json:"id"`
	}
	answer := func(code int, message string) mcpAnswer {
		return mcpAnswer{"2.0", orNull(q.ID), mcpError{Code: code, Message: message}}
	}
	var values jsonObject
	if tooDeep(b) || json.Unmarshal(b, &values) != nil || values == nil {
		return answer(-32700, "Parse error")
	}
	if json.Unmarshal(b, &q) != nil || q.Version == nil || *q.Version != "2.0" || q.Method == nil ||
		(kind(q.ID) == '{' || kind(q.ID) == '[') {
		q.ID = nil
		return answer(-32600,
			`Invalid request: want "jsonrpc": "2.0", a method, and an id that is a string or a number`)
	}
	switch *q.Method {
	case "tools/list", "tools/call":
		return answer(-32603, "Environment does not support MCP")
	}
	return answer(-32601, "Method not found: "+table.Shortened(*q.Method, quotedBytes))
}

// schemaFile are the JSON Schemas of action, observation and state.
//
//go:embed openenv.schema.json
var schemaFile []byte

func (s *Server) writeSchema(w http.ResponseWriter, _ *http.Request, _ *Mount) {
	writeJSON(w, http.StatusOK, json.RawMessage(schemaFile))
}

// mountDescription describes a mount. The first six fields are the reference's.
type mountDescription struct {
	Name             string  `json:"name"`
	Description      string  `json:"description"`
	Readme           *string `json:"readme_content"`
	Version          string  `json:"version"`
	Author           *string `json:"author"`
	DocumentationURL *string `json:"documentation_url"`
	settled
}

// settled is what decides which numbers a mount gives.
type settled struct {
	Env          string            `json:"env"`
	Source       envs.Source       `json:"source"`
	Split        string            `json:"split"`
	DataHash     string            `json:"data_hash"`
	Settings     map[string]string `json:"settings"`
	Perturbation string            `json:"perturbation"`
	Preset       string            `json:"preset"`
	Reward       Reward            `json:"reward"`
	StepCost     float64           `json:"step_cost,omitzero"`
	Penalty      float64           `json:"invalid_penalty,omitzero"`
	MaxSteps     int               `json:"max_steps"` // of the first task
	Actions      bool              `json:"actions"`
	Caveat       string            `json:"caveat,omitempty"`
}

// settle returns what decides the numbers of a mount, on its default split.
func (m *Mount) settle() (settled, error) {
	set, err := m.Set("")
	if err != nil {
		return settled{}, err
	}
	info := set.Env.Info()
	out := settled{
		Env: info.Name, Source: info.Source, Split: set.Name, DataHash: info.DataHash, Settings: info.Settings,
		Perturbation: m.Perturbation,
		Preset:       m.Preset, Reward: m.Reward, StepCost: m.StepCost, Penalty: m.InvalidPenalty,
		MaxSteps: m.limit(set, set.Tasks[0]), Actions: m.Actions,
		Caveat: info.Caveats(m.Preset != "", ""),
	}
	if out.Settings == nil {
		out.Settings = map[string]string{}
	}
	return out, nil
}

func (s *Server) writeMetadata(w http.ResponseWriter, _ *http.Request, m *Mount) {
	settled, err := m.settle()
	answer(w, mountDescription{
		Name: m.Name, Version: s.options.Version, settled: settled,
		Description: "The text environment " + settled.Env + ", played by typed actions, served by heldout",
	}, err)
}

// openAPIFile is a description in OpenAPI's form of the routes of MOUNT.
//
//go:embed openenv.openapi.json
var openAPIFile string

func (s *Server) writeOpenAPI(w http.ResponseWriter, _ *http.Request, m *Mount) {
	text := strings.NewReplacer("MOUNT", m.Name, "VERSION", s.options.Version).Replace(openAPIFile)
	writeJSON(w, http.StatusOK, json.RawMessage(text))
}
