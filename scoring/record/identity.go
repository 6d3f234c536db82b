package record

import (
	"cmp"
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
func ChangedPlayer(was, now *Identity) string {
	said := func(i *Identity) string { return cmp.Or(strings.Join(Say(i), ", "), "unknown") }
	return said(was) + ", now " + said(now)
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
	if later := m.Players[model]; len(later) > 0 {
		last = &later[len(later)-1]
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
