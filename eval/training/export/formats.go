package export

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"heldout/envs/datafile"
	"heldout/envs/spelling"
	"heldout/scoring/table"
)

// Format is a form of training data.
type Format string

// The formats.
const (
	// ShareGPT is for LLaMA-Factory, which has no mask per turn: an example for each
	// reply that is trained on, to be read with mask_history.
	ShareGPT Format = "sharegpt"
	OpenAI   Format = "openai" // for fine-tuning by OpenAI: a weight for each reply
	// TRL is for SFTTrainer, which has no mask per turn: a prompt and a completion for
	// each reply that is trained on.
	TRL Format = "trl"
	// Axolotl is for its chat_template strategy: a key of each message says if it is trained on.
	Axolotl  Format = "axolotl"
	AgentGym Format = "agentgym" // the format of AgentTraj-L: a loss for each turn, in one JSON list
	// DPO is for DPOTrainer of TRL: how two episodes of a task go on from where they part, the better one chosen.
	DPO     Format = "dpo"
	ETO     Format = "eto"      // DPO with a solved episode of an expert and a failed one
	StepDPO Format = "step-dpo" // for DPOTrainer: a right and a wrong reply after the same messages
	KTO     Format = "kto"      // for KTOTrainer of TRL: replies with a label
	PRM     Format = "prm"      // for models of rewards: the steps of an episode, each with a label
)

// form is how a format's examples are made of episodes.
type form struct {
	name  Format
	needs need
	// row is an example as the trainer reads it, a struct with tags for JSON. The Python package has the
	// types of the same columns for Parquet.
	row func(example) any
}

//go:embed formats.yaml
var formatsYAML []byte

// reading is how a trainer reads a format.
type reading struct {
	Trainers []trainerLength // those whose default length the examples are measured by
	// Settings say in JSON how the trainer has to read FILE, with examples of a LENGTH.
	Settings string
	Advice   string // what users must not overlook; empty for nothing
}

// formats is how formats are read, and the licences of the sources of tasks and texts, by environment.
var formats = datafile.Embedded[struct {
	Formats  map[Format]reading
	Licences map[string]string
}](formatsYAML)

// need is what an example is made of.
type need int

const (
	conversation need = iota // each of an episode
	trainedTurn              // each turn to train on
	pair                     // two episodes of a task
	everyTurn                // an episode with what is known of every turn
)

var forms = []form{
	{ShareGPT, trainedTurn, newShareGPT},
	{OpenAI, conversation, newOpenAI},
	{TRL, trainedTurn, newTRL},
	{Axolotl, conversation, newAxolotl},
	{AgentGym, conversation, newAgentGym},
	{DPO, pair, newPair},
	{ETO, pair, newPair},
	{StepDPO, pair, newPair},
	{KTO, everyTurn, newLabel},
	{PRM, everyTurn, newSteps},
}

// Formats lists the formats.
func Formats() []Format { return table.Each(forms, func(f form) Format { return f.name }) }

// form is the form of a format, which has to be one.
func (f Format) form() form {
	return forms[slices.IndexFunc(forms, func(own form) bool { return own.name == f })]
}

// needsAll reports a form that needs the whole conversation of an episode, with what is known of every turn.
func (f form) needsAll() bool { return f.needs == pair || f.needs == everyTurn }

// settings are those with which the trainer has to read a file.
func (f Format) settings(file string, length int) json.RawMessage {
	name, _ := json.Marshal(file) // texts always marshal
	return json.RawMessage(strings.NewReplacer("FILE", string(name), "LENGTH", strconv.Itoa(length)).
		Replace(formats().Formats[f].Settings))
}

// Check reports a format that there is not.
func (f Format) Check() error {
	if slices.Contains(Formats(), f) {
		return nil
	}
	names := table.Each(Formats(), func(format Format) string { return string(format) })
	return fmt.Errorf("unknown format %q%s; there are %s", f, spelling.Hint(string(f), names),
		strings.Join(names, ", "))
}

// Extension is the extension of the format's files.
func (f Format) Extension() string {
	if f == AgentGym {
		return ".json"
	}
	return ".jsonl"
}
