package record

// Leftover says what a reply holds that does not belong to its text. It was taken off, so the reply could be used.
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
