package envs

// Interface describes how the actions, names and answers of an environment are
// written, as far as a perturbation can change that. It says nothing of what
// they do.
type Interface struct {
	// Actions are the forms of all actions that the environment understands,
	// such as "take {obj} from {recep}": literal text and slots in braces. An
	// action belongs to one form at most.
	Actions []string
	// Name is how names are written, such as "{class} {number}", and Parts has a
	// regular expression (RE2, without groups) for each of its parts. Where they
	// match between word boundaries, there is a name. Empty where the names have
	// no parts.
	Name  string
	Parts map[string]string
	// Slot is a regular expression (RE2, without groups) of what may stand in a
	// slot beside a name of parts; empty for nothing else.
	Slot string
	// FoldCase says that capitals in actions do not matter.
	FoldCase bool
	// Normalize brings an action, as typed, into the spelling of the forms where
	// the environment does so before it reads it; nil where it does not.
	Normalize func(action string) string
	// Lists are the observations that list actions.
	Lists []ActionList
	// Replies are answers that always have the same words, such as the one to an
	// action that was not understood.
	Replies []string
}

// ActionList is an observation that lists actions: Prefix, then the actions with
// Separator between them.
type ActionList struct {
	Prefix, Separator string
	// Sorted says that the actions are in the order of their bytes, but for
	// those of Last, which follow in their own order.
	Sorted bool
	Last   []string
}

// Spoken is the optional ability of an Env to describe its interface, by task
// type; without it the environment cannot be perturbed.
type Spoken interface {
	Interface(taskType string) Interface
}
