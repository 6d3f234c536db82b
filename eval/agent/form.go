package agent

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/pytext"
	"heldout/eval/model"
	"heldout/scoring/table"
)

// Protocol is how an agent of a preset asks its model.
type Protocol struct {
	configs.Play
	// Name is the name of the model.
	Name string
	// Instructions are for the task's type.
	Instructions configs.Instructions
	// Template is the message of the form single, nil for others. Handover stands between examples and task.
	Template *configs.Template
	Handover string
}

// Check reports a prompt that the form cannot use.
func (p Protocol) Check() error {
	instructions := p.Instructions.Instruction
	if p.Agent.Form == configs.Chat || p.Agent.Form == configs.ToolCall {
		instructions += p.Instructions.System
	}
	if p.Agent.Form != configs.Single && strings.TrimSpace(instructions) == "" {
		return fmt.Errorf("the prompt has no instruction, which the form %s needs", p.Agent.Form)
	}
	if p.Agent.Form == configs.React || p.Agent.Form == configs.Act {
		return nil
	}
	_, err := newLayout(p, envs.Start{})
	return err
}

// WorldError is an error of the environment that an agent with a model asked.
type WorldError struct{ error }

// Unwrap returns the environment's error.
func (e *WorldError) Unwrap() error { return e.error }

// formed is an agent of one of the forms chat, single, completion and text. A
// layout writes what formed knows as messages.
type formed struct {
	*caller
	name        string // of the model
	play        configs.Play
	parse       parser
	normalisers []normaliser
	world       envs.Lister // nil if nothing needs it
	hints       envs.Hinter // nil if nothing needs it
	possible    string      // the text of the template about what it knows
	layout      layout
	stops       []string // with their slots
	turns       []turn
	// observation is the environment's last observation; corrected says that the next one is a
	// message of the preset.
	observation string
	corrected   bool
	// dropped counts the oldest turns that no longer fit the context.
	dropped int
	// asks is what the current call of a chat asks for, with the thought, or with so many
	// repeats of the last message.
	asks    purpose
	thought string
	repeats int
}

// purpose is what a call of a chat asks for beside the next reply.
type purpose int

const (
	forReply purpose = iota
	forThought
	forAction // after a thought
	onceMore  // after an empty reply
	forRest   // of a reply that is only a thought
)

// turn is what the model is shown and what it answers. The last turn has no reply yet.
type turn struct {
	// observation follows the rules for observations, without the prefix.
	observation string
	// actions is the list that is shown, empty for none.
	actions string
	// admissible are the actions of the list before it is written; listed says that the environment was asked.
	admissible []string
	listed     bool
	// possible is what the turn says of forms of actions and of things, empty for nothing.
	possible string
	// reply is what the history holds of the model's reply; action is what was sent.
	reply, action string
	// corrected: the observation is a message of the preset.
	corrected bool
	// unanswered: the next observation does not answer the call of the reply.
	unanswered bool
}

type layout interface {
	messages(*formed) []model.Message
	// dropOldest removes the oldest turn or, without another, a part that the layout itself
	// holds; false if there is none.
	dropOldest(*formed) bool
}

// NewProtocol returns an agent of a preset's form.
func NewProtocol(c Chat, p Protocol, w envs.World, start envs.Start) (Agent, error) {
	f := &formed{caller: newCaller(c), name: p.Name, play: p.Play, parse: parsers[p.Reply.Parser],
		stops: c.Decoding.Stop}
	f.KeepTokens, f.Reads = true, f.reads
	f.Completion, f.KeepReasoning = p.Agent.Form == configs.Completion, p.Reply.Reasoning == configs.Keep
	f.Tool, f.EndsAtRefusal = p.Agent.Tool, p.Stop.ContextOverflow == configs.End
	if f.parse == nil {
		return nil, fmt.Errorf("the form %s has no parser %q", p.Agent.Form, p.Reply.Parser)
	}
	var err error
	for _, name := range p.Reply.Normalise {
		n, err := newNormaliser(name)
		if err != nil {
			return nil, err
		}
		f.normalisers = append(f.normalisers, n)
	}
	if NeedsActions(p.Play) {
		if f.world, err = envs.Need[envs.Lister](w, "cannot list its admissible actions"); err != nil {
			return nil, err
		}
	}
	if p.Template.Hints() {
		f.possible = p.Template.Possible
		f.hints, err = envs.Need[envs.Hinter](w, "cannot list its forms of actions and what they can be about")
		if err != nil {
			return nil, err
		}
	}
	start.Observation = firstObservation(p.Observation, start.Observation)
	f.turns, f.observation = []turn{{observation: start.Observation}}, start.Observation
	f.layout, err = newLayout(p, start)
	return f, err
}

// reads reports whether a text reads as a reply. A parser that takes prose for an action must have one
// line: reasoning has several.
func (f *formed) reads(text string) bool {
	_, lax := f.parse("I see.", f.number())
	p, ok := f.parse(text, f.number())
	return ok && strings.TrimSpace(p.action) != "" && (!lax || isLine(text))
}

// NeedsActions reports that an agent of this form asks the environment for its admissible actions.
func NeedsActions(p configs.Play) bool {
	lists := func(name string) bool {
		n, err := newNormaliser(name)
		return err == nil && n.lists
	}
	return p.ActionsShown.Timing != configs.Never || strings.Contains(p.Reply.Messages["format"], "{actions}") ||
		slices.ContainsFunc(p.Reply.Normalise, lists)
}

func newLayout(p Protocol, start envs.Start) (layout, error) {
	switch p.Agent.Form {
	case configs.Chat, configs.ToolCall:
		return newChatLayout(p, start)
	case configs.Single:
		return newSingleLayout(p, start)
	case configs.Completion, configs.Text:
		return newTextLayout(p, start)
	}
	return nil, fmt.Errorf("unknown form %q", p.Agent.Form)
}

// firstObservation and laterObservation follow the rules for observations.
func firstObservation(o configs.Observation, text string) string {
	if o.Banner != configs.Strip {
		return text
	}
	if _, rest, ok := strings.Cut(text, "\n\n"); ok {
		return strings.ReplaceAll(rest, "\n\n", "\n")
	}
	return text
}

func laterObservation(o configs.Observation, text string) string {
	if o.Remove != "" {
		text = strings.ReplaceAll(text, o.Remove, "")
	}
	if o.Arrive == configs.Strip && strings.HasPrefix(text, "You arrive at loc ") {
		if _, rest, ok := strings.Cut(text, ". "); ok {
			return rest
		}
	}
	return text
}

func (f *formed) messages() []model.Message { return f.layout.messages(f) }

// plans is the text about earlier trials, with an empty line before the task; it
// is empty in the first trial. The form single has it before its whole message.
func (f *formed) plans() string {
	if form := f.play.Agent.Memory; form != (configs.MemoryForm{}) && len(f.Memory.Plans) > 0 {
		return tellPlans(form, f.Memory.Plans, pytext.Strip)
	}
	text := strings.TrimPrefix(f.Memory.text(), "\n")
	if text == "" {
		return ""
	}
	return text + "\n"
}

// dropOldest removes what the layout can spare, and finally the oldest plan.
func (f *formed) dropOldest() bool {
	return !f.EndsAtRefusal && (f.layout.dropOldest(f) || f.forget())
}

// spare is none in the form single, which writes its message anew at every step.
func (f *formed) spare() int {
	if f.play.Agent.Form == configs.Single {
		return 0
	}
	return max(0, len(f.turns)-2-f.dropped)
}

// dropTurn removes the oldest turn that is not the last.
func (f *formed) dropTurn() bool {
	if f.dropped >= len(f.turns)-2 {
		return false
	}
	f.dropped++
	return true
}

func (f *formed) number() int { return len(f.turns) }

func (f *formed) last() *turn { return &f.turns[len(f.turns)-1] }

// observed is the observation after a turn as the model sees it.
func (f *formed) observed(turn int) string {
	return framed(f.play.Observation, turn, f.turns[turn].observation) + f.actionsOf(turn)
}

// framed is the text of an observation after that many actions, between what surrounds it.
func framed(o configs.Observation, turn int, text string) string {
	return numbered(o.Prefix, turn) + text + o.Suffix
}

func numbered(text string, turn int) string {
	return strings.ReplaceAll(text, "{turn}", strconv.Itoa(turn))
}

func (f *formed) Act(ctx context.Context) (Move, error) {
	if err := f.showActions(ctx); err != nil {
		return Move{}, err
	}
	reply, used, err := f.answered(ctx)
	if err != nil {
		return f.failed(used, err, f.number())
	}
	if f.play.Agent.Form == configs.ToolCall {
		reply.Text = called(reply).text()
	}
	move := newMove(reply, used)
	move.Reply = cmp.Or(reply.Text, reply.Substitute)
	if err := f.askFurther(ctx, &reply, &move); err != nil {
		return f.failed(move.Usage, err, f.number())
	}
	p, ok := f.read(reply.Text)
	if f.play.Reply.Parser == numberedParser {
		f.last().reply = pytext.Strip(f.last().reply)
		if !ok {
			if err := f.askAgain(ctx, &p, &move); err != nil {
				return f.failed(move.Usage, err, f.number())
			}
			ok = true
		}
	}
	f.last().unanswered = p.occasion == badCall && f.play.Reply.Messages[badCall] != ""
	move.Thought, move.Action = cmp.Or(p.thought, f.thought), p.action
	if err := f.settle(ctx, p, ok, &move); err != nil {
		return move, err
	}
	f.last().action = move.Action
	return move, nil
}

// request asks for a reply that ends at one of the stop strings.
func (f *formed) request(ctx context.Context, stops []string) (model.Reply, Usage, error) {
	f.Decoding.Stop = table.Each(stops, func(s string) string { return numbered(s, f.number()) })
	return f.ask(ctx, f)
}

func (f *formed) Observe(observation string) string {
	text := laterObservation(f.play.Observation, observation)
	if !f.corrected {
		f.observation = text
	}
	f.turns = append(f.turns, turn{observation: text, corrected: f.corrected})
	f.corrected = false
	return observation
}
