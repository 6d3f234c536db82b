// Package console plays one world from lines of text, by hand or for another program.
package console

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"heldout/envs"
	"heldout/scoring/table"
)

// Console plays one world, whose task is Task of the environment Env.
type Console struct {
	In      io.Reader
	Out     io.Writer
	Env     string
	Task    envs.Task
	World   envs.World
	Actions bool // the valid actions are listed with every observation
	Raw     bool // every line is for the world
	// Columns is the width of the terminal, 0 without one. Colored: it shows colors.
	Columns int
	Colored bool
	moments []moment // the latest actions that can be taken back
}

// validActions lists the valid actions.
func (p *Console) validActions(ctx context.Context) ([]string, error) {
	l, err := envs.Need[envs.Lister](p.World, "cannot list its valid actions")
	if err != nil {
		return nil, err
	}
	actions, err := l.Actions(ctx)
	return append([]string{}, actions...), err
}

// listed lists the valid actions where they are listed with every observation.
func (p *Console) listed(ctx context.Context) ([]string, error) {
	if !p.Actions {
		return nil, nil
	}
	return p.validActions(ctx)
}

// jsonStart and jsonStep are the lines of --format json.
type jsonStart struct {
	Env         string   `json:"env"`
	Task        string   `json:"task"`
	Goal        string   `json:"goal"`
	Observation string   `json:"observation"`
	Progress    float64  `json:"progress"`
	Done        bool     `json:"done"`
	Success     bool     `json:"success"`
	Actions     []string `json:"actions,omitzero"`
}

type jsonStep struct {
	Observation string   `json:"observation"`
	Progress    float64  `json:"progress"`
	Done        bool     `json:"done"`
	Success     bool     `json:"success"`
	Valid       bool     `json:"valid"`
	Actions     []string `json:"actions,omitzero"`
}

// maxLine bounds a line of input.
const maxLine = 1 << 20

// JSON plays for a program: a JSON object per line, from which the action is taken, and one
// for each answer. It ends with the input.
func (p *Console) JSON(ctx context.Context) error {
	start, err := p.World.Start(ctx)
	if err != nil {
		return err
	}
	first := jsonStart{Env: p.Env, Task: p.Task.ID, Goal: start.Goal, Observation: start.Observation}
	if first.Actions, err = p.listed(ctx); err != nil {
		return err
	}
	out := json.NewEncoder(p.Out)
	out.SetEscapeHTML(false)
	if err := out.Encode(first); err != nil {
		return err
	}
	return p.eachLine(ctx, func(n int, line string) error {
		action, err := parseAction([]byte(line))
		if err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		s, err := p.World.Step(ctx, action)
		if err != nil {
			return err
		}
		answer := jsonStep{Observation: s.Observation, Progress: s.Progress, Done: s.Done, Success: s.Success,
			Valid: s.Valid}
		if answer.Actions, err = p.listed(ctx); err != nil {
			return err
		}
		return out.Encode(answer)
	})
}

// parseAction reads {"action": "…"}.
func parseAction(line []byte) (string, error) {
	var in struct {
		Action *string `json:"action"`
	}
	d := json.NewDecoder(bytes.NewReader(line))
	if err := d.Decode(&in); err != nil {
		return "", fmt.Errorf("want {\"action\": \"…\"}: %w", err)
	}
	if _, err := d.Token(); err != io.EOF || in.Action == nil {
		return "", errors.New("want one object {\"action\": \"…\"} a line")
	}
	return *in.Action, nil
}

// eachLine visits the lines of standard input until it ends, visit fails or ctx is done.
func (p *Console) eachLine(ctx context.Context, visit func(n int, line string) error) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	scanner := bufio.NewScanner(p.In)
	scanner.Buffer(nil, maxLine)
	lines := make(chan string)
	go func() { // reading cannot be interrupted, waiting for it can
		defer close(lines)
		for scanner.Scan() {
			select {
			case lines <- scanner.Text():
			case <-ctx.Done():
				return
			}
		}
	}()
	for n := 1; ; n++ {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case line, ok := <-lines:
			if !ok && errors.Is(scanner.Err(), bufio.ErrTooLong) {
				return fmt.Errorf("line %d of standard input has more than %d bytes: give one action per line", n,
					maxLine)
			}
			if !ok {
				return scanner.Err()
			}
			if err := visit(n, line); err != nil {
				return err
			}
		}
	}
}

var errQuit = errors.New("quit")

// Text plays by hand, until the input ends or :quit.
func (p *Console) Text(ctx context.Context) error {
	start, err := p.World.Start(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(p.Out, "%s %s\n", p.Env, table.Printable(p.Task.ID))
	p.write(start.Goal)
	fmt.Fprintln(p.Out)
	if v, ok := envs.As[envs.Viewer](p.World); ok {
		p.write(strings.Join(v.View().Legend, "\n"))
		fmt.Fprintln(p.Out)
	}
	p.writeObservation(start.Observation)
	if err := p.prompt(ctx); err != nil {
		return err
	}
	err = p.eachLine(ctx, func(_ int, line string) error {
		if err := p.command(ctx, strings.TrimSpace(line)); err != nil {
			return err
		}
		return p.prompt(ctx)
	})
	if errors.Is(err, errQuit) {
		return nil
	}
	return err
}

// commandsHelp lists the commands of the console.
const commandsHelp = `:actions  list the valid actions
:expert   show what the expert does next
:view     show the whole world, also what the agent cannot see
:undo     take the last action back
:help     list these commands
:quit     end
Everything else is an action.`

// command carries out a line of input.
func (p *Console) command(ctx context.Context, line string) error {
	switch {
	case line == ":quit":
		return errQuit
	case line == ":actions":
		if _, ok := envs.As[envs.Lister](p.World); !ok {
			p.write("The environment cannot list its valid actions.")
			return nil
		}
		actions, err := p.validActions(ctx)
		if err != nil {
			return err
		}
		p.write(strings.Join(actions, "\n"))
	case line == ":expert":
		return p.askExpert(ctx)
	case line == ":view":
		return p.view()
	case line == ":undo":
		return p.undo()
	case line == ":help":
		p.write(commandsHelp)
	case line == "" && !p.Raw:
		// Not an action of any environment.
	case strings.HasPrefix(line, ":") && !p.Raw:
		p.write("Unknown command " + line + "; :help lists the commands.")
	default:
		return p.act(ctx, line)
	}
	return nil
}

// act takes an action.
func (p *Console) act(ctx context.Context, action string) error {
	if err := p.remember(action); err != nil {
		return err
	}
	s, err := p.World.Step(ctx, action)
	if err != nil {
		return err
	}
	p.writeObservation(s.Observation)
	_, err = fmt.Fprintf(p.Out, "[progress %.1f %%, done %v, success %v, valid %v]\n", 100*s.Progress, s.Done,
		s.Success, s.Valid)
	return err
}

// moment is the world before an action.
type moment struct {
	action string
	world  envs.World
}

// mostMoments is how many actions can be taken back.
const mostMoments = 100

// remember keeps the world as it is before an action, if it can be kept.
func (p *Console) remember(action string) error {
	f, ok := envs.As[envs.Forker](p.World)
	if !ok {
		return nil
	}
	fork, err := f.Fork()
	if err != nil {
		return err
	}
	p.moments = append(p.moments, moment{action, fork})
	if len(p.moments) <= mostMoments {
		return nil
	}
	forgotten := p.moments[0].world
	p.moments = slices.Delete(p.moments, 0, 1)
	return forgotten.Close()
}

// undo takes the last action back.
func (p *Console) undo() error {
	_, ok := envs.As[envs.Forker](p.World)
	switch {
	case !ok:
		p.write("The environment cannot take an action back.")
		return nil
	case len(p.moments) == 0:
		p.write("Nothing to take back.")
		return nil
	}
	last := p.moments[len(p.moments)-1]
	p.moments = p.moments[:len(p.moments)-1]
	discarded := p.World
	p.World = last.world
	p.write("Taken back: " + last.action)
	return discarded.Close()
}

// askExpert prints the expert's next action.
func (p *Console) askExpert(ctx context.Context) error {
	e, ok := envs.As[envs.Expert](p.World)
	if !ok {
		p.write("The environment has no expert.")
		return nil
	}
	action, err := e.ExpertAction(ctx)
	if err != nil {
		return err
	}
	p.write(cmp.Or(action, "The expert knows nothing to do."))
	return nil
}

// view prints all that there is in the world.
func (p *Console) view() error {
	i, ok := envs.As[envs.Inspector](p.World)
	if !ok {
		p.write("The environment cannot show more than it does.")
		return nil
	}
	text, err := i.Inspect()
	if err != nil {
		return err
	}
	p.write(text)
	return nil
}

// writeObservation prints an observation, beside a picture if there is one.
func (p *Console) writeObservation(text string) {
	v, ok := envs.As[envs.Viewer](p.World)
	if !ok {
		p.write(text)
		return
	}
	printable := table.Each(strings.Split(strings.TrimRight(text, "\n"), "\n"), terminalLine)
	for _, line := range sideBySide(v.View(), printable, cmp.Or(p.Columns, plainColumns), p.Colored) {
		fmt.Fprintln(p.Out, line)
	}
}

// write prints a text of the world.
func (p *Console) write(text string) {
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		for _, part := range table.Wrap(terminalLine(line), cmp.Or(p.Columns, math.MaxInt)) {
			fmt.Fprintln(p.Out, part)
		}
	}
}

// terminalLine is a line of a world's text for a terminal: tabs, which ScienceWorld indents with, become spaces.
func terminalLine(line string) string { return table.Printable(strings.ReplaceAll(line, "\t", "    ")) }

// prompt prints the valid actions, if wanted, and asks for the next line.
func (p *Console) prompt(ctx context.Context) error {
	actions, err := p.listed(ctx)
	if err != nil {
		return err
	}
	for _, a := range actions {
		fmt.Fprintln(p.Out, "  "+table.Printable(a))
	}
	_, err = fmt.Fprint(p.Out, "> ")
	return err
}
