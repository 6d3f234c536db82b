// Package generate has a model write scripts and trajectories, as AgentRefine does (Fu et al. 2025): a persona
// gives a script, the script a whole game of master and player in one call, and what the verification rejects is
// written again with its message. An item is a function of the replies to its calls, so it can be made again from
// the recorded calls alone.
package generate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"heldout/configs"
	"heldout/envs/datafile"
	"heldout/envs/stream"
	"heldout/eval/model"
	"heldout/eval/training/calls"
	"heldout/eval/training/synth"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

// MostCalls is the number of calls of an item in the paper, those for its script included.
const MostCalls = 4

// Setting is everything that the replies depend on, beside the servers.
type Setting struct {
	Model    string          `json:"model"`
	Decoding record.Decoding `json:"decoding"`
	// Prompts and Personas are SHA-256 hashes.
	Prompts     string `json:"prompts"`
	Personas    string `json:"personas"`
	Seed        int64  `json:"seed"`
	MaxCalls    int    `json:"max_calls"` // the largest number of calls of an item
	MinErrors   int    `json:"min_errors"`
	ErrorSignal string `json:"error_signal"`
	SuccessText string `json:"success_text"`
}

// Generator makes items. It is safe for concurrent use.
type Generator struct {
	Condition Setting
	Prompts   configs.Synthesis
	Personas  []string
	Verify    synth.Options
	// Ask makes or finds a call: the Ask of a calls.Book, with its model.
	Ask func(context.Context, calls.Question) (*calls.Call, error)
}

// The kinds of calls.
const (
	ScriptCall     = "script"
	TrajectoryCall = "trajectory"
)

// Reasons for which a script is rejected, beside synth.Unsupported and the faults of replies.
const (
	// BadScript: the reply is not a script.
	BadScript synth.Reason = "script format"
	// BadCode: an action of the script does not match its own verification code.
	BadCode synth.Reason = "script action"
)

// ItemCall is a call of an item and what became of its reply.
type ItemCall struct {
	Kind string `json:"kind"`
	// Reason is why the reply was rejected, "" if it was not: one of synth.Reasons, of
	// the reasons here, or a record.Fault. Message and Turn say more.
	Reason  synth.Reason `json:"reason,omitempty"`
	Message string       `json:"message,omitempty"`
	Turn    int          `json:"turn,omitempty"`
	// Verified is the number of verified turns that the next call goes on from.
	Verified int `json:"kept,omitempty"`
	// Mended: the JSON was not the whole reply or had commas too many, turns had the numbers
	// of others, or something followed the end of the game.
	Mended bool `json:"mended,omitempty"`
	// Repeated is the number of verified turns that a continuation told again, and that it replaces.
	Repeated int `json:"repeated,omitempty"`
}

// Item is what was made for a persona.
type Item struct {
	// Index counts the items from 0, ID identifies the item among the items of all conditions.
	Index    int
	ID       string
	Persona  string
	Attempts []ItemCall
	Passed   bool // the last attempt passes the verification, with this verdict
	Verdict  synth.Verdict
	// Script and Trajectory are set if it passes: a JSON object and the turns.
	Script     json.RawMessage
	Trajectory []json.RawMessage
}

// Make makes the item of that index. The persona is the one at the index, counted around: after the last persona
// comes the first, with other seeds. The error comes from a call without a reply.
func (g *Generator) Make(ctx context.Context, index int) (*Item, error) {
	item := &Item{Index: index, ID: g.id(index), Persona: g.Personas[index%len(g.Personas)]}
	w := &work{Generator: g, Item: item}
	for len(item.Attempts) < g.Condition.MaxCalls && !item.Passed {
		step := w.askTrajectory
		if w.script == nil {
			step = w.askScript
		}
		attempt, err := step(ctx)
		if err != nil {
			return nil, err
		}
		attempt.Message = table.Shortened(attempt.Message, mostMessage)
		item.Attempts = append(item.Attempts, attempt)
	}
	return item, nil
}

func (g *Generator) id(index int) string {
	b, err := json.Marshal(g.Condition)
	if err != nil {
		panic(err) // the decoding was validated
	}
	return datafile.Hash(fmt.Appendf(b, "\n%d", index))[:16]
}

// mostMessage is the longest message to the model, in bytes: it may quote what the model wrote.
const mostMessage = 1_000

type work struct {
	*Generator
	*Item
	raw     json.RawMessage // the accepted script; nil before
	script  *synth.Script
	turns   []json.RawMessage // the verified turns that the next call goes on from
	excerpt string            // what the next prompt shows of the rejected reply
}

// last is the attempt before the next one; the zero value before the first.
func (w *work) last() ItemCall {
	if len(w.Attempts) == 0 {
		return ItemCall{}
	}
	return w.Attempts[len(w.Attempts)-1]
}

func (w *work) ask(ctx context.Context, kind, prompt string) (*calls.Call, error) {
	number := fmt.Sprint(len(w.Attempts) + 1)
	item := fmt.Sprint(w.Index)
	return w.Ask(ctx, calls.Question{
		Key: item + "/" + number, Kind: kind,
		Messages: []model.Message{{Role: model.User, Content: prompt}},
		Decoding: w.Condition.Decoding,
		Seed:     stream.Seed(w.Condition.Seed, "synth", item, number),
	})
}

func fault(kind string, f record.Fault) ItemCall {
	return ItemCall{Kind: kind, Reason: synth.Reason(f), Message: "the reply was " + f.String()}
}

// The longest parts of rejected replies that a prompt shows, in bytes.
const (
	mostScript = 12_000
	mostTurn   = 1_000
	mostProse  = 300
)

func head(text string, limit int) string { return table.Shortened(strings.TrimSpace(text), limit) }

func (w *work) askScript(ctx context.Context) (ItemCall, error) {
	c, err := w.ask(ctx, ScriptCall, w.scriptPrompt())
	if err != nil {
		return ItemCall{}, err
	}
	w.excerpt = head(c.Reply, mostScript)
	if c.Fault != "" {
		return fault(ScriptCall, c.Fault), nil
	}
	a := ItemCall{Kind: ScriptCall}
	raw, mended, err := synth.ReadObject(c.Reply)
	a.Mended = mended
	var script *synth.Script
	if err == nil {
		script, err = synth.ParseScript(raw)
	}
	if err != nil {
		a.Reason, a.Message = BadScript, err.Error()
		return a, nil
	}
	if unsupported := script.Unsupported(); len(unsupported) > 0 {
		a.Reason, a.Message = synth.Unsupported, "these verification codes cannot be used: "+
			strings.Join(unsupported, "; ")
		return a, nil
	}
	if err := script.Check(); err != nil {
		a.Reason, a.Message = BadCode, strings.ReplaceAll(err.Error(), "\n", "; ")
		return a, nil
	}
	w.script, w.raw, w.excerpt = script, compact(raw), ""
	return a, nil
}

// askTrajectory asks for a whole game, or for the rest of one, and verifies it.
func (w *work) askTrajectory(ctx context.Context) (ItemCall, error) {
	c, err := w.ask(ctx, TrajectoryCall, w.trajectoryPrompt())
	if err != nil {
		return ItemCall{}, err
	}
	a := ItemCall{Kind: TrajectoryCall, Verified: len(w.turns)}
	continued, mended, broken := synth.ReadList(c.Reply)
	a.Mended = mended && broken == nil
	w.excerpt = ""
	switch {
	case c.Fault != "" && (c.Fault != record.CutOff || len(continued) == 0):
		a = fault(TrajectoryCall, c.Fault)
		a.Verified = len(w.turns)
		return a, nil
	case len(continued) == 0:
		a.Reason, a.Message = synth.Format, "the trajectory has no turns"
		if broken != nil {
			a.Message = broken.Error()
		}
		w.excerpt = head(c.Reply, mostProse)
		return a, nil
	}
	for i := range continued {
		continued[i] = compact(continued[i])
	}
	turns, repeated, renumbered := join(w.turns, continued)
	a.Repeated, a.Mended = repeated, a.Mended || renumbered
	reason := synth.Format
	if errors.Is(broken, synth.ErrUnfinished) && c.Fault != "" {
		reason, broken = synth.Reason(c.Fault), fmt.Errorf("the reply was %s", c.Fault)
	}
	w.verify(&a, turns, reason, broken)
	return a, nil
}

// verify verifies a game and keeps what the next call goes on from. Broken is why the list
// of turns breaks off, and that is the reason if the turns before are right.
func (w *work) verify(a *ItemCall, turns []json.RawMessage, reason synth.Reason, broken error) {
	v := synth.VerifyTurns(w.script, turns, w.Verify, broken == nil)
	if v.Ended && (v.Reason != "" || broken != nil) { // what follows the end does not count
		turns, broken, a.Mended = turns[:v.Verified], nil, true
		v = synth.VerifyTurns(w.script, turns, w.Verify, true)
	}
	if v.Reason == "" && broken != nil {
		v.Reason, v.Message, v.Turn = reason, broken.Error(), v.Verified+1
	}
	a.Reason, a.Message, a.Turn = v.Reason, v.Message, v.Turn
	switch {
	case v.Reason == "":
		w.Passed, w.Verdict, w.Script, w.Trajectory = true, v, w.raw, turns
	case v.Reason == synth.TooFewErrors: // it is made again from its start
		w.turns, w.excerpt = nil, string(list(turns))
	default:
		w.excerpt = excerpt(turns, v.Verified)
		if v.Verified < len(w.turns) { // it told the game again, and not as far
			a.Message = fmt.Sprintf("the game was told again from turn %d on, and then: %s",
				len(w.turns)-a.Repeated+1, a.Message)
			break
		}
		w.turns = turns[:v.Verified]
	}
	a.Verified = len(w.turns)
}

// excerpt shows the turns from the first that is not verified to the one after it.
func excerpt(turns []json.RawMessage, verified int) string {
	return strings.Join(table.Each(turns[verified:min(verified+2, len(turns))], func(t json.RawMessage) string {
		return head(string(t), mostTurn)
	}), "\n")
}

func compact(value json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	if err := json.Compact(&b, value); err != nil {
		return value // it was valid
	}
	return b.Bytes()
}

func list(values []json.RawMessage) []byte {
	out := []byte("[")
	for i, v := range values {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, v...)
	}
	return append(out, ']')
}

// scriptPrompt is the prompt for a script: instruction, examples, persona, and why the last one was rejected.
func (w *work) scriptPrompt() string {
	p := w.Prompts.Script
	var b strings.Builder
	b.WriteString(strings.TrimSpace(p.Instruction) + "\n")
	for _, ex := range p.Examples {
		fmt.Fprintf(&b, "\nPersona: %s\nScript: %s\n", strings.TrimSpace(ex.Persona), strings.TrimSpace(ex.Script))
	}
	fmt.Fprintf(&b, "\nPersona: %s\n", w.Persona)
	if last := w.last(); last.Reason != "" {
		b.WriteString("\n" + fill(p.Retry, "{message}", w.issue(last)) + "\n")
	}
	return b.String() + "Script:"
}

// trajectoryPrompt is the prompt for a game: instruction, example, script, and what to do about the last one.
func (w *work) trajectoryPrompt() string {
	p := w.Prompts.Trajectory
	var b strings.Builder
	b.WriteString(fill(p.Instruction, "{min-errors}", fmt.Sprint(w.Verify.MinErrors), "{success-text}",
		w.Verify.SuccessText) + "\n")
	if p.Example.Script != "" {
		fmt.Fprintf(&b, "\nScript: %s\nTurns: %s\n", strings.TrimSpace(p.Example.Script),
			strings.TrimSpace(p.Example.Trajectory))
	}
	fmt.Fprintf(&b, "\nScript: %s\n", w.raw)
	last := w.last()
	switch {
	case last.Reason == "":
	case len(w.turns) == 0:
		b.WriteString("\n" + fill(p.Retry, "{message}", w.issue(last)) + "\n")
	default:
		b.WriteString("\n" + fill(p.Continue, "{turns}", string(list(w.turns)), "{message}", w.issue(last), "{next}",
			fmt.Sprint(next(w.turns))) + "\n")
	}
	return b.String() + "Turns:"
}

// issue is the message of a rejected reply, with the turn that it is about and what it shows of the reply.
func (w *work) issue(a ItemCall) string {
	text := a.Message
	if a.Turn > 0 && a.Reason != synth.TooFewErrors {
		text = fmt.Sprintf("turn %d: %s", a.Turn, a.Message)
	}
	if w.excerpt != "" {
		text += "\nThis was rejected:\n" + w.excerpt
	}
	return text
}

// fill replaces the fields of a text, given as pairs of name and value. Values are not searched for fields.
func fill(text string, pairs ...string) string {
	return strings.NewReplacer(pairs...).Replace(strings.TrimSpace(text))
}
