package report

import (
	"cmp"
	"fmt"
)

// measures are the names of the success rate and the progress rate.
type measures struct{ success, progress string }

// common holds the names in most environments.
var common = measures{"SR", "PR"}

// measures returns the names that the row's environment gives its rates.
func (r row) measures() measures {
	return measures{cmp.Or(r.Environment.SuccessName, common.success),
		cmp.Or(r.Environment.ProgressName, common.progress)}
}

// explain says what the names mean.
func (m measures) explain() string {
	if m == common {
		return "SR success rate, PR progress rate"
	}
	return fmt.Sprintf("%s and %s, which count as success rate and progress rate", m.success, m.progress)
}
