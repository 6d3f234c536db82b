package overview

import (
	"fmt"
	"html/template"
	"slices"
	"strings"

	"heldout/envs"
	"heldout/eval/show/page"
	"heldout/eval/show/trajectory"
	"heldout/scoring/report"
)

// mostExamples is how many episodes of a group of failures are linked for each place.
const mostExamples = 2

// failing says why the unsolved episodes of a model failed.
type failing struct {
	Model    string
	Unsolved int
	Groups   []failed // those with episodes, the largest first
}

// failed is a group of failures.
type failed struct {
	Name     string
	Episodes int
	Share    float64 // of the unsolved episodes, in percent
	Where    string  // episodes by place
	Examples []episodeLink
}

// failures groups the unsolved episodes of models.
func (e *Episodes) failures(lines []report.HeadlineLine, places []string) (out []failing) {
	reasons := trajectory.Reasons()
	for _, l := range lines {
		f := failing{Model: page.CellText(l.Model)}
		groups := make([]failed, len(reasons))
		for _, place := range places {
			count := e.count(report.Stand{Model: l.Model, Place: place}, groups)
			for i, n := range count {
				if n > 0 {
					groups[i].Where += fmt.Sprintf(", %s\u00a0%d", page.CellText(envs.PlaceTitle(place)), n)
					groups[i].Episodes += n
					f.Unsolved += n
				}
			}
		}
		for i, g := range groups {
			if g.Episodes > 0 {
				g.Name, g.Share = reasons[i].Label, 100*float64(g.Episodes)/float64(f.Unsolved)
				g.Where = strings.TrimPrefix(g.Where, ", ")
				f.Groups = append(f.Groups, g)
			}
		}
		slices.SortStableFunc(f.Groups, func(a, b failed) int { return b.Episodes - a.Episodes })
		if f.Unsolved > 0 {
			out = append(out, f)
		}
	}
	return out
}

// count counts the failures of a model in a place by reason, and adds examples to the
// groups: one for a task, while there is room.
func (e *Episodes) count(stand report.Stand, groups []failed) []int {
	count, linked := make([]int, len(groups)), make([]int, len(groups))
	s := e.attempts[stand]
	if s == nil {
		return count
	}
	for _, key := range s.tasks {
		t := s.byTask[key]
		last := -1 // the group with an example of this task
		for _, a := range t.attempts {
			if a.Reason == trajectory.Solved {
				continue
			}
			i := int(a.Reason) - 1
			count[i]++
			if linked[i] == mostExamples || last == i {
				continue
			}
			if address := e.addresses(a.named()); address != "" {
				last = i
				linked[i]++
				groups[i].Examples = append(groups[i].Examples, episodeLink{template.URL(address),
					page.CellText(envs.PlaceTitle(stand.Place) + " " + t.name), ""})
			}
		}
	}
	return count
}
