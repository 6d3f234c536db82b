package bench

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

// plain is a request after what a preset's requests are equal up to was applied.
func plain(names []string, request map[string]any) map[string]any {
	request = maps.Clone(request)
	if slices.Contains(names, "stream") {
		request["stream"] = false
		delete(request, "stream_options")
	}
	out, _ := eachText(request, func(text string) string {
		for _, name := range names {
			if change := equalUpTo[name]; change != nil {
				text = change(text)
			}
		}
		return text
	}).(map[string]any)
	return out
}

// eachText applies a change to every text of a JSON value.
func eachText(v any, change func(string) string) any {
	switch x := v.(type) {
	case string:
		return change(x)
	case []any:
		out := make([]any, len(x))
		for i, element := range x {
			out[i] = eachText(element, change)
		}
		return out
	case map[string]any:
		out := map[string]any{}
		for name, element := range x {
			out[name] = eachText(element, change)
		}
		return out
	}
	return v
}

// equalUpTo are the values of configs.EqualUpTo that are about texts.
var equalUpTo = map[string]func(string) string{"set-order": setOrder, "room-order": roomOrder, "heat-order": heatOrder,
	"trial-statistics": withoutStatistics, "choice-order": choiceOrder, "thing-names": thingNames}

// setOrder sorts what PDDL's games list: the actions of the help command, and what the answer to "look around"
// says. The action before an observation may have left the history.
func setOrder(text string) string {
	const actions = "Observation: Valid actions are: "
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		before := lines[max(0, i-1)]
		list, isList := strings.CutPrefix(line, actions)
		switch {
		case isList:
			lines[i] = actions + sorted(strings.Split(list, ", "))
		case strings.HasPrefix(line, "Observation: ") &&
			(!strings.HasPrefix(before, "Action: ") || strings.Contains(strings.ToLower(before), "look around")):
			lines[i] = sorted(sentence.FindAllString(line, -1))
		}
	}
	return strings.Join(lines, "\n")
}

// sentence is what is said of one fact: up to a full stop, which three forms lack.
var sentence = regexp.MustCompile(
	`Observation: |\s*(?:Room \w+|Handempty \w+|Pour \w+ from a shot glass to a used shaker \w+)|[^.]*?\w[^.]*\.`)

// roomOrder sorts what a room of ScienceWorld holds: the lines that begin with a tab, and
// the things of a list in such a line.
func roomOrder(text string) string {
	lines := strings.Split(text, "\n")
	for from := 0; from < len(lines); from++ {
		to := from
		for to < len(lines) && strings.HasPrefix(lines[to], "\t") {
			lines[to] = listed.ReplaceAllStringFunc(lines[to], func(list string) string {
				before, things, _ := strings.Cut(strings.TrimSuffix(list, "."), ": ")
				return before + ": " + sorted(thing.Split(things, -1)) + "."
			})
			to++
		}
		slices.Sort(lines[from:to])
		from = to
	}
	return strings.Join(lines, "\n")
}

var (
	// listed is a list of things, thing stands before each thing but the first.
	listed = regexp.MustCompile(`(?:On|In) the [^.:]* is: [^.]*\.`)
	thing  = regexp.MustCompile(`, (?:an? |the |some )`)
)

// choices are what an ambiguous request offers.
var choices = regexp.MustCompile(`(?m)^\d+:\t(.*)$`)

// choiceOrder sorts the choices of a request that could mean several things.
func choiceOrder(text string) string {
	var all []string
	for _, c := range choices.FindAllStringSubmatch(text, -1) {
		all = append(all, c[1])
	}
	slices.Sort(all)
	return choices.ReplaceAllStringFunc(text, func(string) string {
		first := all[0]
		all = all[1:]
		return "choice:\t" + first
	})
}

// possibleThings is the list of what can be named, quoted one of its names, and whereabouts is what tells things of
// one name apart.
var (
	possibleThings = regexp.MustCompile(`following objects: \[.*\]`)
	quoted         = regexp.MustCompile(`'[^']*'`)
	whereabouts    = regexp.MustCompile(` (?:on|in|containing) .*`)
)

// thingNames leaves of the names of things of one kind the kind in the list of what can be named: the last word
// before whereabouts. What is alone of its kind draws no name. TestRecordedThings of envs/sciworld asks the game
// whether the recorded names are draws of its own.
func thingNames(text string) string {
	return possibleThings.ReplaceAllStringFunc(text, func(list string) string {
		kinds := map[string][]string{}
		for _, name := range quoted.FindAllString(list, -1) {
			name = strings.Trim(name, "'")
			kind := whereabouts.ReplaceAllString(name, "")
			kind = kind[strings.LastIndex(kind, " ")+1:]
			kinds[kind] = append(kinds[kind], name)
		}
		var names []string
		for kind, of := range kinds {
			if len(of) > 1 {
				of = slices.Repeat([]string{kind}, len(of))
			}
			names = append(names, of...)
		}
		return sorted(names)
	})
}

// reading is what a thermometer of ScienceWorld says.
var reading = regexp.MustCompile(`a temperature of -?\d+ degrees`)

// heatOrder leaves out what thermometers read.
func heatOrder(text string) string { return reading.ReplaceAllString(text, "a temperature") }

// statistics are the statistics of a trial of Reflexion, as the log has them after its last game.
var statistics = regexp.MustCompile(`\n\n#####\n\n-----\nSUCCESS: \d+\nADDITIONAL SUCCESS: \d+\nFAIL: \d+\n` +
	`TOTAL: \d+\nACCURACY: [\d.]+\n-----`)

func withoutStatistics(text string) string { return statistics.ReplaceAllString(text, "") }

// sorted joins texts in the order of their bytes, without white space around them.
func sorted(texts []string) string {
	texts = slices.Clone(texts)
	for i := range texts {
		texts[i] = strings.TrimSpace(texts[i])
	}
	slices.Sort(texts)
	return strings.Join(texts, "; ")
}
