package record

// Leftover says what a reply holds that does not belong to its text. It was taken off, so the
// reply could be used.
type Leftover string

// The leftovers.
const (
	// EndTokens: tokens that end a turn, which the server should have ended the reply at.
	EndTokens Leftover = "end_tokens"
	// ReasoningMarks: reasoning in the text, which the server should have sent beside it.
	ReasoningMarks Leftover = "reasoning"
	// InventedObservation: an observation that the model made up before its action.
	InventedObservation Leftover = "invented_observation"
)

// Leftovers lists all of them in the order in which they are reported.
func Leftovers() []Leftover { return []Leftover{EndTokens, ReasoningMarks, InventedObservation} }

// String says what replies with this leftover do.
func (l Leftover) String() string { return leftoverTexts[l].what }

// Remedy says what helps against it.
func (l Leftover) Remedy() string { return leftoverTexts[l].remedy }

var leftoverTexts = map[Leftover]struct{ what, remedy string }{
	EndTokens: {"have tokens in their text that end a turn, which were taken off",
		"add them to eos_token_id in the model's generation_config.json"},
	ReasoningMarks: {"have reasoning in their text, which was put aside",
		"start the server with the model's reasoning parser"},
	InventedObservation: {"invent observations",
		"check the chat template, and play a base model with --completions"},
}
