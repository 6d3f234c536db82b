package bench

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"heldout/scoring/record"
)

// Variables of schedulers. Kubernetes counts the parts of an indexed job from 0;
// the tasks of a Slurm array have the numbers that the user gave them.
const (
	jobIndex   = "JOB_COMPLETION_INDEX"
	arrayIndex = "SLURM_ARRAY_TASK_ID"
	arrayMin   = "SLURM_ARRAY_TASK_MIN"
	arrayMax   = "SLURM_ARRAY_TASK_MAX"
	arrayCount = "SLURM_ARRAY_TASK_COUNT"
)

// shardOf reads a shard: I/N, auto for a task of a Slurm array, or auto/N, which
// also stands for a pod of an indexed Kubernetes job.
func shardOf(text string, getenv func(string) string) (record.Shard, error) {
	rest, ok := strings.CutPrefix(text, "auto")
	if !ok {
		return record.ParseShard(text)
	}
	index, count, err := scheduled(getenv)
	if err != nil {
		return record.Shard{}, fmt.Errorf("shard auto: %w", err)
	}
	total, ok := strings.CutPrefix(rest, "/")
	if rest == "" {
		total, ok = count, true
	}
	switch {
	case !ok:
		return record.Shard{}, fmt.Errorf("shard is %q, want I/N, auto or auto/N", text)
	case total == "":
		return record.Shard{}, errors.New("shard auto: Kubernetes does not tell the number of parts: write auto/N")
	case count != "" && total != count:
		return record.Shard{}, fmt.Errorf("shard is %q, but the Slurm array has %s tasks", text, count)
	}
	return record.ParseShard(fmt.Sprintf("%d/%s", index+1, total))
}

// scheduled returns the index of this part, from 0, and the number of parts, "" if the scheduler does not tell it.
func scheduled(getenv func(string) string) (index int, count string, err error) {
	if task := getenv(arrayIndex); task != "" {
		numbers := map[string]int{}
		for _, name := range []string{arrayIndex, arrayMin, arrayMax, arrayCount} {
			if numbers[name], err = strconv.Atoi(getenv(name)); err != nil {
				return 0, "", fmt.Errorf("%s is %q, want a number", name, getenv(name))
			}
		}
		if n := numbers[arrayMax] - numbers[arrayMin] + 1; n != numbers[arrayCount] {
			return 0, "", fmt.Errorf("the Slurm array has %d tasks from %d to %d: leave none out", numbers[arrayCount],
				numbers[arrayMin], numbers[arrayMax])
		}
		return numbers[arrayIndex] - numbers[arrayMin], strconv.Itoa(numbers[arrayCount]), nil
	}
	index, err = strconv.Atoi(cmp.Or(getenv(jobIndex), "none"))
	if err != nil {
		return 0, "", fmt.Errorf("neither %s nor %s is set: this is neither a task of a Slurm array nor a pod of an "+
			"indexed Kubernetes job", arrayIndex, jobIndex)
	}
	return index, "", nil
}
