package model

import (
	"cmp"
	_ "embed"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v4"

	"heldout/configs"
)

//go:embed wordings.yaml
var wordingsYAML []byte

// obstacle is a refusal that every call of a run would meet, with what helps: the server's hint on a topic, or the same
// everywhere. Template: it comes from a chat template.
type obstacle struct {
	Patterns []string
	Remedy   string
	Hint     topic
	Template bool
	text     func() *regexp.Regexp
}

// wordings are how servers and models put things. Each pattern is compiled when it is first needed: most commands talk
// to no server.
var wordings = sync.OnceValue(func() (read struct {
	Patterns  map[string][]string
	Obstacles []obstacle
	compiled  map[string]func() *regexp.Regexp
}) {
	if err := yaml.Unmarshal(wordingsYAML, &read); err != nil {
		panic(err) // the tests read it
	}
	wordless := slices.DeleteFunc(configs.SamplingFields(),
		func(name string) bool { return !strings.Contains(name, "_") })
	read.Patterns["neutral"], read.Patterns["wordless"] = neutralFields, wordless // these are no words of English
	slot := regexp.MustCompile(`\{[a-z-]+\}`)
	var pattern func(lines []string) string
	pattern = func(lines []string) string {
		return slot.ReplaceAllStringFunc(strings.Join(lines, "|"), func(name string) string {
			return pattern(read.Patterns[strings.Trim(name, "{}")])
		})
	}
	compiled := func(lines []string) func() *regexp.Regexp {
		return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern(lines)) })
	}
	read.compiled = map[string]func() *regexp.Regexp{}
	for name, lines := range read.Patterns {
		read.compiled[name] = compiled(lines)
	}
	for i := range read.Obstacles {
		read.Obstacles[i].text = compiled(read.Obstacles[i].Patterns)
	}
	return read
})

// wording is the pattern of that name.
func wording(name string) *regexp.Regexp { return wordings().compiled[name]() }

// remedyFor returns what helps against a refusal that every call would meet, "" if it is not known to be one. kind is
// the kind of server.
func remedyFor(kind string, status int, message string) string {
	bad := status == http.StatusBadRequest || status == http.StatusUnprocessableEntity
	for _, o := range wordings().Obstacles {
		if (bad || o.Template && status == http.StatusInternalServerError) && o.text().MatchString(message) {
			return cmp.Or(o.Remedy, help().Kinds[kind][o.Hint])
		}
	}
	return ""
}
