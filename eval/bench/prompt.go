package bench

import (
	"slices"

	"heldout/configs"
	"heldout/envs/datafile"
	"heldout/eval/record"
)

// loadPrompt returns the prompt of an environment: the user's, or the built-in
// one in the named or newest version.
func loadPrompt(env, name string) (configs.Prompt, record.Prompt, error) {
	if name == "" {
		name = configs.PromptVersions()[0]
	}
	if !IsPromptFile(name) {
		p, err := configs.LoadPrompt(env, name)
		about := promptRecord("built-in", p)
		about.Version = name
		return p, about, err
	}
	b, err := datafile.Read(name, datafile.MaxConfig)
	if err != nil {
		return configs.Prompt{}, record.Prompt{}, err
	}
	p, err := configs.ParsePrompt(name, b)
	return p, promptRecord(name, p), err
}

// IsPromptFile reports whether a prompt is a user's file.
func IsPromptFile(name string) bool {
	return name != "" && !slices.Contains(configs.PromptVersions(), name)
}

// promptRecord names a prompt with the hash of what it says.
func promptRecord(file string, p configs.Prompt) record.Prompt {
	hash, err := p.Hash()
	if err != nil {
		hash = err.Error() // strings and maps of them always marshal
	}
	return record.Prompt{File: file, SHA256: hash}
}
