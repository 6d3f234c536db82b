package envs

// Check is one thing that was found out about what an environment needs.
type Check struct {
	// Name says in a word or two what was checked.
	Name string
	OK   bool
	// Text says what was found and, if that is bad, what to do. It is one
	// printable line.
	Text string
}
