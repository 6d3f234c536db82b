package record

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
)

// Preset identifies the evaluation protocol that an episode was played by.
type Preset struct {
	// Name is name, version and part, such as "eto-alfworld@1:unseen"; "+" follows
	// the version if the run changed the protocol.
	Name string `json:"name"`
	// SHA256 is the hash of the protocol as it was played.
	SHA256 string `json:"sha256"`
	// Changes are what the run changed, a field each.
	Changes []string `json:"changes,omitempty"`
}

// Key tells protocols apart.
func (p *Preset) Key() string {
	if p == nil {
		return ""
	}
	return p.Name + " " + p.SHA256
}

// Label names a protocol in tables: name and the start of the hash.
func (p *Preset) Label() string {
	if p == nil {
		return ""
	}
	return fmt.Sprintf("%s (%.4s…)", p.Name, p.SHA256)
}

// Protocol is a preset of a run.
type Protocol struct {
	Preset
	// Released is the hash of the preset without changes.
	Released string `json:"released"`
	// Published names the published results that were made with the preset.
	Published string `json:"published,omitempty"`
	// Definition is the protocol as it was played, of which SHA256 is the hash.
	Definition json.RawMessage `json:"definition"`
	// Tasks is the hash of the names of the planned tasks, sorted bytewise, each followed by a line break.
	Tasks string `json:"tasks_sha256"`
	// Files are the files of the protocol's source that were read, with their hashes.
	Files map[string]string `json:"files,omitempty"`
}

// Protocol returns the preset of a condition; nil if there is none.
func (m *Manifest) Protocol(p *Preset) *Protocol {
	i := slices.IndexFunc(m.Protocols, func(protocol Protocol) bool { return p != nil && protocol.Key() == p.Key() })
	if i < 0 {
		return nil
	}
	return &m.Protocols[i]
}

// EnvironmentOf returns the environment of a condition. A run of several presets
// may have an environment several times.
func (m *Manifest) EnvironmentOf(c Condition) (env Environment, ok bool) {
	protocol := c.Preset.Key()
	for i := range m.Environments {
		if e := &m.Environments[i]; e.Name == c.Env && e.Protocol == protocol {
			return *e, true
		}
	}
	return Environment{}, false
}

// checkScore reports scores that no protocol gives.
func (r *Result) checkScore() error {
	if r.Score != nil && (math.IsNaN(*r.Score) || math.Abs(*r.Score) > maxScore) {
		return fmt.Errorf("score: %v is not a score", *r.Score)
	}
	if r.Score != nil && r.Preset == "" {
		return fmt.Errorf("score: there is one, but no preset")
	}
	return nil
}

// maxScore bounds scores. They are from -1 to 1, but AgentGym's BabyAI adds up rewards.
const maxScore = 1000
