package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"heldout/envs"
	"heldout/scoring/table"
)

// player plays one world from standard input.
type player struct {
	sys     *system
	env     string
	task    envs.Task
	world   envs.World
	actions bool
}

// validActions lists the valid actions.
func (p *player) validActions(ctx context.Context) ([]string, error) {
	l, ok := envs.As[envs.Lister](p.world)
	if !ok {
		return nil, errors.New("the environment cannot list its valid actions")
	}
	actions, err := l.Actions(ctx)
	return append([]string{}, actions...), err
}

// jsonStart and jsonStep are the lines of --json.
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

func (p *player) playJSON(ctx context.Context) error {
	start, err := p.world.Start(ctx)
	if err != nil {
		return err
	}
	first := jsonStart{Env: p.env, Task: p.task.ID, Goal: start.Goal, Observation: start.Observation}
	if p.actions {
		if first.Actions, err = p.validActions(ctx); err != nil {
			return err
		}
	}
	out := json.NewEncoder(p.sys.stdout)
	out.SetEscapeHTML(false)
	if err := out.Encode(first); err != nil {
		return err
	}
	return p.eachLine(ctx, func(n int, line string) error {
		action, err := parseAction([]byte(line))
		if err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		s, err := p.world.Step(ctx, action)
		if err != nil {
			return err
		}
		answer := jsonStep{Observation: s.Observation, Progress: s.Progress, Done: s.Done, Success: s.Success, Valid: s.Valid}
		if p.actions {
			if answer.Actions, err = p.validActions(ctx); err != nil {
				return err
			}
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

// eachLine visits the lines of standard input until it ends, visit fails or ctx
// is done.
func (p *player) eachLine(ctx context.Context, visit func(n int, line string) error) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	scanner := bufio.NewScanner(p.sys.stdin)
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

func (p *player) playText(ctx context.Context) error {
	start, err := p.world.Start(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(p.sys.stdout, "%s %s\n%s\n\n", p.env, p.task.ID, start.Goal)
	if v, ok := envs.As[envs.Viewer](p.world); ok {
		fmt.Fprintf(p.sys.stdout, "%s\n\n", strings.Join(v.View().Legend, "\n"))
	}
	if err := p.showObservation(ctx, start.Observation); err != nil {
		return err
	}
	err = p.eachLine(ctx, func(_ int, line string) error { return p.command(ctx, strings.TrimSpace(line)) })
	if errors.Is(err, errQuit) {
		return nil
	}
	return err
}

// command carries out a line of input.
func (p *player) command(ctx context.Context, line string) error {
	switch line {
	case ":quit":
		return errQuit
	case ":actions":
		actions, err := p.validActions(ctx)
		if err != nil {
			return err
		}
		return p.showText(ctx, strings.Join(actions, "\n"))
	case ":expert":
		e, ok := envs.As[envs.Expert](p.world)
		if !ok {
			return p.showText(ctx, "The environment has no expert.")
		}
		action, err := e.ExpertAction(ctx)
		if err != nil {
			return err
		}
		if action == "" {
			action = "The expert knows nothing to do."
		}
		return p.showText(ctx, action)
	}
	s, err := p.world.Step(ctx, line)
	if err != nil {
		return err
	}
	fmt.Fprintf(p.sys.stdout, "[progress %.1f %%, done %v, success %v, valid %v]\n", 100*s.Progress, s.Done, s.Success, s.Valid)
	return p.showObservation(ctx, s.Observation)
}

// showObservation prints an observation, beside a picture if there is one.
func (p *player) showObservation(ctx context.Context, text string) error {
	v, ok := envs.As[envs.Viewer](p.world)
	if !ok {
		return p.showText(ctx, text)
	}
	colored := p.sys.columns > 0 && p.sys.getenv("NO_COLOR") == ""
	var printable []string
	for _, line := range splitLines(text) {
		printable = append(printable, table.Printable(line))
	}
	for _, line := range beside(v.View(), printable, cmp.Or(p.sys.columns, plainColumns), colored) {
		fmt.Fprintln(p.sys.stdout, line)
	}
	return p.prompt(ctx)
}

// showText prints an answer.
func (p *player) showText(ctx context.Context, text string) error {
	for _, line := range splitLines(text) {
		fmt.Fprintln(p.sys.stdout, table.Printable(line))
	}
	return p.prompt(ctx)
}

// prompt prints the valid actions, if wanted, and asks for the next line.
func (p *player) prompt(ctx context.Context) error {
	if p.actions {
		actions, err := p.validActions(ctx)
		if err != nil {
			return err
		}
		for _, a := range actions {
			fmt.Fprintln(p.sys.stdout, "  "+table.Printable(a))
		}
	}
	_, err := fmt.Fprint(p.sys.stdout, "> ")
	return err
}
