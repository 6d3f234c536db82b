package serve

import (
	_ "embed"
	"encoding/json"
	"net/http"
	"strings"

	"heldout/envs"
)

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
		Caveat: info.Caveat,
	}
	if out.Settings == nil {
		out.Settings = map[string]string{}
	}
	return out, nil
}

func (s *Server) writeMetadata(w http.ResponseWriter, _ *http.Request, m *Mount) {
	settled, err := m.settle()
	if err != nil {
		s.unavailable(w, err)
		return
	}
	writeJSON(w, http.StatusOK, mountDescription{
		Name: m.Name, Version: s.options.Version, settled: settled,
		Description: "The text environment " + settled.Env + ", played by typed actions, served by heldout",
	})
}

// openAPIFile is a description in OpenAPI's form of the routes of MOUNT.
//
//go:embed openenv.openapi.json
var openAPIFile string

func (s *Server) writeOpenAPI(w http.ResponseWriter, _ *http.Request, m *Mount) {
	text := strings.NewReplacer("MOUNT", m.Name, "VERSION", s.options.Version).Replace(openAPIFile)
	writeJSON(w, http.StatusOK, json.RawMessage(text))
}
