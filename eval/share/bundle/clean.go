package bundle

import (
	"path"
	"reflect"
	"slices"
	"strings"
	"time"

	"heldout/scoring/record"
)

// cleanEpisode takes out of an attempt what belongs to the machine it was made on: times,
// addresses of servers, texts of errors, which name both, and the name of its forks.
func cleanEpisode(e *record.Episode) {
	e.Schema, e.Checksum = record.Schema, ""
	e.Started, e.Ended = time.Time{}, time.Time{}
	e.ModelSeconds, e.Servers, e.Error, e.Branch = 0, nil, "", ""
	names := e.Answered
	e.Answered = nil
	for name, n := range names {
		e.Answered.Add(lastPart(name), n)
	}
	if e.Reflection != nil {
		about := *e.Reflection
		about.ModelSeconds = 0
		e.Reflection = &about
	}
	for i := range e.Trajectory {
		e.Trajectory[i].ModelSeconds = 0
	}
}

// cleanManifest does so for a manifest. Paths of files become their last parts.
func cleanManifest(m *record.Manifest) *record.Manifest {
	c := *m
	c.Schema, c.Checksum, c.Shard = record.Schema, "", nil
	c.Sessions = cleanSessions(m.Sessions)
	c.Servers = map[string][]record.ServerReport{}
	for player, servers := range m.Servers {
		c.Servers[player] = cleanServers(servers, player)
	}
	c.Prompts = map[string]record.Prompt{}
	for env, p := range m.Prompts {
		p.File = lastPart(p.File)
		c.Prompts[env] = p
	}
	if m.Reflection != nil {
		p := *m.Reflection
		p.File = lastPart(p.File)
		c.Reflection = &p
	}
	if m.Sweep != nil {
		s := *m.Sweep
		s.Perturbations = slices.Clone(s.Perturbations)
		for i := range s.Perturbations {
			s.Perturbations[i].File = lastPart(s.Perturbations[i].File)
		}
		c.Sweep = &s
	}
	c.Names, c.Prices, c.HeldIn = ofModels(m, m.Names), ofModels(m, m.Prices), ofModels(m, m.HeldIn)
	return &c
}

// cleanSessions keeps which versions worked on a run, and the budget that ended it.
func cleanSessions(sessions []record.Session) (out []record.Session) {
	for _, s := range sessions {
		s.Started, s.Ended = time.Time{}, nil
		if n := len(out); n > 0 && out[n-1].Tool == s.Tool {
			out = out[:n-1]
		}
		out = append(out, s)
	}
	return out
}

// cleanServers keeps one of equal reports, and of the models that a server lists the one that played.
func cleanServers(servers []record.ServerReport, player string) (out []record.ServerReport) {
	for _, s := range servers {
		s.Models = slices.DeleteFunc(slices.Clone(s.Models), func(name string) bool {
			_, plays, _ := strings.Cut(player, ":")
			return name != plays
		})
		s.Root, s.Parent = lastPart(s.Root), lastPart(s.Parent)
		if !slices.ContainsFunc(out, func(prev record.ServerReport) bool { return reflect.DeepEqual(prev, s) }) {
			out = append(out, s)
		}
	}
	return out
}

// ofModels keeps what is said of the models of a run, not of directories.
func ofModels[M ~map[string]V, V any](m *record.Manifest, values M) M {
	var out M
	for _, g := range m.Groups {
		if v, ok := values[g.Condition.Model]; ok {
			if out == nil {
				out = M{}
			}
			out[g.Condition.Model] = v
		}
	}
	return out
}

// lastPart is a name without the folders before it. Names on hubs, such as "meta/llama", are relative and stay.
func lastPart(name string) string {
	slashes := strings.ReplaceAll(name, `\`, "/")
	if path.IsAbs(slashes) || len(slashes) > 2 && slashes[1] == ':' && slashes[2] == '/' ||
		strings.HasPrefix(slashes, ".") || strings.HasPrefix(slashes, "~") {
		return path.Base(slashes)
	}
	return name
}

// paths lists the models whose names are paths of the machine that served them. Names are
// part of every episode's id, so they stay.
func paths(m *record.Manifest) (out []string) {
	for _, g := range m.Groups {
		_, name, _ := strings.Cut(g.Condition.Model, ":")
		if lastPart(name) != name && !slices.Contains(out, g.Condition.Model) {
			out = append(out, g.Condition.Model)
		}
	}
	return out
}
