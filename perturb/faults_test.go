package perturb

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"heldout/configs"
	"heldout/envs/sharedtest"
)

// A judged text is one of a sheet, of a condition.
type judged struct {
	*condition
	line
}

// condition is a perturbation of a task type.
type condition struct {
	rules configs.Perturbation
	p     *Perturbation
	// named and unnamed find names in the old form and the new one, in any case.
	named, unnamed *regexp.Regexp
	// asAction finds old verbs that texts have only as names of actions.
	asAction *regexp.Regexp
	help     bool
	// gone and come are the tokens that rules take out of texts and put into them.
	gone, come map[string]bool
}

func newCondition(rules configs.Perturbation, p *Perturbation) *condition {
	c := &condition{rules: rules, p: p}
	if n := p.names; n.pattern != "" {
		c.named = regexp.MustCompile("(?i)" + n.write.find.String())
		c.unnamed = regexp.MustCompile("(?i)" + n.read.find.String())
	}
	var verbs []string
	for _, verb := range asActions[rules.Env] {
		if _, changes := rules.Verbs[verb]; changes {
			verbs = append(verbs, verb)
		}
	}
	if len(verbs) > 0 {
		c.asAction = regexp.MustCompile(`(?i)\b(?:` + strings.Join(verbs, "|") + `)\b`)
	}
	c.help = slices.ContainsFunc(rules.Parts, func(p configs.FamilyGrade) bool { return p.Family == "help" })
	c.account()
	return c
}

// TestTextsOfConditions: every condition changes a text of the prompt or of the beginning of a task, or an action;
// no text has an old form; and a text changes in what its families name and in nothing else.
func TestTextsOfConditions(t *testing.T) {
	all, nothing, old, more := 0, 0, 0, 0
	every := sharedtest.Every(t, 16, 2) // in the long form, of a family at least one grade
	for _, name := range withFamilies(t) {
		env := benchmark(t, name)
		heard, prompts := hearTasks(t, env), ownPrompts(t, name)
		for i, rule := range conditions(t, name) {
			if i%every != 0 && !*whole {
				continue
			}
			rules := mustName(t, name, rule)
			perturbed := sharedtest.Must(Wrap(env, rules))(t)
			found := map[string]bool{} // of the prompts, which task types share
			byType := map[*Perturbation]*condition{}
			seen := map[judged]bool{} // lines of which tasks and prompts have many in common
			for _, h := range heard {
				p := sharedtest.Must(perturbed.ofType(h.taskType))(t)
				if byType[p] == nil {
					byType[p] = newCondition(rules, p)
				}
				told := make([][]line, len(prompts))
				for i, of := range prompts {
					told[i] = promptLines(t, p, of, h.taskType)
				}
				sheet := slices.Concat(told[0], h.sheet(p))
				if sharedtest.Long() || *whole {
					sheet = append(sheet, told[1]...)
				}
				same := !differs(h.first(p)) && !slices.ContainsFunc(h.actions.all, func(a string) bool {
					return p.WriteAction(a) != a
				})
				for i := range prompts {
					if same && !differs(told[i]) {
						nothing++
						found["nothing changes in "+h.taskType+" with the prompt "+configs.PromptVersions()[i]] = true
					}
				}
				for _, l := range sheet {
					j := judged{byType[p], l}
					if seen[j] {
						continue
					}
					seen[j] = true
					for _, of := range []struct {
						fault string
						count *int
					}{{oldForm(j), &old}, {beyond(j), &more}} {
						if text := l.kind + ": " + of.fault; of.fault != "" && !found[text] {
							*of.count++
							found[text] = true
						}
					}
				}
			}
			all++
			for _, text := range slices.Sorted(maps.Keys(found))[:min(3, len(found))] {
				t.Errorf("%s %s: %.400s", name, rule, text)
			}
		}
	}
	t.Logf("%d conditions; nothing changes in %d task types; %d old forms; %d texts change besides", all, nothing, old,
		more)
}

// ownPrompts are the prompts of an environment, the current version first.
func ownPrompts(t *testing.T, env string) (out []configs.Prompt) {
	t.Helper()
	for _, version := range configs.PromptVersions() {
		out = append(out, sharedtest.Must(configs.LoadPrompt(env, version))(t))
	}
	return out
}

// promptLines are the texts of a section of a prompt.
func promptLines(t *testing.T, p *Perturbation, prompt configs.Prompt, taskType string) []line {
	t.Helper()
	return promptSheet(p, sharedtest.Must(prompt.For(taskType))(t))
}

func differs(sheet []line) bool {
	return slices.ContainsFunc(sheet, func(l line) bool { return l.before != l.after })
}

// asActions are words that texts of prompts have only as names of actions.
var asActions = map[string][]string{
	"hotpotqa": {"lookup", "search"}, "babyai": {"pickup", "toggle"}, "sciworld": {"wait1"},
	"pddl": {"pickup", "putdown", "unstack", "grasp", "fill-shot", "jack-up", "do-up", "put-away"},
}

var (
	helpAsked  = regexp.MustCompile(`(?i)check (valid|available) actions`)
	listMeant  = regexp.MustCompile(`(?i)(?:the|a) list|I will check (?:how|which|what)`)
	headBreaks = regexp.MustCompile(`[:;,.] `)
)

var wordRun = regexp.MustCompile(`[A-Za-z]+`)

// oldForm says what is old in a text, if anything.
func oldForm(j judged) string {
	for _, word := range wordRun.FindAllString(j.after, -1) {
		for _, stem := range []string{word, strings.TrimSuffix(word, "s"), strings.TrimSuffix(word, "es")} {
			if _, old := j.rules.Words[strings.ToLower(stem)]; old {
				return fmt.Sprintf("the old word %q in %q", word, around(j.after, word))
			}
		}
	}
	if j.named != nil {
		if old := j.named.FindString(j.after); old != "" {
			return fmt.Sprintf("the old name %q in %q", old, around(j.after, old))
		}
	}
	if j.p.numbers && hasNumber(j.after) {
		return fmt.Sprintf("a number in digits in %q", j.after)
	}
	if j.asAction != nil {
		if old := j.asAction.FindString(j.after); old != "" {
			return fmt.Sprintf("the old verb %q in %q", old, around(j.after, old))
		}
	}
	if j.help {
		if old := helpAsked.FindString(j.after); old != "" {
			return fmt.Sprintf("%q in %q", old, around(j.after, old))
		}
		if old := listMeant.FindString(j.after); old != "" && len(j.rules.Without) > 0 &&
			(j.kind == thought || j.kind == instruction) {
			return fmt.Sprintf("%q in %q", old, around(j.after, old))
		}
	}
	switch j.kind {
	case action:
		if written := j.p.wording(j.after); written.Old {
			return fmt.Sprintf("the action %q", j.after)
		}
	case instruction:
		return oldDefinition(j)
	case goal, observation:
		if j.p.texts.rewrite(j.after) != j.after {
			return fmt.Sprintf("an old sentence in %q", j.after)
		}
	}
	return ""
}

var slotInBrackets = regexp.MustCompile(`\{[^{}]*\}( \{number\})?`)

// oldDefinition says which form an instruction explains in its old words.
func oldDefinition(j judged) string {
	for _, text := range strings.Split(j.after, "\n") {
		for _, head := range headBreaks.Split(text, -1) {
			for i := range j.p.forms {
				f := &j.p.forms[i]
				old := slotInBrackets.ReplaceAllString(f.old.text, "{}")
				now := slotInBrackets.ReplaceAllString(strings.TrimSpace(head), "{}")
				if f.changed() && strings.EqualFold(now, old) {
					return fmt.Sprintf("the form %q in %q", f.old.text, text)
				}
			}
		}
	}
	return ""
}

// around is a passage of a text.
func around(text, part string) string {
	at := strings.Index(text, part)
	return text[max(0, at-40):min(len(text), at+len(part)+40)]
}

var tokenRun = regexp.MustCompile(`[A-Za-z0-9']+|[^\sA-Za-z0-9']| {2,}|\n`)

// badMarks finds blanks behind a dash, a dash alone, and a bar within a sentence.
var badMarks = regexp.MustCompile(`(?m)^ *-  |but\.\. \||^ *-$`)

// tokens counts the words and marks of a text.
func tokens(text string) map[string]int {
	out := map[string]int{}
	for _, token := range tokenRun.FindAllString(text, -1) {
		out[token]++
	}
	return out
}

// beyond names the tokens that change although no rule is about them.
func beyond(j judged) string {
	if j.before == j.after {
		return ""
	}
	before, after := tokens(j.before), tokens(j.after)
	var lost, found []string
	for token, n := range before {
		if n > after[token] && !j.goes(token) {
			lost = append(lost, token)
		}
	}
	for token, n := range after {
		if n > before[token] && !j.comes(token) {
			found = append(found, token)
		}
	}
	if marks := badMarks.FindString(j.after); marks != "" && !badMarks.MatchString(j.before) {
		return fmt.Sprintf("%q in %q", marks, j.after)
	}
	if word := doubled(j.after); word != "" && doubled(j.before) != word {
		return fmt.Sprintf("%q twice in %q", word, j.after)
	}
	if len(lost)+len(found) == 0 {
		return ""
	}
	slices.Sort(lost)
	slices.Sort(found)
	return fmt.Sprintf("%q became %q, in %q and %q", lost, found, j.before, j.after)
}

// doubled is the first word that stands twice in a row in a text, such as "to" in "walk to
// to hallway". Numbers may: "a ball one one step in front of you".
func doubled(text string) string {
	words := strings.Fields(strings.ToLower(text))
	for i := 1; i < len(words); i++ {
		_, number := numberOfWord(words[i])
		if words[i] == words[i-1] && !number && wordRun.FindString(words[i]) == words[i] {
			return words[i]
		}
	}
	return ""
}

// account collects the tokens that the rules take out of texts and put into them.
func (c *condition) account() {
	out, in := map[string]bool{}, map[string]bool{}
	add := func(to map[string]bool, texts ...string) {
		for _, text := range texts {
			text = strings.ToLower(slotInBrackets.ReplaceAllString(text, " "))
			for token := range tokens(text) {
				to[token] = true
			}
			for _, word := range wordRun.FindAllString(text, -1) {
				to[word] = true
			}
		}
	}
	r := c.rules
	for _, m := range []map[string]string{r.Verbs, r.Words, r.Replies, r.Texts, r.Instructions, r.Actions} {
		for old, now := range m {
			add(out, old)
			add(in, now)
		}
	}
	for old, now := range r.Words {
		add(out, plural(old))
		add(in, plural(now))
	}
	if len(r.Instructions) > 0 { // passages may show forms
		in["{"], in["thing"], in["}"] = true, true, true
	}
	if r.Names != "" {
		add(out, "number")
		add(in, "letter", r.Names)
	}
	if r.Numbers != "" {
		add(in, "- hundred")
	}
	if c.help { // there are two ways to ask
		add(out, "check valid actions", "check available actions")
	}
	for i := range c.p.forms {
		if f := &c.p.forms[i]; f.changed() {
			add(out, f.old.text)
			add(in, f.current.text)
		}
	}
	add(out, r.Without...)
	if r.Layout != "" || r.Order != "" {
		add(out, ", and . ; :")
		add(in, ", and . ; : | -")
		in["\n"], out["\n"] = true, true
		out["  "], in["  "] = true, true
	}
	if r.Lines != nil {
		add(in, r.Lines.Of...)
		in["\n"] = true
	}
	if len(r.Without) > 0 {
		add(out, "You can also check valid actions. Please check valid actions.")
	}
	c.gone, c.come = out, in
}

// goes says whether a rule may take a token out of a text.
func (j judged) goes(token string) bool {
	_, number := wordOf(token)
	return composed(j.gone, token) || j.p.numbers && number || articles[token] && len(j.rules.Words) > 0 ||
		j.named != nil && inMatch(j.named, j.before, token)
}

// comes says whether a rule may put a token into a text.
func (j judged) comes(token string) bool {
	_, number := numberOfWord(strings.ToLower(token))
	return composed(j.come, token) || len(token) < 3 && strings.Contains(j.rules.Names, "letters") ||
		(j.p.numbers || strings.Contains(j.rules.Names, "number:words")) && number ||
		articles[token] && len(j.rules.Words) > 0 || j.unnamed != nil && inMatch(j.unnamed, j.after, token)
}

// inMatch says whether a token is part of what a pattern finds in a text.
func inMatch(find *regexp.Regexp, text, token string) bool {
	return slices.ContainsFunc(find.FindAllString(text, -1), func(name string) bool { return tokens(name)[token] > 0 })
}

// composed says whether the words of a token are known, or all of it.
func composed(known map[string]bool, token string) bool {
	token = strings.ToLower(token)
	if known[token] {
		return true
	}
	words := wordRun.FindAllString(token, -1)
	return len(words) > 0 && !slices.ContainsFunc(words, func(word string) bool { return !known[word] })
}

var articles = map[string]bool{"a": true, "an": true, "A": true, "An": true}
