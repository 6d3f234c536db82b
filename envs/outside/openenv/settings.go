package openenv

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/url"
	"os"
	"strconv"
	"strings"

	"heldout/envs"
	"heldout/envs/outside"
)

const (
	actionName      = "openenv-action"
	observationName = "openenv-observation"
	successName     = "openenv-success"
	progressName    = "openenv-progress"
	returnName      = "openenv-return"
	tasksName       = "openenv-tasks"
	resetName       = "openenv-reset"
	tokenName       = "openenv-token-file"
)

// options are what the settings choose.
type options struct {
	outside.Options
	action            string
	observation       []path
	success, progress path
	bounds            *[2]float64 // of the sum of rewards
	tasks             string
	reset             map[string]any
	token             string
	identity          map[string]string // the settings that are part of conditions
}

// configured returns the options that settings choose.
func configured(s envs.Settings) (o options, err error) {
	o = options{Options: outside.Configured(s), action: s[actionName], tasks: s[tasksName],
		success: newPath(s[successName]), progress: newPath(s[progressName]), identity: map[string]string{}}
	if o.tasks == "" {
		o.tasks = "0-9"
	}
	for _, field := range strings.FieldsFunc(s[observationName], func(r rune) bool { return r == ',' }) {
		o.observation = append(o.observation, newPath(strings.TrimSpace(field)))
	}
	for name, value := range s {
		if strings.HasPrefix(name, "openenv-") && name != tokenName && value != "" {
			o.identity[name] = value
		}
	}
	var errs [3]error
	o.bounds, errs[0] = readBounds(s[returnName])
	o.reset, errs[1] = readArguments(s[resetName])
	o.token, errs[2] = readToken(s[tokenName])
	return o, errors.Join(errs[:]...)
}

// readBounds reads the least and the largest sum of rewards.
func readBounds(text string) (*[2]float64, error) {
	if text == "" {
		return nil, nil
	}
	low, high, _ := strings.Cut(text, ":")
	lower, err := strconv.ParseFloat(low, 64)
	largest, err2 := strconv.ParseFloat(high, 64)
	if err != nil || err2 != nil || !(lower < largest) || math.IsInf(largest-lower, 0) {
		return nil, fmt.Errorf("--%s is %q, want the least and the largest sum of rewards, such as 0:1", returnName, text)
	}
	return &[2]float64{lower, largest}, nil
}

// readArguments reads names with values, which are texts unless they are JSON.
func readArguments(text string) (map[string]any, error) {
	pairs, err := url.ParseQuery(text)
	if err != nil || pairs.Has("") {
		return nil, fmt.Errorf("--%s is %q, want names and values, such as size=10&variant=easy", resetName, text)
	}
	out := map[string]any{}
	for name, values := range pairs {
		var value any
		if json.Unmarshal([]byte(values[0]), &value) != nil {
			value = values[0]
		}
		out[name] = value
	}
	return out, nil
}

func readToken(file string) (string, error) {
	if file == "" {
		return "", nil
	}
	token, err := os.ReadFile(file)
	return strings.TrimSpace(string(token)), err
}
