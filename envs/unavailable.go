package envs

import "fmt"

// UnavailableError says that an environment lacks something that only the user
// can provide, such as a program.
type UnavailableError struct {
	Env string
	// Lacks says what is missing. Help says how to find out how to get it.
	Lacks, Help string
}

// Error implements error.
func (e *UnavailableError) Error() string {
	return fmt.Sprintf("%s needs %s; %s", e.Env, e.Lacks, e.Help)
}
