package export

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"heldout/envs"
	"heldout/envs/catalog"
	"heldout/envs/stream"
)

// Division is a part of the examples, such as those for validation.
type Division struct {
	Name string `json:"name"` // part of the file's name
	// Share is the part of the tasks, more than 0 and at most 1. Shares add up to 1.
	Share float64 `json:"share"`
}

var partName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$`)

// mostParts bounds the number of parts: each is an open file.
const mostParts = 20

// ParseParts reads parts in the form train=0.9,val=0.1.
func ParseParts(text string) ([]Division, error) {
	if text == "" {
		return nil, nil
	}
	var out []Division
	sum := 0.0
	for field := range strings.SplitSeq(text, ",") {
		name, share, _ := strings.Cut(field, "=")
		x, err := strconv.ParseFloat(share, 64)
		if err != nil || !(x > 0 && x <= 1) || !partName.MatchString(name) {
			return nil,
				fmt.Errorf("split is %q, want names with shares that add up to 1, such as train=0.9,val=0.1", text)
		}
		if slices.ContainsFunc(out, func(p Division) bool { return strings.EqualFold(p.Name, name) }) {
			return nil, fmt.Errorf("split is %q: %s is there twice", text, name)
		}
		out, sum = append(out, Division{name, x}), sum+x
	}
	if math.Abs(sum-1) > 1e-9 {
		return nil, fmt.Errorf("split is %q: the shares add up to %g, want 1", text, sum)
	}
	if len(out) > mostParts {
		return nil, fmt.Errorf("split has %d parts, the limit is %d", len(out), mostParts)
	}
	return out, nil
}

// splitter puts tasks into parts. A task goes to one part, whatever run it comes from: tasks with one name in one
// environment are one task, and so are tasks with one digest or one content. The part depends on the seed and on
// the task, not on what else there is, so further runs move no task, unless they show that two are one.
type splitter struct {
	parts []Division
	seed  int64
	// links leads from a name or content to an equal one that comes before it in order.
	links map[string]string
}

func newSplitter(parts []Division, seed int64) *splitter {
	return &splitter{parts, seed, map[string]string{}}
}

// taskName is the name of a task among all environments.
func taskName(env, id string) string { return "task " + env + " " + id }

func (s *splitter) add(env string, t envs.Task) {
	if t.Digest != "" {
		s.join(taskName(env, t.ID), "content "+env+" "+t.Digest)
	}
	if content := catalog.Content(env, t); content != "" {
		s.join(taskName(env, t.ID), "puzzle "+env+" "+content)
	}
}

// root is the first of all equal names.
func (s *splitter) root(name string) string {
	for {
		next, ok := s.links[name]
		if !ok {
			return name
		}
		if further, ok := s.links[next]; ok {
			s.links[name] = further
		}
		name = next
	}
}

func (s *splitter) join(a, b string) {
	a, b = s.root(a), s.root(b)
	if a != b {
		s.links[max(a, b)] = min(a, b)
	}
}

func (s *splitter) part(name string) int {
	if len(s.parts) < 2 {
		return 0
	}
	x := stream.New(s.seed, "export", s.root(name)).Float64()
	for i, p := range s.parts {
		if x -= p.Share; x < 0 {
			return i
		}
	}
	return len(s.parts) - 1
}

// fileName is the name of the file of a part: data.jsonl becomes data.train.jsonl.
func fileName(out, extension string, words ...string) string {
	base := strings.TrimSuffix(out, extension)
	for _, w := range words {
		if w != "" {
			base += "." + w
		}
	}
	return cmp.Or(base, out) + extension
}
