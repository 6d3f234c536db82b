package eval

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// AsideError says which models of a run were set aside, while the others were played to
// their end.
type AsideError struct {
	// Reasons are by the model.
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

// sidings are the models of a run that are set aside. They are safe for concurrent use.
type sidings struct {
	// models is the number of models that the run has. A single one is not set aside.
	models int
	due    *agenda
	warn   func(line string)

	mu      sync.Mutex
	reasons map[string]error
}

func newSidings(p *Plan, due *agenda, warn func(line string)) *sidings {
	names := map[string]bool{}
	for _, e := range p.Episodes {
		names[e.Player.Name] = true
	}
	return &sidings{models: len(names), due: due, warn: warn, reasons: map[string]error{}}
}

// put sets a model aside, and returns the reason if it is the only one: then the run ends.
func (s *sidings) put(model string, reason error) error {
	if s.models < 2 {
		return reason
	}
	s.due.drop(model)
	s.mu.Lock()
	known := s.reasons[model]
	s.reasons[model] = cmp.Or(known, reason)
	s.mu.Unlock()
	if known == nil {
		s.warn(fmt.Sprintf("%s is set aside; the other models continue: %v", model, reason))
	}
	return nil
}

// ended returns an *AsideError if models are set aside.
func (s *sidings) ended() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.reasons) == 0 {
		return nil
	}
	return &AsideError{s.reasons}
}
