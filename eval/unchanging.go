package eval

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"heldout/envs"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

const (
	// An episode says that its environment shows always the same if it has so many valid steps, with different actions.
	fewSteps = 3
	// So many such episodes are a warning while a run is played; at its end, one is.
	fewEpisodes = 3
	// longestShown is how much of an observation a warning has, in bytes.
	longestShown = 60
)

// unchanging looks for environments of others that show the same after every action: a field was chosen that says
// nothing, and no model can play. It is safe for concurrent use.
type unchanging struct {
	warn func(string)

	mu     sync.Mutex
	sights map[string]*sight // by environment
}

// sight is what an environment has shown.
type sight struct {
	episodes    int    // that showed always the same
	observation string // in the last of them
	settled     bool   // it changes, or was warned about
}

// look looks at an attempt.
func (u *unchanging) look(e *record.Episode) {
	if e.Source != envs.External {
		return
	}
	steps, changes, different := 0, false, false
	var first *record.Step
	for i := range e.Trajectory {
		s := &e.Trajectory[i]
		if !s.Valid {
			continue
		}
		if first == nil {
			first = s
		}
		steps++
		changes = changes || s.Observation != first.Observation
		different = different || s.Action != first.Action
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	s := u.sights[e.Env]
	if s == nil {
		s = &sight{}
		u.sights[e.Env] = s
	}
	if changes {
		s.settled = true
	}
	if changes || steps < fewSteps || !different {
		return
	}
	s.episodes, s.observation = s.episodes+1, first.Observation
	u.say(e.Env, s, fewEpisodes)
}

// end warns about environments of which too few episodes were played before.
func (u *unchanging) end() {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, env := range slices.Sorted(maps.Keys(u.sights)) {
		u.say(env, u.sights[env], 1)
	}
}

// say warns about an environment once, if so many episodes showed always the same and no other did not.
func (u *unchanging) say(env string, s *sight, episodes int) {
	if s.settled || s.episodes < episodes {
		return
	}
	s.settled = true
	remedy := "look at what it sends"
	if strings.HasPrefix(env, "openenv:") {
		remedy = "--openenv-observation names the fields that are shown"
	}
	u.warn(fmt.Sprintf("after every action in %s, %s showed the same, %q: %s",
		table.Counted(s.episodes, "episode"), env, table.Shortened(s.observation, longestShown), remedy))
}
