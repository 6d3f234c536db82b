package configs

import "fmt"

// Rename is a flag, and the keyword of Python, that has another name since the version before.
type Rename struct {
	Old, New string
	Command  string // the only one with the flag; empty for all
	Mounts   bool   // mounts have the name, too
}

// Renames are the names that go on for a version, with a hint.
func Renames() []Rename {
	return []Rename{
		{Old: "name", New: "names"},
		{Old: "max-steps", New: "step-limit", Mounts: true},
		{Old: "task", New: "tasks"},
		{Old: "seed", New: "generator-seed", Command: "play"},
	}
}

// Hint says that a name is another one now; prefix is what stands before names, such as "--".
func (r Rename) Hint(prefix string) string {
	return fmt.Sprintf("%[1]s%[2]s is called %[1]s%[3]s now; the next version forgets %[1]s%[2]s", prefix, r.Old, r.New)
}
