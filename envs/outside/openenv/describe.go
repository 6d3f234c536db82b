package openenv

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"heldout/envs/datafile"
	"heldout/envs/outside"
)

// stepLimit is the limit of all environments: servers of OpenEnv do not tell theirs.
const stepLimit = 50

// slot stands in an action for the text of the agent.
const slot = "{action}"

// description is what a server has.
type description struct {
	about       outside.Profile
	action      string            // JSON with the slot
	observation []path            // what is shown
	resets      map[string]string // by task: arguments in JSON
}

// describe asks the server what it has.
func (d *Remote) describe(ctx context.Context) (*description, error) {
	var meta struct {
		Name        string `json:"name"`
		Version     string `json:"version"`
		Description string `json:"description"`
	}
	var schemas struct {
		Action      schema `json:"action"`
		Observation schema `json:"observation"`
		Reset       schema `json:"reset_observation"`
	}
	about, err := d.get(ctx, "metadata", &meta)
	if err != nil {
		return nil, err
	}
	shape, err := d.get(ctx, "schema", &schemas)
	if err != nil {
		return nil, err
	}
	schemas.Action.resolve()
	schemas.Observation.resolve()
	out := &description{about: outside.Profile{Name: strings.ToLower(plain(meta.Name)), Version: plain(meta.Version),
		Hash: datafile.Hash(append(append(about, '\n'), shape...)), StepLimit: stepLimit, Instruction: meta.Description,
		Success: d.options.success != nil, Progress: d.options.progress != nil, Return: d.options.bounds,
		Settings: d.options.identity}}
	if err := out.chooseAction(d.options.action, &schemas.Action); err != nil {
		return nil, err
	}
	if err := out.chooseShown(&d.options, &schemas.Observation, &schemas.Reset); err != nil {
		return nil, err
	}
	return out, d.setTasks(ctx, out)
}

// get asks for a description over HTTP, and returns it in a canonical form as well.
func (d *Remote) get(ctx context.Context, route string, into any) ([]byte, error) {
	var value jsontext.Value
	err := d.server.Ask(ctx, d.route(route), nil, into, &value)
	if err == nil {
		err = value.Canonicalize()
	}
	return value, err
}

var notPlain = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

// plain is a name or a version in the characters that conditions take.
func plain(text string) string {
	text = strings.Trim(notPlain.ReplaceAllString(text, "-"), "._-")
	if text == "" {
		return "unknown"
	}
	return text[:min(len(text), 64)]
}

// chooseAction chooses the field of actions that takes the text: the field that the option names, or the only one.
func (out *description) chooseAction(field string, action *schema) (err error) {
	switch {
	case strings.HasPrefix(field, "{"):
		if !json.Valid([]byte(field)) || !strings.Contains(field, `"`+slot+`"`) {
			return fmt.Errorf("--%s is %q, want an object in JSON with the text %q", actionName, field, slot)
		}
		out.action = field
	case field == "":
		field, err = action.text("actions", "", actionName)
	case !action.contains(field):
		err = fmt.Errorf("its actions lack the field %q of --%s; the fields are %s", field, actionName, action.list())
	}
	if err != nil {
		return err
	}
	if out.action == "" {
		name, _ := json.Marshal(field) // it is a text
		out.action = `{` + string(name) + `:"` + slot + `"}`
	}
	if words := action.Properties[field].words(); words != nil {
		out.about.Actions, out.about.Can = words, []string{outside.CanList}
	}
	if about := action.Properties[field].Description; about != "" {
		out.about.Instruction += "\nAn action: " + about
	}
	if strings.TrimSpace(out.about.Instruction) == "" {
		out.about.Instruction = "Play " + out.about.Name + "."
	}
	return nil
}

// chooseShown chooses the fields that are shown, and checks all that options name.
func (out *description) chooseShown(o *options, observation, reset *schema) error {
	out.observation = o.observation
	if out.observation == nil {
		field, err := observation.text("observations", "text", observationName)
		if err != nil {
			return err
		}
		out.observation = []path{{field}}
	}
	if o.success == nil && o.progress == nil && o.bounds == nil {
		return fmt.Errorf("it gives rewards, which measure nothing yet: give the least and the largest sum, such as --%s "+
			"0:1, or a field by --%s or --%s; the fields of observations are %s", returnName, successName, progressName,
			observation.list())
	}
	for _, p := range append([]path{o.success, o.progress}, out.observation...) {
		if p != nil && !p.ofState() && !observation.contains(p[0]) && !reset.contains(p[0]) {
			return fmt.Errorf("its observations lack the field %q, which you name; the fields are %s", p[0],
				observation.list())
		}
	}
	return nil
}

// setTasks lists the tasks: one for each seed, or the tasks of a split of the server.
func (d *Remote) setTasks(ctx context.Context, out *description) error {
	out.resets = map[string]string{}
	first, last, ok := outside.Range(d.options.tasks)
	if !ok {
		return d.setSplit(ctx, out)
	}
	if last < first || last-first >= outside.MostTasks {
		return fmt.Errorf("--%s is %q, want 1 to %d seeds, such as 0-9", tasksName, d.options.tasks, outside.MostTasks)
	}
	for seed := first; seed <= last; seed++ {
		d.add(out, outside.Task{ID: fmt.Sprintf("seed-%d", seed)}, map[string]any{"seed": seed})
	}
	return nil
}

// add adds a task with the arguments of its reset.
func (d *Remote) add(out *description, t outside.Task, reset map[string]any) {
	for name, value := range d.options.reset {
		reset[name] = value
	}
	out.about.Tasks = append(out.about.Tasks, t)
	out.resets[t.ID] = quoted(reset)
}

// setSplit lists the tasks of a split, as far as the server names them.
func (d *Remote) setSplit(ctx context.Context, out *description) error {
	split := d.options.tasks
	var names []string
	if _, err := d.get(ctx, "list_environments", &names); err != nil {
		return err
	}
	if len(names) != 1 {
		return fmt.Errorf("it lists %d environments with tasks, want one", len(names))
	}
	var count struct {
		Tasks int `json:"num_tasks"`
	}
	var list struct {
		Tasks []jsontext.Value `json:"tasks"`
	}
	fields := map[string]string{"split": split}
	err := d.server.Ask(ctx, d.route(names[0]+"/num_tasks"), fields, &count)
	if err == nil {
		err = d.server.Ask(ctx, d.route(names[0]+"/tasks"), fields, &list)
	}
	if err != nil {
		return err
	}
	if count.Tasks < 1 || count.Tasks > outside.MostTasks {
		return fmt.Errorf("the split %q has %d tasks, want 1 to %d", split, count.Tasks, outside.MostTasks)
	}
	for i := range count.Tasks {
		var t struct {
			ID   string `json:"id"`
			Type string `json:"type"`
		}
		if i < len(list.Tasks) {
			_ = jsonv2.Unmarshal(list.Tasks[i], &t) // tasks may be of any form
		}
		if t.ID == "" {
			t.ID = fmt.Sprintf("%s-%d", split, i)
		}
		d.add(out, outside.Task{ID: t.ID, Kind: t.Type}, map[string]any{"split": split, "index": i})
	}
	return nil
}
