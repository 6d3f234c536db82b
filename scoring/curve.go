package scoring

import (
	"regexp"
	"strconv"
)

// checkpoint is what names of checkpoints end in: checkpoint-1000, ckpt_5, step 20.
var checkpoint = regexp.MustCompile(`(?i)(^|[^a-z0-9])((?:global_?)?(?:checkpoint|ckpt|step)s?)[-_ =]?([0-9]+)$`)

// CurveOf returns the curve of a model and the step of its point: checkpoints of a training share a curve, and
// other models have one of their own with the step 0. ok reports whether the model is a checkpoint.
func CurveOf(name string) (curve string, step int64, ok bool) {
	match := checkpoint.FindStringSubmatchIndex(name)
	if match == nil {
		return name, 0, false
	}
	step, err := strconv.ParseInt(name[match[6]:match[7]], 10, 64)
	if err != nil { // more than fits
		return name, 0, false
	}
	if separator := name[match[2]:match[3]]; separator == "" || separator == ":" {
		return name[:match[5]], step, true // nothing else is left of the name
	}
	return name[:match[2]], step, true
}
