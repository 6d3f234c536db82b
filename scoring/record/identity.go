package record

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Unnamed is the model of recordings from before players had names: nothing says who
// played, or whether one player did.
const Unnamed = "remote"

// CalledPlayer is what a model is called where nobody gave it a name: as it is specified, with
// a mark if nobody knows who it was.
func CalledPlayer(model string) string {
	if model == Unnamed {
		return model + " (player unknown)"
	}
	return model
}

// shortened is a hash of a source as texts have it: its first 8 digits.
func shortened(source string) string { return source[:min(len(source), 8)] }

// Say lists what is known of a player besides its name.
func Say(i *Identity) (parts []string) {
	if i == nil {
		return nil
	}
	if i.Version != "" {
		parts = append(parts, "version "+i.Version)
	}
	if i.Source != "" {
		parts = append(parts, "source "+shortened(i.Source))
	}
	only := Identity{Sampling: i.Sampling}
	return append(parts, only.GetSlice()...)
}

// ChangedPlayer says what a player was and what it is now.
func ChangedPlayer(old, now *Identity) string {
	text := func(i *Identity) string { return cmp.Or(strings.Join(Say(i), ", "), "unknown") }
	return text(old) + ", now " + text(now)
}

// SamePlayer reports whether two identities say the same; nil says nothing.
func SamePlayer(a, b *Identity) bool {
	var none Identity
	return cmp.Or(a, &none).Equal(*cmp.Or(b, &none))
}

// Player returns what the conditions of a model say of its player, and its last player;
// planned is false if the run does not have the model.
func (m *Manifest) Player(model string) (first, last *Identity, planned bool) {
	for i := range m.Groups {
		if c := &m.Groups[i].Condition; c.Model == model {
			first, last, planned = c.Player, c.Player, true
			break
		}
	}
	if changes := m.Players[model]; len(changes) > 0 {
		last = &changes[len(changes)-1]
	}
	return first, last, planned
}

// NotePlayer notes a model's player from now on, if it is another one than before.
func (m *Manifest) NotePlayer(model string, now *Identity) {
	if _, last, planned := m.Player(model); !planned || SamePlayer(last, now) {
		return
	}
	if m.Players == nil {
		m.Players = map[string][]Identity{}
	}
	m.Players[model] = append(m.Players[model], *cmp.Or(now, &Identity{}))
}

// The agents without a model that do not depend on the seed.
const (
	// Expert follows the environment's own solution, in the form told.
	Expert = "expert"
	// Memoriser plays what the expert does without a perturbation, whatever it reads.
	Memoriser = "memoriser"
	// Reciter does so as long as it reads what the expert reads without a perturbation,
	// prompt included, and gives up at the first other text.
	Reciter = "reciter"
)

// Own is the agent of a program of the user's, and its models begin with OwnModel.
const (
	Own      = "own"
	OwnModel = "agent:"
)

// Remote is the agent of episodes that others played through a server, and begins the names of their players.
const Remote = "remote"

// Outside reports whether a player is the user's, with prompts and sampling of its own. It competes with models, as no
// other player without a model does.
func Outside(agent string) bool { return agent == Own || agent == Remote }

// Seedless reports whether an agent plays the same with every seed.
func Seedless(agent string) bool { return slices.Contains([]string{Expert, Memoriser, Reciter}, agent) }

// ServerReport is what a model server reports about itself and the model. Values that
// it does not report are left empty. It is part of a run's manifest.
type ServerReport struct {
	Software      string   `json:"software,omitempty"` // "vllm", "sglang", "llama.cpp" or "ollama"
	Version       string   `json:"version,omitempty"`
	Models        []string `json:"models,omitempty"`         // the names that the server lists, in its order
	Present       bool     `json:"present"`                  // the model in use is one of them
	ContextLength int      `json:"context_length,omitempty"` // the model's context in tokens; 0 is unknown
	// Root is the path or name that the model was loaded from, Parent the model that it is derived from.
	Root string `json:"root,omitempty"`
	// Roots are the roots of all servers, if the user says that they hold the same weights; nil otherwise.
	Roots  []string `json:"roots,omitempty"`
	Parent string   `json:"parent,omitempty"`
	// Size describes the weights where the server has no digest, such as "494032768 parameters,
	// 531067904 bytes, Q8_0".
	Size string `json:"size,omitempty"`
	// Digest identifies the exact weights, where the server has one.
	Digest   string `json:"digest,omitempty"`
	Template string `json:"template,omitempty"` // the hash of the chat template, where the server says it
}

// Identity identifies the weights: by their digest, or by where they were loaded from; empty if neither is known.
func (s ServerReport) Identity() string { return cmp.Or(s.Digest, s.Root) }

// Program is the server's software with its version; empty if either is not known.
func (s ServerReport) Program() string {
	if s.Software == "" || s.Version == "" {
		return ""
	}
	return s.Software + " " + s.Version
}

// Changes lists what a server's model has become since another report of it, if both say so: each with both values.
// A model whose weights changed is another model under the same name.
func Changes(old, now ServerReport) (changes []string) {
	for _, field := range []struct{ label, old, now string }{
		{"digest", old.Digest, now.Digest}, {"root", old.Root, now.Root},
		{"size", old.Size, now.Size},
	} {
		if field.label == "root" && now.Roots != nil {
			continue
		}
		if field.old != "" && field.now != "" && field.old != field.now {
			changes = append(changes, fmt.Sprintf("%s %s, now %s", field.label, field.old, field.now))
		}
	}
	if old.ContextLength > 0 && now.ContextLength > 0 && old.ContextLength != now.ContextLength {
		changes = append(changes, fmt.Sprintf("context %d tokens, now %d", old.ContextLength, now.ContextLength))
	}
	return changes
}
