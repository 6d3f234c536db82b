package envs

// Check is one finding about an environment or a model server.
type Check struct {
	// Name says in a word or two what was checked.
	Name   string
	Status CheckStatus
	// Text says what was found and, if that is bad, what to do, in one printable line.
	Text string
}

// CheckStatus is the outcome of a check.
type CheckStatus string

// The outcomes of a check. Skipped means that the check could not be made, or that its result would mean nothing.
const (
	CheckOK      CheckStatus = "ok"
	CheckWarn    CheckStatus = "warn"
	CheckFail    CheckStatus = "fail"
	CheckSkipped CheckStatus = "skipped"
)
