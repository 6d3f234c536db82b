package perturb

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"heldout/configs"
	"heldout/envs/stream"
	"heldout/scoring/table"
)

// The names of perturbations that are made from families.
const (
	allName    = "all"
	randomName = "random"
)

// Named returns the rules that a name stands for in an environment: verbs:2 is a family in a grade, verbs:2+order:1
// a combination, all:2 every family of the environment in that grade or its last, random:SEED:K K families in any
// grades, random:SEED:K-FAMILY without that family, random:SEED:K-FAMILY:GRADE without that grade.
func Named(env, name string) (configs.Perturbation, error) {
	families, err := configs.LoadFamilies(env)
	if err != nil {
		return configs.Perturbation{}, err
	}
	rules, err := named(families, name)
	if err != nil {
		return configs.Perturbation{}, fmt.Errorf("perturbation %q of %s: %w", name, env, err)
	}
	return rules, nil
}

// IsNamed reports whether a name is one for Named.
func IsNamed(name string) bool { return strings.Contains(name, ":") }

func named(families configs.Families, name string) (configs.Perturbation, error) {
	kind, rest, ok := strings.Cut(name, ":")
	switch {
	case !ok:
		return configs.Perturbation{}, errors.New(
			"give FAMILY:GRADE, several of them joined by +, all:GRADE or random:SEED:K")
	case kind == randomName:
		return random(families, rest)
	case kind == allName:
		return allFamilies(families, rest)
	}
	parts, err := parseParts(name)
	if err != nil {
		return configs.Perturbation{}, err
	}
	rules, err := combine(families, parts)
	rules.Name = partsName(rules.Parts)
	return rules, err
}

// parseParts reads FAMILY:GRADE+FAMILY:GRADE.
func parseParts(name string) (parts []configs.FamilyGrade, err error) {
	for _, text := range strings.Split(name, "+") {
		family, grade, _ := strings.Cut(text, ":")
		n, err := number(grade)
		if err != nil {
			return nil, fmt.Errorf("%q is not FAMILY:GRADE, such as verbs:2", text)
		}
		parts = append(parts, configs.FamilyGrade{Family: family, Grade: n})
	}
	return parts, nil
}

// number reads a number of at least 1, as it would be written.
func number(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || strconv.Itoa(n) != text {
		return 0, fmt.Errorf("%q is not a number from 1 up", text)
	}
	return n, nil
}

func partsName(parts []configs.FamilyGrade) string {
	texts := make([]string, len(parts))
	for i, p := range parts {
		texts[i] = p.Family + ":" + strconv.Itoa(p.Grade)
	}
	return strings.Join(texts, "+")
}

// allFamilies is every family that the environment has.
func allFamilies(families configs.Families, grade string) (configs.Perturbation, error) {
	n, err := number(grade)
	if err != nil {
		return configs.Perturbation{}, fmt.Errorf("%s needs a grade: %w", allName, err)
	}
	var parts []configs.FamilyGrade
	highest := 0
	for _, f := range families.All {
		highest = max(highest, len(f.Grades))
		if f.None == "" {
			parts = append(parts, configs.FamilyGrade{Family: f.ID, Grade: min(n, len(f.Grades))})
		}
	}
	if n > highest {
		return configs.Perturbation{}, fmt.Errorf("there are grades 1 to %d, not %d", highest, n)
	}
	rules, err := combine(families, parts)
	rules.Name = allName + ":" + grade
	return rules, err
}

// combine puts the rules of several families together.
func combine(families configs.Families, parts []configs.FamilyGrade) (configs.Perturbation, error) {
	out := configs.Perturbation{Env: families.Env}
	order := configs.FamilyIDs()
	place := func(p configs.FamilyGrade) int { return slices.Index(order, p.Family) }
	out.Parts = slices.SortedFunc(slices.Values(parts), func(a, b configs.FamilyGrade) int {
		return cmp.Compare(place(a), place(b))
	})
	var titles []string
	for i, part := range out.Parts {
		if i > 0 && part.Family == out.Parts[i-1].Family {
			return out, fmt.Errorf("family %s is there twice", part.Family)
		}
		family, err := families.Family(part.Family)
		if err != nil {
			return out, err
		}
		grade, err := family.Grade(part.Grade)
		if err != nil {
			return out, err
		}
		if err := out.Add(grade); err != nil {
			return out, fmt.Errorf("family %s does not go with the others: %w", part.Family, err)
		}
		titles = append(titles, family.Title+" ("+grade.Title+")")
	}
	out.Title = strings.Join(titles, "; ")
	return out, nil
}

// random draws families. A draw begins with the families of any smaller draw with
// the same seed. Words that exist in no language are drawn, too.
func random(families configs.Families, spec string) (configs.Perturbation, error) {
	seedText, count, _ := strings.Cut(spec, ":")
	seed, err := strconv.ParseInt(seedText, 10, 64)
	if err != nil || strconv.FormatInt(seed, 10) != seedText {
		return configs.Perturbation{}, fmt.Errorf("want %s:SEED:K with a whole number as seed, not %q", randomName,
			seedText)
	}
	count, have, err := parseCount(families, count)
	if err != nil {
		return configs.Perturbation{}, err
	}
	k := len(have)
	if count != allName {
		if k, err = number(count); err != nil || k > len(have) {
			return configs.Perturbation{}, fmt.Errorf(
				"want K from 1 to %d, the number of families of %s, or %s, not %q", len(have), families.Env, allName,
				count)
		}
	}
	draws := stream.New(seed, "perturbation", families.Env)
	var parts []configs.FamilyGrade
	for _, i := range draws.Perm(len(have)) {
		parts = append(parts, have[i][draws.IntN(len(have[i]))])
	}
	rules, err := combine(families, parts[:k])
	if err != nil {
		return rules, err
	}
	rules.Name = randomName + ":" + spec
	rules.Title = "drawn: " + rules.Title
	if rules.Order == configs.Shuffled || rules.Lines != nil {
		rules.Seed = seed
	}
	return renewed(rules, stream.New(seed, "perturbation", families.Env, "nonce")), nil
}

// parseCount reads K-FAMILY-FAMILY:GRADE: how many families are drawn, and the grades of each that can be.
func parseCount(families configs.Families, text string) (count string, have [][]configs.FamilyGrade, err error) {
	parts := strings.Split(text, "-")
	excluded := map[configs.FamilyGrade]bool{}
	for _, part := range parts[1:] {
		id, gradeText, graded := strings.Cut(part, ":")
		if !slices.Contains(configs.FamilyIDs(), id) {
			return "", nil, fmt.Errorf("unknown family %q to leave out; there are %s", id,
				strings.Join(configs.FamilyIDs(), ", "))
		}
		grade := 0 // all grades
		if graded {
			grade, err = number(gradeText)
			family, unknown := families.Family(id)
			if _, none := family.Grade(grade); err != nil || unknown != nil || none != nil {
				return "", nil, fmt.Errorf("cannot leave out %q: %w", part, cmp.Or(err, unknown, none))
			}
		}
		excluded[configs.FamilyGrade{Family: id, Grade: grade}] = true
	}
	for _, f := range families.All {
		var grades []configs.FamilyGrade
		for i := range f.Grades {
			g := configs.FamilyGrade{Family: f.ID, Grade: i + 1}
			if !excluded[g] && !excluded[configs.FamilyGrade{Family: f.ID}] {
				grades = append(grades, g)
			}
		}
		if grades != nil {
			have = append(have, grades)
		}
	}
	return parts[0], have, nil
}

// renewed replaces the nonce words of the rules with others.
func renewed(rules configs.Perturbation, draws *rand.Rand) configs.Perturbation {
	nonce := configs.NonceWords()
	replacements := map[string]string{}
	order := draws.Perm(len(nonce))
	for i, word := range nonce {
		replacements[word] = nonce[order[i]]
	}
	words := newLexicon(replacements, isLetter)
	for _, m := range []*map[string]string{&rules.Actions, &rules.Replies, &rules.Verbs, &rules.Words, &rules.Texts,
		&rules.Instructions} {
		*m = maps.Clone(*m)
		for old, form := range *m {
			(*m)[old] = words.say(form)
		}
	}
	return rules
}

// GradeName names a family at a grade, or at its highest if it has no such grade.
func GradeName(f configs.Family, grade int) string {
	return fmt.Sprintf("%s:%d", f.ID, min(grade, len(f.Grades)))
}

// SuiteNames names the perturbations of a suite: at each grade every family alone, in pairs, in fours, and all at
// once. Families are interleaved so that each pair is part of a group of four and each family is in as many pairs
// and fours as the others; if the numbers do not divide, the first family fills the last group.
func SuiteNames(families []configs.Family, grades []int) (names []string) {
	add := func(name string) {
		if !slices.Contains(names, name) { // a family may have fewer grades
			names = append(names, name)
		}
	}
	n := len(families)
	for _, grade := range grades {
		for _, f := range families {
			add(GradeName(f, grade))
		}
	}
	for _, grade := range grades {
		for _, size := range []int{2, 4} {
			for first := 0; first < n && size < n; first += size {
				var indices []int
				for i := first; i < first+size; i++ {
					indices = append(indices, interleaved(i%n, n))
				}
				slices.Sort(indices)
				parts := table.Each(indices, func(i int) string { return GradeName(families[i], grade) })
				add(strings.Join(parts, "+"))
			}
		}
		if n > 1 {
			add(fmt.Sprintf("all:%d", grade))
		}
	}
	return names
}

// interleaved permutes 0 to n-1: the first half and the second take turns.
func interleaved(i, n int) int {
	if i%2 == 0 {
		return i / 2
	}
	return (n+1)/2 + i/2
}
