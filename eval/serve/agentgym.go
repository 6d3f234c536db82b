package serve

import (
	"context"
	"errors"
	"math/big"
	"net/http"
	"strconv"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"heldout/envs"
)

// agentGym is the protocol's name in metrics and logs.
const agentGym = "agentgym"

// The environments of AgentGym, by the names of their mounts.
const (
	gymALFWorld     = "alfworld"
	gymBabyAI       = "babyai"
	gymScienceWorld = "sciworld"
)

// Gym is an environment as AgentGym's server of it serves it.
type Gym struct {
	// Mount plays AgentGym's variant. Its name says how the server answers: alfworld, babyai or sciworld.
	Mount *Mount
	// Choose returns the task of AgentGym's number. The text of an error is for the client.
	Choose func(number *big.Int) (TaskChoice, error)
}

// gymServer is one of AgentGym's servers. Its clients are numbered from 0.
type gymServer struct {
	server *Server
	gym    *Gym
	routes map[string]gymRoute

	mu      sync.Mutex
	clients map[int64]*gymClient
	next    int64
	closed  big.Int // a bit for every number whose client closed it
}

// gymRoute is what a server does under a path.
type gymRoute struct {
	method string
	serve  http.HandlerFunc
}

func (s *Server) agentgymRoutes() error {
	for _, gym := range s.options.Gyms {
		g := &gymServer{server: s, gym: gym, clients: map[int64]*gymClient{}}
		gym.Mount.gym = true
		speaker, ok := gymSpeakers[gym.Mount.Name]
		if !ok {
			return errors.New("AgentGym has no server of " + gym.Mount.Name)
		}
		g.routes = g.addRoutes(speaker)
		path := "/" + agentGym + "/" + gym.Mount.Name
		s.mux.Handle(path+"/", http.StripPrefix(path, g))
		s.mux.Handle(path, http.StripPrefix(path, g))
	}
	return nil
}

// gymSpeaker is how one of the servers speaks.
type gymSpeaker struct {
	hello string
	// reset reads what a reset needs besides the client's number: the number of the
	// task, and perhaps what is wrong with the rest.
	reset func(*formBody) (task *big.Int, problem string)
	// started and stepped are the answers to a reset and to a step.
	started, stepped func(*gymClient) any
	asks             map[string]gymAnswer // the answers to questions about a client, by path
}

// gymAnswer is what a client answers.
type gymAnswer func(*gymClient) (any, error)

func (g *gymServer) addRoutes(speaker gymSpeaker) map[string]gymRoute {
	routes := map[string]gymRoute{
		"/": {http.MethodGet, func(w http.ResponseWriter, _ *http.Request) {
			writeJSON(w, http.StatusOK, speaker.hello)
		}},
		"/create": {http.MethodPost, g.create},
		"/reset": {http.MethodPost, g.play("reset", speaker.started, func(f *formBody) func(*gymClient) error {
			task, problem := speaker.reset(f)
			return func(c *gymClient) error { return g.start(c, task, problem) }
		})},
		"/step": {http.MethodPost, g.play("step", speaker.stepped, func(f *formBody) func(*gymClient) error {
			action := f.text("action")
			return func(c *gymClient) error { return c.step(action) }
		})},
		"/close": {http.MethodPost, g.close},
	}
	for path, answer := range speaker.asks {
		routes[path] = gymRoute{http.MethodGet, g.ask(answer)}
	}
	return routes
}

// ServeHTTP implements http.Handler.
func (g *gymServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := r.URL.Path
	if path == "" {
		path = "/"
	}
	route, ok := g.routes[path]
	switch {
	case !ok:
		notFound(w)
	case r.Method != route.method:
		notAllowed(w, route.method)
	default:
		route.serve(w, r)
	}
}

// gymRefuse answers a request that cannot be carried out. The status is 200.
func gymRefuse(w http.ResponseWriter, text string) { writeJSON(w, http.StatusOK, refusal{text}) }

func (g *gymServer) create(w http.ResponseWriter, r *http.Request) {
	c := &gymClient{}
	session, err := g.server.table.Open(Owner{Protocol: agentGym, Mount: g.gym.Mount, Address: addressOf(r),
		Ended: func(reason EndReason) { g.forget(c, reason) }})
	if err != nil {
		answer(w, nil, err)
		return
	}
	c.session = session
	writeJSON(w, http.StatusOK, map[string]int64{"id": g.number(c)})
}

func (g *gymServer) number(c *gymClient) int64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	c.id, c.numbered = g.next, true
	g.next++
	if !c.ended {
		g.clients[c.id] = c
	}
	return c.id
}

func (g *gymServer) forget(c *gymClient, reason EndReason) {
	g.mu.Lock()
	defer g.mu.Unlock()
	c.ended = true
	if !c.numbered {
		return
	}
	delete(g.clients, c.id)
	if reason == ByClient {
		g.closed.SetBit(&g.closed, int(c.id), 1)
	}
}

// find returns the client with a number, or says why there is none.
func (g *gymServer) find(id *big.Int) (c *gymClient, problem string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	n := id.Int64()
	issued := id.IsInt64() && n >= 0 && n < g.next
	if c = g.clients[n]; issued && c != nil {
		return c, ""
	}
	closed := issued && g.closed.Bit(int(n)) == 1
	if !issued || closed && g.gym.Mount.Name == gymBabyAI { // this server forgets what its clients closed
		return nil, "The id " + id.String() + " is not valid."
	}
	return nil, deleted(n)
}

func deleted(id int64) string {
	return "The task with environment " + strconv.FormatInt(id, 10) + " has been deleted."
}

// close ends a session. The answer is whether there was one.
func (g *gymServer) close(w http.ResponseWriter, r *http.Request) {
	f, ok := readForm(w, r)
	if !ok {
		return
	}
	id := f.integer("id")
	if !f.ok(w) {
		return
	}
	c, problem := g.find(id)
	if problem != "" {
		writeJSON(w, http.StatusOK, false)
		return
	}
	c.session.Close(ByClient)
	c.mu.Lock()
	started := c.started
	c.mu.Unlock()
	writeJSON(w, http.StatusOK, started || g.gym.Mount.Name != gymBabyAI)
}

// start starts an episode of a task by AgentGym's number, unless the client asks for something wrong.
func (g *gymServer) start(c *gymClient, task *big.Int, problem string) error {
	if problem != "" {
		return errors.New(problem)
	}
	choice, err := g.gym.Choose(task)
	if err != nil {
		return err
	}
	set, chosen, err := g.gym.Mount.Find(choice)
	if err != nil {
		return err
	}
	return c.reset(EpisodeStart{Mount: g.gym.Mount, Set: set, Task: chosen, MaxSteps: -1,
		Actions: g.gym.Mount.Name == gymALFWorld})
}

// play answers requests that play. Read reads what one asks for besides the client's number, and tell is the
// answer once that was done.
func (g *gymServer) play(kind string, tell func(*gymClient) any, read func(*formBody) func(*gymClient) error,
) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		began := g.server.options.Now()
		f, ok := readForm(w, r)
		if !ok {
			return
		}
		id, act := f.integer("id"), read(f)
		if f.ok(w) && g.reply(w, id, func(c *gymClient) (any, error) {
			err := act(c)
			if err != nil {
				return nil, err
			}
			return tell(c), nil
		}) {
			g.server.metrics.observeRequest(g.gym.Mount, agentGym, kind, g.server.options.Now().Sub(began))
		}
	}
}

// ask answers questions about a client that was reset.
func (g *gymServer) ask(answer gymAnswer) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		f := queryForm(r)
		id := f.integer("id")
		if !f.ok(w) {
			return
		}
		g.reply(w, id, func(c *gymClient) (any, error) {
			if !c.started {
				return nil, ErrNoEpisode
			}
			c.session.Touch()
			return answer(c)
		})
	}
}

// reply writes what a client answers, which has no other request meanwhile, and reports whether it could.
func (g *gymServer) reply(w http.ResponseWriter, id *big.Int, answer gymAnswer) bool {
	c, problem := g.find(id)
	if problem != "" {
		gymRefuse(w, problem)
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	v, err := answer(c)
	if err != nil {
		gymRefuse(w, c.problem(err))
		return false
	}
	writeJSON(w, http.StatusOK, v)
	return true
}

// gymClient is one of the numbered environments of an AgentGym server.
type gymClient struct {
	// id, numbered and ended belong to the server's lock.
	id              int64
	numbered, ended bool
	session         *Session

	mu          sync.Mutex // held by the running request
	started     bool       // reset at least once
	done        bool       // the episode is over
	task        envs.Task
	goal        string
	observation string // the last answer, and actions are those that are valid then
	actions     []string
	// prior, score and reward are what the world said: its score before and after the last step or the start, and
	// the reward of the last action that did something. A start counts from 0.
	prior, score, reward float64
	success              bool
}

// rewarder is the ability of BabyAI's world to tell its own reward, which may be negative.
type rewarder interface{ Reward() float64 }

// takeScores takes the scores of a world.
func (c *gymClient) takeScores(_ context.Context, w envs.World) error {
	if s, ok := envs.As[envs.Scorer](w); ok {
		c.prior, c.score = c.score, s.Score()
	}
	if r, ok := envs.As[rewarder](w); ok {
		c.reward = r.Reward()
	}
	return nil
}

func (c *gymClient) reset(e EpisodeStart) error {
	e.Observe = c.takeScores
	r, err := runUntilEnd(c.session, func() (Reply, error) { return c.session.Reset(e) })
	if err != nil {
		c.done = true
		return err
	}
	c.started, c.done, c.task, c.success = true, false, e.Task, false
	c.prior = 0
	c.goal, c.observation, c.actions = r.Goal, r.Observation, r.Actions
	return nil
}

func (c *gymClient) step(action string) error {
	r, err := runUntilEnd(c.session, func() (Reply, error) { return c.session.Step(action) })
	if err != nil {
		return err
	}
	c.done, c.success, c.observation, c.actions = r.Done, r.Success, r.Observation, r.Actions
	return nil
}

// problem is what a client is told about an error.
func (c *gymClient) problem(err error) string {
	ended, isEnd := errors.AsType[*EndedError](err)
	id := strconv.FormatInt(c.id, 10)
	switch {
	case errors.Is(err, ErrNoEpisode) && c.started:
		return "The task with environment " + id + " has finished."
	case errors.Is(err, ErrNoEpisode):
		return "The environment " + id + " was not reset."
	case isEnd && ended.Reason != TooSlow:
		return deleted(c.id)
	}
	return err.Error()
}

// sumOfRewards is a sum of rewards as Python writes it: the whole number 0 until there is a reward.
type sumOfRewards float64

// MarshalJSONTo implements jsonv2.MarshalerTo.
func (f sumOfRewards) MarshalJSONTo(e *jsontext.Encoder) error {
	if f == 0 {
		return e.WriteToken(jsontext.Int(0))
	}
	return pythonFloat(f).MarshalJSONTo(e)
}
