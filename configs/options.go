package configs

import (
	"strings"
	"sync"
)

// OpenAIKey is the variable that holds the key for OpenAI's own address, DataVariable
// the one that names the data folder.
const (
	OpenAIKey    = "OPENAI_API_KEY"
	DataVariable = "HELDOUT_DATA"
	// OpenAIAddress is the variable that OpenAI's own clients take the address from.
	OpenAIAddress = "OPENAI_BASE_URL"
)

// MaxTrials bounds the number of trials: more is probably a typing mistake.
const MaxTrials = 100

// Options are all options of a run but the settings of environments, which environments
// declare in the same way. They are shared: nobody changes them.
var Options = sync.OnceValue(func() (list []Option) {
	if err := embedded("options.yaml", &list); err != nil {
		panic(err) // it is ours, and tests read it
	}
	values := map[string][]string{"agent": Agents(), "prompt": PromptVersions(),
		"reflection-prompt": ReflectionVersions()}
	for i := range list {
		o := &list[i]
		if values[o.Name] != nil {
			o.Values = values[o.Name]
		}
		o.Help = strings.ReplaceAll(o.Help, "{values}", strings.Join(o.Values, ", "))
	}
	return list
})
