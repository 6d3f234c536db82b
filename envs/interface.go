package envs

// Interface describes how the actions, names and answers of an environment are written, as far as a perturbation
// can change that. It does not describe what actions do.
type Interface struct {
	// Actions are the forms of all actions that the environment understands, such as "take {obj} from {recep}":
	// literal text and slots in braces. An action matches at most one form.
	Actions []string
	// Open says that the environment also understands forms that are not listed here, so a perturbation may affect
	// any form. An action in the old form then becomes Unknown, because the environment might understand the new
	// form too.
	Open bool
	// Free says that the environment reads more than the forms: it looks for the
	// words of actions and for names, wherever they stand.
	Free bool
	// Unknown is an action that is never understood. Without it, none can be taken away.
	Unknown string
	// Name is how names are written, such as "{class} {number}". Parts has a regular expression (RE2, without
	// groups) for each part of Name. A match between word boundaries is a name. Name is empty if the names have no
	// parts.
	Name  string
	Parts map[string]string
	// Slot is a regular expression (RE2, without groups) for what a slot may
	// contain other than a name made of parts; empty for nothing else.
	Slot string
	// FoldCase says that case does not matter in actions.
	FoldCase bool
	// Normalize brings a typed action into the spelling of the forms, as the environment does before it reads the
	// action; nil if the environment does not normalize.
	Normalize func(action string) string
	// Lists are the observations that list actions.
	Lists []ActionList
	// Quotes are the observations that repeat the action.
	Quotes []Quote
	// Replies are answers with fixed words, such as one to an action not understood.
	Replies []string
	// Texts are forms of goals and of sentences in observations, such as "You open the {recep}.". Fill has a
	// regular expression (RE2, without groups) for their slots; the others hold names.
	Texts []string
	Fill  map[string]string
	// Series are the enumerations in observations.
	Series []Series
	// Articles says that texts have "an" before a vowel and "a" before all else.
	Articles bool
	// Synonyms are forms of Actions in other words, such as "pick up {thing}" for "pickup
	// {thing}", in which prompts tell them: Normalize brings one to the other.
	Synonyms map[string]string
	// PromptActions are actions that prompts show as they are, such as "look at OBJ".
	// Placeholders in brackets need not be here.
	PromptActions []string
	// Spellings returns other spellings in which the environment takes an action
	// too, such as "in" and "on" for "in/on"; nil if it takes none.
	Spellings func(action string) []string
}

// Series is how an environment enumerates things: Begin, items with Middle between them, or Last before the last
// one, then End. Begin, Item and Wide are regular expressions (RE2, without groups).
type Series struct {
	Begin, Item  string
	Middle, Last string
	End          string
	// Wide matches the items behind which one more blank stands; empty for none.
	Wide string
	// Tail is an item behind all others in any order, such as that a task is done.
	Tail string
	// Inline says that the items stay in one line, as in a list of Python's.
	Inline bool
	// Fixed says that the order of the items carries meaning, as in a row of sentences.
	Fixed bool
}

// Quote is an observation that begins with Prefix, the action as it was read, and
// Suffix, which may be empty at the end of the observation.
type Quote struct{ Prefix, Suffix string }

// ActionList is a list of actions in an observation: Prefix, then the actions with Separator between them, then
// Suffix, which may be empty at the end of the observation.
type ActionList struct {
	Prefix, Separator, Suffix string
	// Mark ends what stands before each action, such as the number of a choice. Marked
	// actions keep their order. It is empty if nothing stands before them.
	Mark string
	// Sorted says that the actions are in byte order, except for the actions in
	// Last, which follow in their own order.
	Sorted bool
	Last   []string
}

// Describer is the optional ability of an Env to describe its interface, by task
// type; without it the environment cannot be perturbed.
type Describer interface {
	Interface(taskType string) Interface
}
