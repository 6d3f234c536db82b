package eval

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// AsideError says which models or environments of a run were set aside, while the others were played to their end.
type AsideError struct {
	// Reasons are by the name of the model or environment.
	Reasons map[string]error
}

// Error has a line for each model.
func (e *AsideError) Error() string {
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(e.Reasons)) {
		reason := strings.ReplaceAll(e.Reasons[name].Error(), "\n", "; ")
		lines = append(lines, fmt.Sprintf("%s was set aside: %s", name, reason))
	}
	return strings.Join(lines, "\n")
}

// sidings are the models and environments of a run that are set aside. They are safe for concurrent use.
type sidings struct {
	// models and envs are what the run plays. A model or environment that is alone is not set aside.
	models, envs map[string]bool
	due          *agenda
	warn         func(line string)

	mu      sync.Mutex
	reasons map[string]error
}

func newSidings(p *Plan, due *agenda, warn func(line string)) *sidings {
	models, envs := map[string]bool{}, map[string]bool{}
	for _, e := range p.Episodes {
		models[e.Player.Name], envs[e.Condition.Env] = true, true
	}
	return &sidings{models: models, envs: envs, due: due, warn: warn, reasons: map[string]error{}}
}

// put sets a model or an environment aside, and returns the reason if it is the only one: then the run ends.
func (s *sidings) put(name string, reason error) error {
	group, noun := s.models, "models"
	if s.envs[name] {
		group, noun = s.envs, "environments"
	}
	if len(group) < 2 {
		return reason
	}
	s.due.drop(name)
	s.mu.Lock()
	listed := s.reasons[name]
	s.reasons[name] = cmp.Or(listed, reason)
	s.mu.Unlock()
	if listed == nil {
		s.warn(fmt.Sprintf("%s is set aside; the other %s continue: %v", name, noun, reason))
	}
	return nil
}

// ended returns an *AsideError if some are set aside.
func (s *sidings) ended() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.reasons) == 0 {
		return nil
	}
	return &AsideError{s.reasons}
}
