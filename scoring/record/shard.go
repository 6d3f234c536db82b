package record

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"heldout/configs"
	"heldout/scoring/table"
)

// mostShards is the largest number of parts of a run.
const mostShards = 10_000

// Shard is a part of a plan: the tasks whose first trial has an id that leaves Index-1 when it is divided by Count.
// A shard has a directory of its own in the run directory.
type Shard struct {
	Index int `json:"index"` // from 1 to Count
	Count int `json:"count"`
}

// ParseShard reads a shard in the form 3/8.
func ParseShard(text string) (Shard, error) {
	index, count, _ := strings.Cut(text, "/")
	i, err1 := strconv.Atoi(index)
	n, err2 := strconv.Atoi(count)
	if err1 != nil || err2 != nil || i < 1 || i > n || n > mostShards {
		return Shard{}, fmt.Errorf("shard is %q, want I/N, such as 3/8: I from 1 to N, N at most %d", text, mostShards)
	}
	return Shard{i, n}, nil
}

// String returns the form that ParseShard reads.
func (s Shard) String() string { return fmt.Sprintf("%d/%d", s.Index, s.Count) }

// Dir is the name of the shard's directory.
func (s Shard) Dir() string { return fmt.Sprintf("shard-%d-of-%d", s.Index, s.Count) }

// Contains reports whether the shard plays an episode, by the id of its first trial.
func (s Shard) Contains(id string) bool {
	const digits = 12 // 48 bits
	n, err := strconv.ParseInt(id[:min(len(id), digits)], 16, 64)
	return err == nil && int(n)%s.Count == s.Index-1 // else it is no id
}

// Shards returns the directories of the shards in a run directory, sorted by their numbers; none if it has none. It
// is an error if the directory is a run by itself, or if its shards come from different divisions.
func Shards(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, nil // whoever opens the run says why
	}
	var found []Shard
	for _, e := range entries {
		if s, ok := shardOf(e.Name()); ok && e.IsDir() {
			found = append(found, s)
		}
	}
	if len(found) == 0 {
		return nil, nil
	}
	if IsRun(dir) {
		return nil,
			fmt.Errorf("%s has %s and the directory %s: it is a run and the shards of a run; move one of them away",
				dir, manifestFile, found[0].Dir())
	}
	slices.SortFunc(found, func(a, b Shard) int { return a.Index - b.Index })
	var dirs []string
	for _, s := range found {
		if s.Count != found[0].Count {
			return nil, fmt.Errorf("%s has shards of two divisions, %s and %s; move the shards of one away", dir,
				found[0].Dir(), s.Dir())
		}
		dirs = append(dirs, filepath.Join(dir, s.Dir()))
	}
	return dirs, nil
}

// SameDivision reports whether two directories of shards, by their names, are parts of as many.
func SameDivision(a, b string) bool {
	count := func(dir string) string { return dir[strings.LastIndex(dir, "-")+1:] }
	return count(a) == count(b)
}

// IsRun reports whether a directory has a manifest.
func IsRun(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, manifestFile))
	return err == nil
}

// joined returns the manifest of the run that directories are parts of. They are
// parts of one run if they plan the same episodes.
func joined(dirs []string) (*Manifest, error) {
	var manifest *Manifest
	for _, dir := range dirs {
		m, err := ReadManifest(dir)
		if err != nil {
			return nil, err
		}
		if m.Shard != nil && filepath.Base(dir) != m.Shard.Dir() {
			return nil, fmt.Errorf("%s holds the shard %s: give the directory its name %s again", dir, m.Shard,
				m.Shard.Dir())
		}
		m.Shard = nil
		if manifest == nil {
			manifest = m
			continue
		}
		if err := manifest.join(m); err != nil {
			return nil, fmt.Errorf("%s and %s are not parts of one run: %w", dirs[0], dir, err)
		}
	}
	return manifest, nil
}

// differs says in what the plan of another part is a different one; nil if it is the same.
func (m *Manifest) differs(part *Manifest) error {
	sameIDs := func(a, b Group) bool { return slices.Equal(a.Episodes, b.Episodes) }
	switch {
	case max(1, m.Behaviour) != max(1, part.Behaviour):
		return fmt.Errorf("they were made by versions of heldout that play differently (behaviour %d and %d)",
			max(1, m.Behaviour), max(1, part.Behaviour))
	case slices.EqualFunc(m.Groups, part.Groups, sameIDs):
		return nil
	}
	for i := range min(len(m.Groups), len(part.Groups)) {
		a, b := m.Groups[i], part.Groups[i]
		switch fields := Differing(a.Condition, b.Condition); {
		case len(fields) > 0 && len(m.Groups) == len(part.Groups):
			return fmt.Errorf("they plan different episodes (%s)", Listed(fields))
		case len(fields) == 0 && len(a.Episodes) != len(b.Episodes):
			return fmt.Errorf("they plan different episodes (%d and %d tasks of %s)", len(a.Episodes), len(b.Episodes),
				a.Condition.Env)
		case len(fields) == 0 && !sameIDs(a, b):
			env, _ := m.EnvironmentOf(a.Condition) // reading has checked it
			j := 0
			for a.Episodes[j] == b.Episodes[j] {
				j++
			}
			return fmt.Errorf("they plan different episodes (other tasks of %s, such as %s)", env.Name,
				env.Tasks[j].ID)
		}
	}
	return fmt.Errorf("they plan different episodes (%d and %d)", m.Planned(), part.Planned())
}

// Difference is a field in which two conditions differ, with both values; "none" for a field that is not there.
type Difference struct{ Field, Theirs, Ours string }

// String implements fmt.Stringer.
func (d Difference) String() string {
	if d.Field == "player source" {
		d.Theirs, d.Ours = shortened(d.Theirs), shortened(d.Ours)
	}
	return fmt.Sprintf("%s %s there, %s here", strings.ReplaceAll(d.Field, "_", " "), d.Theirs, d.Ours)
}

// Listed writes differences one after the other, hashes only if there is nothing else.
func Listed(differences []Difference) string {
	var texts, hashes []string
	for _, d := range differences {
		if strings.HasSuffix(d.Field, "sha256") || strings.HasSuffix(d.Field, "hash") {
			hashes = append(hashes, d.String())
		} else {
			texts = append(texts, d.String())
		}
	}
	if len(texts) == 0 {
		texts = hashes
	}
	return strings.Join(texts, "; ")
}

// Differing returns the fields in which two conditions differ, in the order of their names.
// The field of a part has the names of both: "decoding temperature".
func Differing(theirs, ours Condition) []Difference {
	fields, _ := configs.DiffJSON([]byte(theirs.Key()), []byte(ours.Key())) // keys are JSON objects
	shown := func(value string) string { return cmp.Or(strings.Trim(value, `"`), "none") }
	return table.Each(fields, func(f configs.FieldDifference) Difference {
		return Difference{strings.ReplaceAll(f.Field, ".", " "), shown(f.A), shown(f.B)}
	})
}

// join adds what another part of the run says.
func (m *Manifest) join(part *Manifest) error {
	if err := m.differs(part); err != nil {
		return err
	}
	if len(m.Names) == 0 {
		m.Names = part.Names
	}
	if len(m.Prices) == 0 {
		m.Prices = part.Prices
	}
	for model, changes := range part.Players {
		for i := range changes {
			m.NotePlayer(model, &changes[i])
		}
	}
	for player, servers := range part.Servers {
		if m.Servers == nil {
			m.Servers = map[string][]ServerReport{}
		}
		m.Servers[player] = append(m.Servers[player], servers...)
	}
	m.Uncovered = append(m.Uncovered, part.Uncovered...)
	m.Sessions = append(m.Sessions, part.Sessions...)
	slices.SortStableFunc(m.Sessions, func(a, b Session) int { return a.Started.Compare(b.Started) })
	return nil
}
