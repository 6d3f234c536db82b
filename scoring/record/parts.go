package record

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"heldout/scoring/table"
)

// Parts are the directories that hold one run, as users name them: a run directory, a
// directory of shards, or several directories of shards. Readers see the records of
// all of them as one run, also while shards are being written.
type Parts []string

// Name is the directory that stands for the run.
func (p Parts) Name() string {
	if len(p) == 1 {
		return p[0]
	}
	parent := filepath.Dir(p[0])
	for _, dir := range p {
		if filepath.Dir(dir) != parent || parent == "." {
			return p[0]
		}
	}
	return parent
}

// String names all directories.
func (p Parts) String() string { return strings.Join(p, ", ") }

// Dirs returns the directories that have a manifest: the run's, or the shards' that have begun.
func (p Parts) Dirs() (begun []string, err error) {
	for _, dir := range p {
		shards, err := Shards(dir)
		if err != nil {
			return nil, err
		}
		if len(shards) == 0 {
			begun = append(begun, dir) // reading says so if it is not a run
		}
		n := len(begun)
		absent := func(shard string) bool { return !hasBegun(shard) }
		begun = append(begun, slices.DeleteFunc(slices.Clone(shards), absent)...)
		if len(shards) > 0 && len(begun) == n {
			return nil, fmt.Errorf("%s has no shard that has begun: none has a %s", dir, manifestFile)
		}
	}
	return begun, nil
}

// hasBegun reports whether a shard has a manifest, or records that lack one.
func hasBegun(shard string) bool {
	info, err := os.Stat(filepath.Join(shard, episodesFile))
	return IsRun(shard) || err == nil && info.Size() > 0
}

// Absent returns the shards of the run that have not begun in its directories; none for a run without shards.
func (p Parts) Absent() ([]Shard, error) {
	dirs, err := p.Dirs()
	if err != nil {
		return nil, err
	}
	return absent(dirs), nil
}

func absent(dirs []string) (out []Shard) {
	present := map[int]bool{}
	count := 0
	for _, dir := range dirs {
		if s, ok := shardOf(dir); ok {
			present[s.Index], count = true, s.Count
		}
	}
	for i := 1; i <= count; i++ {
		if !present[i] {
			out = append(out, Shard{i, count})
		}
	}
	return out
}

// NameShards names shards of one run, such as "shards 2, 5 of 8"; empty for none.
func NameShards(shards []Shard) string {
	const limit = 10
	first := shards[:min(len(shards), limit)]
	numbers := table.Each(first, func(s Shard) string { return strconv.Itoa(s.Index) })
	switch n := len(shards); {
	case n == 0:
		return ""
	case n == 1:
		return "shard " + shards[0].String()
	case n > limit:
		numbers = append(numbers, fmt.Sprintf("and %d more", n-limit))
	}
	return fmt.Sprintf("shards %s of %d", strings.Join(numbers, ", "), shards[0].Count)
}

// shardOf reads the name of a shard's directory.
func shardOf(dir string) (Shard, bool) {
	base := filepath.Base(dir)
	rest, ok := strings.CutPrefix(base, "shard-")
	s, err := ParseShard(strings.Replace(rest, "-of-", "/", 1))
	return s, ok && err == nil && s.Dir() == base
}

// Size returns the size of the run's attempts, in bytes.
func (p Parts) Size() (size int64, err error) {
	dirs, err := p.Dirs()
	if err != nil {
		return 0, err
	}
	for _, dir := range dirs {
		content, err := wholeFile(filepath.Join(dir, episodesFile))
		if err != nil {
			return 0, err
		}
		if content != nil {
			size += content.size
			content.file.Close()
		}
	}
	return size, nil
}

// Files returns the paths of the run's files by the names that they have in its directories.
func (p Parts) Files() (map[string]string, error) {
	dirs, err := p.Dirs()
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, dir := range dirs {
		for _, name := range []string{manifestFile, episodesFile} {
			path := filepath.Join(dir, name)
			if _, err := os.Stat(path); err != nil {
				continue // a run without episodes
			}
			if _, ok := shardOf(dir); ok {
				name = filepath.Base(dir) + "/" + name
			}
			out[name] = path
		}
	}
	return out, nil
}

// manifestOf reads the manifest of the whole run.
func manifestOf(dirs []string) (*Manifest, error) {
	if len(dirs) == 1 {
		if _, ok := shardOf(dirs[0]); !ok {
			return ReadManifest(dirs[0])
		}
	}
	return joined(dirs)
}

// manifest reads the manifest of the whole run.
func (p Parts) manifest() (*Manifest, error) {
	dirs, err := p.Dirs()
	if err != nil {
		return nil, err
	}
	return manifestOf(dirs)
}

// Manifest reads what is planned of the chosen episodes.
func (p Chosen) Manifest() (*Manifest, error) {
	m, err := p.manifest()
	if err != nil {
		return nil, err
	}
	return m.Only(p.Only), nil
}

// visit is EachEpisode, EachDerived and EachMeasured. Begin returns the decoders for the lines of a directory. Its plan
// is the manifest's.
func (p Chosen) visit(begin func(m *Manifest, plan *Plan, dir string) (newDecoder func() decoder),
	visit func(*Manifest, *Episode, Position, any)) (*Manifest, error) {
	dirs, err := p.Dirs()
	if err != nil {
		return nil, err
	}
	contents := make([]*sized, len(dirs))
	for i, dir := range dirs {
		if contents[i], err = wholeFile(filepath.Join(dir, episodesFile)); err != nil {
			return nil, err
		}
		if contents[i] != nil {
			defer contents[i].file.Close()
		}
	}
	// Manifests are read after the sizes of the files were: lines up to there are planned in them.
	m, err := manifestOf(dirs)
	if err != nil {
		return nil, err
	}
	full, part := m.Plan(), m.Only(p.Only)
	selected := full
	if part != m {
		selected = part.Plan()
	}
	checks := newChecker(full)
	for _, c := range contents {
		if c == nil {
			continue
		}
		bare := 0 // lines without a checksum
		newDecoder := begin(part, selected, filepath.Dir(c.file.Name()))
		err := scan(io.NewSectionReader(c.file, 0, c.size), c.file.Name(), newDecoder, checks.attempts(c.file.Name(),
			func(e *Episode, pos Position, derived any) {
				if e.Checksum == "" {
					bare++
				}
				found := true
				if selected != full {
					pos, found = selected.Find(e.ID)
				}
				if found {
					visit(part, e, pos, derived)
				}
			}))
		if err != nil {
			return nil, err
		}
		part.Uncovered = append(part.Uncovered, Uncovered(bare, c.file.Name())...)
	}
	return part, nil
}

// Together divides directories into runs. Those of different shards of one run are one run. tell receives a line
// for each directory that joins others, or that is there twice.
func Together(dirs []string, tell func(string)) ([]Parts, error) {
	var runs []*gathered
next:
	for _, dir := range dirs {
		info, err := os.Stat(dir)
		if err != nil {
			return nil, notRun(dir, err)
		}
		if !info.IsDir() {
			return nil, notFolder(dir)
		}
		candidate, err := gather(dir, info)
		if err != nil {
			return nil, err
		}
		for _, g := range runs {
			if duplicate := g.covering(candidate); duplicate != "" {
				tell(fmt.Sprintf("%s and %s are the same directory, which counts once", duplicate, dir))
				continue next
			}
			if overlap := g.shares(candidate); overlap != "" {
				return nil, fmt.Errorf("%s and %s both hold %s: give every shard once", g.parts, dir, overlap)
			}
		}
		for _, g := range runs {
			if g.completes(candidate) {
				tell(fmt.Sprintf("%s and %s hold shards of one run", g.parts, dir))
				g.add(candidate)
				continue next
			}
		}
		runs = append(runs, candidate)
	}
	return table.Each(runs, func(g *gathered) Parts { return g.parts }), nil
}

// gathered is what is known of a run's directories before they are read.
type gathered struct {
	parts   Parts
	dirInfo []fs.FileInfo // of parts
	shards  []string      // the directories of those that have begun; none for a run without shards
	info    []fs.FileInfo // of shards
	plan    *Manifest     // nil until it is needed
}

func gather(dir string, info fs.FileInfo) (*gathered, error) {
	g := &gathered{parts: Parts{dir}, dirInfo: []fs.FileInfo{info}}
	begun, err := g.parts.Dirs()
	if err != nil {
		return nil, err
	}
	for _, d := range begun {
		if _, ok := shardOf(d); !ok || !hasBegun(d) {
			continue
		}
		info, err := os.Stat(d)
		if err != nil {
			return nil, err
		}
		g.shards, g.info = append(g.shards, d), append(g.info, info)
	}
	return g, nil
}

// covering returns the directory that holds all that another one has; empty for none.
func (g *gathered) covering(h *gathered) string {
	for i, info := range g.dirInfo {
		if os.SameFile(info, h.dirInfo[0]) {
			return g.parts[i]
		}
	}
	for _, info := range h.info {
		if !slices.ContainsFunc(g.info, func(own fs.FileInfo) bool { return os.SameFile(own, info) }) {
			return ""
		}
	}
	if len(h.info) > 0 {
		return g.parts.Name()
	}
	return ""
}

// shares returns a directory of a shard that two have in common; empty for none.
func (g *gathered) shares(h *gathered) string {
	for i, info := range h.info {
		if slices.ContainsFunc(g.info, func(own fs.FileInfo) bool { return os.SameFile(own, info) }) {
			return h.shards[i]
		}
	}
	return ""
}

// completes reports whether a directory has other shards of the same run.
func (g *gathered) completes(h *gathered) bool {
	if len(g.shards) == 0 || len(h.shards) == 0 || !SameDivision(g.shards[0], h.shards[0]) {
		return false
	}
	for _, a := range g.shards {
		if slices.ContainsFunc(h.shards, func(b string) bool { return filepath.Base(a) == filepath.Base(b) }) {
			return false
		}
	}
	return g.read() == nil && h.read() == nil && g.plan.differs(h.plan) == nil
}

// read reads one manifest of the shards.
func (g *gathered) read() (err error) {
	if g.plan == nil {
		g.plan, err = ReadManifest(g.shards[0])
	}
	return err
}

func (g *gathered) add(h *gathered) {
	g.parts, g.dirInfo = append(g.parts, h.parts...), append(g.dirInfo, h.dirInfo...)
	g.shards, g.info = append(g.shards, h.shards...), append(g.info, h.info...)
}
