package record

import (
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// MostShards is the largest number of parts of a run.
const MostShards = 10_000

// Shard is a part of a plan: the tasks whose first trial has an id that leaves
// Index-1 when it is divided by Count. A shard has a directory of its own in the
// run directory.
type Shard struct {
	// Index counts from 1 to Count.
	Index int `json:"index"`
	Count int `json:"count"`
}

// ParseShard reads a shard in the form 3/8.
func ParseShard(text string) (Shard, error) {
	index, count, _ := strings.Cut(text, "/")
	i, err1 := strconv.Atoi(index)
	n, err2 := strconv.Atoi(count)
	if err1 != nil || err2 != nil || i < 1 || i > n || n > MostShards {
		return Shard{}, fmt.Errorf("shard is %q, want I/N, such as 3/8: I from 1 to N, N at most %d", text, MostShards)
	}
	return Shard{i, n}, nil
}

// String returns the form that ParseShard reads.
func (s Shard) String() string { return fmt.Sprintf("%d/%d", s.Index, s.Count) }

// Dir is the name of the shard's directory.
func (s Shard) Dir() string { return fmt.Sprintf("shard-%d-of-%d", s.Index, s.Count) }

// Has reports whether the shard plays an episode, by the id of its first trial.
func (s Shard) Has(id string) bool {
	const digits = 12 // 48 bits
	b, err := hex.DecodeString(id[:min(len(id), digits)])
	if err != nil {
		return false // no id
	}
	n := 0
	for _, x := range b {
		n = n<<8 | int(x)
	}
	return n%s.Count == s.Index-1
}

// Shards returns the directories of the shards in a run directory, sorted by their
// numbers; none if it has none. It is an error if the directory is a run by itself,
// or if its shards are of different divisions.
func Shards(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, nil // whoever opens the run says why
	}
	var found []Shard
	for _, e := range entries {
		rest, ok := strings.CutPrefix(e.Name(), "shard-")
		s, err := ParseShard(strings.Replace(rest, "-of-", "/", 1))
		if ok && err == nil && e.IsDir() && s.Dir() == e.Name() {
			found = append(found, s)
		}
	}
	if len(found) == 0 {
		return nil, nil
	}
	if IsRun(dir) {
		return nil, fmt.Errorf("%s has %s and the directory %s: it is a run and the shards of a run; move one of them away", dir, manifestFile, found[0].Dir())
	}
	slices.SortFunc(found, func(a, b Shard) int { return a.Index - b.Index })
	var dirs []string
	for _, s := range found {
		if s.Count != found[0].Count {
			return nil, fmt.Errorf("%s has shards of two divisions, %s and %s; move those of one away", dir, found[0].Dir(), s.Dir())
		}
		dirs = append(dirs, filepath.Join(dir, s.Dir()))
	}
	return dirs, nil
}

// SameDivision reports whether two directories of shards, by their names, are parts
// of as many.
func SameDivision(a, b string) bool {
	of := func(dir string) string { return dir[strings.LastIndex(dir, "-")+1:] }
	return of(a) == of(b)
}

// Files returns the paths of the files of a run directory, or of its shards, by their
// names in it.
func Files(dir string) (map[string]string, error) {
	dirs, err := Shards(dir)
	if err != nil {
		return nil, err
	}
	if len(dirs) == 0 {
		dirs = []string{dir}
	}
	out := map[string]string{}
	for _, d := range dirs {
		for _, name := range []string{manifestFile, episodesFile} {
			path := filepath.Join(d, name)
			if _, err := os.Stat(path); err != nil {
				continue // a run without episodes
			}
			short, err := filepath.Rel(dir, path)
			if err != nil {
				return nil, err
			}
			out[filepath.ToSlash(short)] = path
		}
	}
	return out, nil
}

// IsRun reports whether a directory has a manifest.
func IsRun(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, manifestFile))
	return err == nil
}

// eachShard is each for a run directory with shards. Its manifest is that of the
// whole run.
func eachShard(dirs []string, derive func(*Manifest, *Episode) any, visit func(*Manifest, *Episode, any)) (*Manifest, error) {
	whole, err := joined(dirs)
	if err != nil {
		return nil, err
	}
	for _, dir := range dirs {
		_, err := eachOf(dir, derive, func(_ *Manifest, e *Episode, derived any) { visit(whole, e, derived) })
		if err != nil {
			return nil, err
		}
	}
	return whole, nil
}

// joined returns the manifest of the run that directories are parts of. They are
// parts of one run if they plan the same episodes.
func joined(dirs []string) (*Manifest, error) {
	var whole *Manifest
	for _, dir := range dirs {
		m, err := ReadManifest(dir)
		if err != nil {
			return nil, err
		}
		if m.Shard != nil && filepath.Base(dir) != m.Shard.Dir() {
			return nil, fmt.Errorf("%s holds the shard %s: give the directory its name %s again", dir, m.Shard, m.Shard.Dir())
		}
		m.Shard = nil
		if whole == nil {
			whole = m
			continue
		}
		if err := whole.join(m); err != nil {
			return nil, fmt.Errorf("%s and %s are not parts of one run: %w", dirs[0], dir, err)
		}
	}
	return whole, nil
}

// join adds what another part of the run says.
func (m *Manifest) join(part *Manifest) error {
	sameIDs := func(a, b Group) bool { return slices.Equal(a.Episodes, b.Episodes) }
	switch {
	case max(1, m.Behaviour) != max(1, part.Behaviour):
		return fmt.Errorf("they are of versions of heldout that play differently (behaviour %d and %d)", max(1, m.Behaviour), max(1, part.Behaviour))
	case !slices.EqualFunc(m.Groups, part.Groups, sameIDs):
		return fmt.Errorf("they plan different episodes")
	}
	for player, servers := range part.Servers {
		if m.Servers == nil {
			m.Servers = map[string][]Server{}
		}
		m.Servers[player] = append(m.Servers[player], servers...)
	}
	m.Sessions = append(m.Sessions, part.Sessions...)
	return nil
}
