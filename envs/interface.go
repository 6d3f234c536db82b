package envs

// Interface describes how the actions, names and answers of an environment are
// written, as far as a perturbation can change that. It says nothing of what
// they do.
type Interface struct {
	// Actions are the forms of all actions that the environment understands,
	// such as "take {obj} from {recep}": literal text and slots in braces. An
	// action belongs to one form at most.
	Actions []string
	// Open says that the environment understands further forms, not all of them
	// known: a perturbation may then be about any form. What is written in the
	// old form then becomes Unknown, since the new one might be understood as
	// well.
	Open    bool
	Unknown string // an action that is never understood; only where Open
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
	// Quotes are the observations that repeat the action.
	Quotes []Quote
	// Replies are answers that always have the same words, such as the one to an
	// action that was not understood.
	Replies []string
}

// Quote is an observation that begins with Before, the action as it was read, and
// After, which may be empty at the end of the observation.
type Quote struct{ Before, After string }

// ActionList is a list of actions in an observation: Prefix, then the actions with
// Separator between them, then Suffix, which may be empty at the end of the
// observation.
type ActionList struct {
	Prefix, Separator, Suffix string
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
