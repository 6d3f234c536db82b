package bench

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"heldout/configs"
	"heldout/envs/datafile"
	"heldout/eval"
	"heldout/eval/agent"
	"heldout/eval/fleet"
	"heldout/eval/model"
	"heldout/scoring/record"
)

// openModel prepares to ask a served model.
func openModel(out Outside, r configs.Run, name string) (*fleet.Fleet, error) {
	o := model.Options{
		ContextLimit: r.Context, Timeout: r.Timeout,
		Retry:       model.Retry{Attempts: r.Retries + 1},
		Concurrency: cmp.Or(max(0, int(r.Concurrency)), eval.MostInFlight),
		Now:         out.Now, Proxy: out.Proxy, UserAgent: out.userAgent(),
		Tell:   func(line string) { out.Warn(name + ": " + line) },
		Limits: model.Limits{Requests: r.RPM, Tokens: r.TPM},
	}
	var err error
	if o.Spec, err = model.ParseSpec(name); err != nil {
		return nil, err
	}
	if o.Key, err = key(out, r, o.Spec); err != nil {
		return nil, err
	}
	if o.Headers, err = headers(out, r.Header); err != nil {
		return nil, err
	}
	servers, list, err := addresses(out, r, o.Spec, name)
	if err != nil {
		return nil, err
	}
	opened, err := fleet.Open(fleet.Options{
		Servers: servers, List: list, Attempts: o.Retry.Attempts, GiveUpAfter: r.GiveUpAfter, Tell: o.Tell, Now: o.Now,
		SameWeights: r.SameWeights,
		Open: func(address string) (*model.Client, error) {
			opts := o
			opts.BaseURL = address
			return model.Open(opts)
		},
	})
	if err != nil && list != nil {
		err = fmt.Errorf("%w; --base-url is %s", err, strings.Join(r.BaseURL.Lookup(name), ", "))
	}
	return opened, err
}

func key(out Outside, r configs.Run, spec model.Spec) (model.Secret, error) {
	switch {
	case r.APIKeyEnv != "":
		key := out.Getenv(r.APIKeyEnv)
		if key == "" {
			return model.Secret{}, fmt.Errorf("the environment variable %s, which --api-key-env names, is not set",
				r.APIKeyEnv)
		}
		return model.NewSecret(key), nil
	case spec.Provider == model.OpenAI && r.BaseURL.Empty():
		return model.NewSecret(out.Getenv(configs.OpenAIKey)), nil
	}
	return model.Secret{}, nil
}

// headers are the values of headers NAME=ENV. No error quotes ENV: it may be the value itself, by mistake.
func headers(out Outside, settings configs.Strings) (map[string]model.Secret, error) {
	values := map[string]model.Secret{}
	for _, text := range settings {
		i := strings.IndexAny(text, "=:")
		if i < 0 || strings.Contains(text[:i], " ") {
			return nil, errors.New("a --header is not NAME=ENV: the environment variable ENV holds the value")
		}
		name := text[:i]
		value := model.NewSecret(out.Getenv(strings.TrimSpace(text[i+1:])))
		if value == (model.Secret{}) {
			return nil, fmt.Errorf("the environment variable that --header %s=… names is not set", name)
		}
		values[name] = value
	}
	return values, nil
}

// variables are those in which the users of a provider's own clients keep its address.
var variables = map[model.Provider]string{model.OpenAI: configs.OpenAIAddress, model.Ollama: "OLLAMA_HOST"}

// addresses returns the addresses of a model's servers, and a function that reads
// them again if some are in a file. "" stands for the provider's own.
func addresses(out Outside, r configs.Run, spec model.Spec, name string) (now []string, reread func() ([]string, error),
	err error) {
	list := r.BaseURL.Lookup(name)
	if variable := variables[spec.Provider]; len(list) == 0 && variable != "" {
		list = configs.Strings{out.Getenv(variable)}
	}
	if len(list) == 0 {
		list = configs.Strings{""}
	}
	read := func() ([]string, error) { return expand(list) }
	if now, err = read(); err != nil {
		return nil, nil, err
	}
	if slices.ContainsFunc(list, func(s string) bool { return strings.HasPrefix(s, "@") }) {
		reread = read
	}
	return now, reread, nil
}

// mostAddress is the longest address, in bytes.
const mostAddress = 2048

// expand replaces every @FILE with the addresses in the file, one per line.
func expand(list []string) ([]string, error) {
	var out []string
	for _, address := range list {
		file, isFile := strings.CutPrefix(address, "@")
		switch {
		case !isFile && len(address) > mostAddress:
			return nil, fmt.Errorf("the servers of --base-url: an address has at most %d bytes", mostAddress)
		case !isFile:
			out = append(out, address)
			continue
		}
		lines, err := datafile.ReadList(file)
		if err == nil && len(lines) == 0 {
			err = fmt.Errorf("%s names no address", file)
		}
		for _, line := range lines {
			if len(line.Text) > mostAddress {
				err = cmp.Or(err, fmt.Errorf("%s: an address has at most %d bytes, and there is one per line",
					line.Place, mostAddress))
			}
			out = append(out, line.Text)
		}
		if err != nil {
			return nil, fmt.Errorf("the servers of --base-url: %w", err)
		}
	}
	return out, nil
}

// takeProgram returns the command of a program that is the agent of a run; empty if none is. It leaves that form of
// an agent in its place and, beside it, only the models that the user names.
func (g Input) takeProgram(r *configs.Run, form string) (command string, err error) {
	command, ok := strings.CutPrefix(r.Agent, configs.OwnAgent)
	if !ok {
		return "", nil
	}
	run, err := g.settings()
	if strings.TrimSpace(command) == "" {
		err = cmp.Or(err, errors.New("--agent exec: lacks a command, such as --agent \"exec:python3 agent.py\""))
	}
	for _, o := range configs.Options() {
		if o.Asks() && o.Given(&run) {
			err = cmp.Or(err, fmt.Errorf("--%s says how heldout asks a model, and your agent asks its own: leave it out, "+
				"and set it in the agent", o.Name))
		}
	}
	r.Agent, r.Model = form, run.Model
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
		identity := p.Identity
		identity.Version = cmp.Or(r.Player.Version, identity.Version)
		identity.Source = cmp.Or(r.Player.Source, identity.Source)
		if len(r.Player.Sampling) > 0 {
			identity.Sampling = maps.Clone(r.Player.Sampling)
		}
		r.Player = identity
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
