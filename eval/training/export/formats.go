package export

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"heldout/envs/spelling"
)

// Format is a form of training data.
type Format string

// The formats.
const (
	// ShareGPT is for LLaMA-Factory, which has no mask per turn: an example for each
	// reply that is trained on, to be read with mask_history.
	ShareGPT Format = "sharegpt"
	// OpenAI is for fine-tuning by OpenAI: a weight for each reply.
	OpenAI Format = "openai"
	// TRL is for SFTTrainer, which has no mask per turn: a prompt and a completion for
	// each reply that is trained on.
	TRL Format = "trl"
	// Axolotl is for its chat_template strategy: a key of each message says if it is trained on.
	Axolotl Format = "axolotl"
	// AgentGym is the format of AgentTraj-L: a loss for each turn, in one JSON list.
	AgentGym Format = "agentgym"
	// DPO is for DPOTrainer of TRL: how two episodes of a task go on from where they part, the better one chosen.
	DPO Format = "dpo"
	// ETO is DPO with a solved episode of an expert and a failed one.
	ETO Format = "eto"
	// StepDPO is for DPOTrainer: a right and a wrong reply after the same messages.
	StepDPO Format = "step-dpo"
	// KTO is for KTOTrainer of TRL: replies with a label.
	KTO Format = "kto"
	// PRM is for models of rewards: the steps of an episode, each with a label.
	PRM Format = "prm"
)

// form is how a format's examples are made of episodes, and how its trainer reads them.
type form struct {
	name  Format
	needs need
	// row is an example as the trainer reads it, a struct with tags for JSON. The Python package has the
	// types of the same columns for Parquet.
	row      func(example) any
	trainers []trainerLength
	// reader says in JSON how the trainer has to read FILE, with examples of a LENGTH.
	reader string
	// advice is what users must not overlook; empty for nothing.
	advice string
}

// need is what an example is made of.
type need int

const (
	conversation need = iota // each of an episode
	trainedTurn              // each turn to train on
	pair                     // two episodes of a task
	everyTurn                // an episode with what is known of every turn
)

var forms = []form{
	{ShareGPT, trainedTurn, newShareGPT, []trainerLength{llamaFactory},
		`{"arguments": {"cutoff_len": LENGTH, "dataset": "heldout", "mask_history": true}, "dataset_info": {"heldout": {
			"columns": {"messages": "conversations"}, "file_name": FILE, "formatting": "sharegpt", "tags": {
			"assistant_tag": "gpt", "content_tag": "value", "function_tag": "function_call",
			"observation_tag": "observation", "role_tag": "from", "system_tag": "system", "user_tag": "human"}}}}`,
		"read it with mask_history: true, else LLaMA-Factory trains on every turn"},
	{OpenAI, conversation, newOpenAI, nil, `{"method": "supervised"}`, ""},
	{TRL, trainedTurn, newTRL, []trainerLength{trl},
		`{"SFTConfig": {"completion_only_loss": true, "max_length": LENGTH}}`, ""},
	{Axolotl, conversation, newAxolotl, []trainerLength{axolotl, trl},
		`{"datasets": [{"field_messages": "messages", "message_field_training": "train", "message_property_mappings":
			{"content": "content", "role": "role"}, "path": FILE, "type": "chat_template"}], "sequence_len": LENGTH}`, ""},
	{AgentGym, conversation, newAgentGym, []trainerLength{axolotl},
		`{"note": "AgentGym's own trainers ignore loss and train on every turn of gpt; Axolotl ` +
			`(message_field_training: loss) and ms-swift read it"}`,
		"AgentGym's own trainers ignore loss and train on every turn of gpt; heldout help training"},
	{DPO, pair, newPair, []trainerLength{trl}, fromDifference, ""},
	{ETO, pair, newPair, []trainerLength{trl}, fromDifference, ""},
	{StepDPO, pair, newPair, []trainerLength{trl}, `{"DPOConfig": {"max_length": LENGTH}}`, ""},
	{KTO, everyTurn, newLabel, []trainerLength{trl}, `{"KTOConfig": {"max_length": LENGTH}}`, ""},
	{PRM, everyTurn, newSteps, nil,
		`{"note": "a label for the last token of every completion; TRL's stepwise supervision"}`, ""},
}

const fromDifference = `{"DPOConfig": {"max_length": LENGTH}, "note": "the observations after the first ` +
	`difference count in TRL's loss like replies; step-dpo has none"}`

// The defaults of trainers.
var (
	llamaFactory = trainerLength{Trainer: "LLaMA-Factory", Setting: "cutoff_len", Default: 2048}
	trl          = trainerLength{Trainer: "TRL", Setting: "max_length", Default: 1024}
	axolotl      = trainerLength{Trainer: "Axolotl", Setting: "sequence_len", Default: 512}
)

// Formats lists the formats.
func Formats() []Format { return each(forms, func(f form) Format { return f.name }) }

// form is the form of a format, which has to be one.
func (f Format) form() form {
	return forms[slices.IndexFunc(forms, func(known form) bool { return known.name == f })]
}

// whole reports a form that needs the whole conversation of an episode, with what is known of every turn.
func (f form) whole() bool { return f.needs == pair || f.needs == everyTurn }

// settings are those with which the trainer has to read a file.
func (f form) settings(file string, length int) json.RawMessage {
	name, _ := json.Marshal(file) // texts always marshal
	return json.RawMessage(strings.NewReplacer("FILE", string(name), "LENGTH", strconv.Itoa(length)).Replace(f.reader))
}

// Check reports a format that there is not.
func (f Format) Check() error {
	if slices.Contains(Formats(), f) {
		return nil
	}
	names := each(Formats(), func(format Format) string { return string(format) })
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
