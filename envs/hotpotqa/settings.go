package hotpotqa

import (
	"heldout/envs"
	"heldout/envs/hotpotqa/wiki"
)

// Settings are the options of the environment.
func Settings() []envs.Setting {
	return []envs.Setting{
		{Name: "questions", Type: envs.Path, Default: "the development set", Measured: true,
			Help: "question file: a path, or a name in the hotpotqa folder of --data"},
		{Name: "sample", Type: envs.Words, Default: "ReAct's seed:233:300 of the development set, all of other files",
			Measured: true, Help: "which questions: all, seed:N or seed:N:COUNT"},
		{Name: "wiki", Type: envs.Choice, Values: Origins(), Measured: true,
			Help: "source of pages; built-in questions have their own"},
		{Name: "wiki-flow", Type: envs.Choice, Values: []string{"json", "html"}, Measured: true,
			Help: "how to ask Wikipedia: its API, or the HTML pages that the reference reads"},
		{Name: "wiki-url", Type: envs.Words, Default: wiki.DefaultURL, Measured: true,
			Help: "script path of the Wikipedia"},
		{Name: "wiki-contact", Type: envs.Words, Default: "none",
			Help: "your mail address or page; Wikipedia asks heavy readers to name themselves"},
		{Name: "wiki-cache", Type: envs.Path, Default: "a folder beside the run directory",
			Help: "folder that keeps pages from Wikipedia, and has the recorded ones"},
		{Name: "wiki-index", Type: envs.Path, Measured: true, Default: "none",
			Help: "folder of an index made by heldout wiki build, for --wiki offline"},
	}
}

// Configured returns the options for settings.
func Configured(s envs.Settings) Options {
	return Options{
		Questions: s["questions"], Sample: s["sample"],
		Pages: Pages{Origin: s["wiki"], Flow: s["wiki-flow"], URL: s["wiki-url"], Contact: s["wiki-contact"],
			Cache: s["wiki-cache"], Index: s["wiki-index"]},
	}
}
