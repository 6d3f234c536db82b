package bench

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"heldout/configs"
	"heldout/eval/agent"
	"heldout/scoring/record"
)

// takeProgram returns the command of a program that is the agent of a run; empty if none is. It leaves that form of
// an agent in its place and, beside it, only the models that the user names.
func (g Input) takeProgram(r *configs.Run, form string) (command string, err error) {
	command, ok := strings.CutPrefix(r.Agent, configs.OwnAgent)
	if !ok {
		return "", nil
	}
	given, err := g.given()
	if strings.TrimSpace(command) == "" {
		err = cmp.Or(err, errors.New("--agent exec: lacks a command, such as --agent \"exec:python3 agent.py\""))
	}
	for _, o := range configs.Options() {
		if o.Asks() && o.Given(&given) {
			err = cmp.Or(err, fmt.Errorf("--%s says how heldout asks a model, and your agent asks its own: leave it out, "+
				"and set it in the agent", o.Name))
		}
	}
	r.Agent, r.Model = form, given.Model
	return command, err
}

// startProgram starts the agent of a run, and makes it a player of all that is chosen; nil without a command.
func startProgram(out Outside, command string, chosen []Chosen) (*agent.Program, error) {
	if command == "" {
		return nil, nil
	}
	p, err := agent.StartProgram(out.Context, command, chosen[0].Run.Timeout, chosen[0].Run.EpisodeTimeout)
	if err != nil {
		return nil, err
	}
	for i := range chosen {
		r := &chosen[i].Run
		r.Model = append(slices.Clone(r.Model), record.OwnModel+p.Called)
		who := p.Identity
		who.Version, who.Source = cmp.Or(r.Player.Version, who.Version), cmp.Or(r.Player.Source, who.Source)
		if len(r.Player.Sampling) > 0 {
			who.Sampling = maps.Clone(r.Player.Sampling)
		}
		r.Player = who
	}
	return p, nil
}

// isProgram reports whether a player is a program of the user's.
func isProgram(name string) bool { return strings.HasPrefix(name, record.OwnModel) }

// servedOf returns the models that servers have.
func servedOf(models []string) []string {
	return slices.DeleteFunc(slices.Clone(models), func(name string) bool {
		return IsBaseline(name) || isProgram(name)
	})
}
