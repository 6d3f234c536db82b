package configs

import (
	"errors"
	"fmt"
)

// Faults collects what is wrong with settings, so that users see all of it at once.
type Faults []error

// Note adds an error if something is wrong.
func (f *Faults) Note(wrong bool, format string, args ...any) {
	if wrong {
		f.Add(fmt.Errorf(format, args...))
	}
}

// Add adds errors. Those that are nil do not count.
func (f *Faults) Add(errs ...error) { *f = append(*f, errs...) }

// Err is all of them as one error, nil if there are none.
func (f Faults) Err() error { return errors.Join(f...) }
