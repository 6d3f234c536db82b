package sciworld

import (
	"strings"

	"heldout/envs"
)

// Settings are what can be chosen about the environment.
func Settings() []envs.Setting {
	return []envs.Setting{
		{Name: "variant", Type: envs.Choice, Values: []string{AgentBoard, ScienceWorld}, Measured: true, Help: "AgentBoard's 90 tasks, or all tasks of ScienceWorld with its own score"},
		{Name: "split", Type: envs.Choice, Values: Splits(), Measured: true, Help: "part of the tasks of the variant " + ScienceWorld},
		{Name: "simplifications", Type: envs.Words, Default: "those of the variant", Measured: true, Help: "names separated by commas: " + strings.Join(Simplifications(), ", ")},
		{Name: "sciworld-jar", Type: envs.Path, Default: "heldout's own simulator", Variable: "HELDOUT_SCIWORLD_JAR", Measured: true, Help: "the official simulator's file, scienceworld.jar, to play it instead"},
		{Name: "jvms", Type: envs.Count, Default: "the number of processors", Help: "worlds of the official simulator played at once, each by a Java virtual machine"},
	}
}

// Configured returns the options for settings.
func Configured(s envs.Settings) Options {
	return Options{
		Jar: s["sciworld-jar"], Variant: s["variant"], Split: s["split"],
		Simplifications: s["simplifications"], JVMs: s.Number("jvms"),
	}
}
