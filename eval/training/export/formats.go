package export

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"heldout/envs/spelling"
	"heldout/eval/model"
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
	// Axolotl is for its chat_template strategy: a key of each message says if it is
	// trained on.
	Axolotl Format = "axolotl"
	// AgentGym is that of AgentTraj-L: a loss for each turn, in one JSON list.
	AgentGym Format = "agentgym"
	// DPO is for DPOTrainer of TRL: how two episodes of a task go on from where they part,
	// the better one chosen.
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

// Formats lists the formats.
func Formats() []Format { return append(Demonstrations(), DPO, ETO, StepDPO, KTO, PRM) }

// Demonstrations are the formats for supervised fine-tuning: a conversation with the turns
// to train on.
func Demonstrations() []Format { return []Format{ShareGPT, OpenAI, TRL, Axolotl, AgentGym} }

// Check reports a format that there is not.
func (f Format) Check() error {
	if slices.Contains(Formats(), f) {
		return nil
	}
	names := each(Formats(), func(known Format) string { return string(known) })
	return fmt.Errorf("there is no format %q%s; there are %s", f, spelling.Hint(string(f), names),
		strings.Join(names, ", "))
}

// Extension is that of the format's files.
func (f Format) Extension() string {
	if f == AgentGym {
		return ".json"
	}
	return ".jsonl"
}

// about is what an example says beside its messages. OpenAI's files have no place for it.
type about struct {
	ID   string `json:"id" parquet:"id"`
	Env  string `json:"env" parquet:"env,dict"`
	Task string `json:"task" parquet:"task,dict"`
	// Kind is the type of the task, Difficulty the benchmark's own class of it.
	Kind       string `json:"kind" parquet:"kind,dict"`
	Difficulty string `json:"difficulty" parquet:"difficulty,dict"`
	// Perturbation, Preset, Model and Seed are those of the condition; none of them is known
	// of a trajectory of a file.
	Perturbation string `json:"perturbation" parquet:"perturbation,dict"`
	Preset       string `json:"preset" parquet:"preset,dict"`
	Model        string `json:"model" parquet:"model,dict"`
	Seed         int64  `json:"seed" parquet:"seed"`
	// Outcome and Progress are those of the episode, Valid says of each of its turns whether
	// the environment carried the action out.
	Outcome  string  `json:"outcome" parquet:"outcome,dict"`
	Progress float64 `json:"progress" parquet:"progress"`
	Valid    []bool  `json:"valid" parquet:"valid,list"`
	// Tokens is the length of the example, as the manifest says.
	Tokens int `json:"tokens" parquet:"tokens"`
	// Use is the use of the task in its benchmark: train, dev or test.
	Use string `json:"benchmark_use" parquet:"benchmark_use,dict"`
}

// The examples of the formats, and their messages.
type (
	fromValue struct {
		From  string `json:"from" parquet:"from,dict"`
		Value string `json:"value" parquet:"value"`
	}
	lossTurn struct {
		From  string `json:"from" parquet:"from,dict"`
		Loss  *bool  `json:"loss" parquet:"loss"` // null for turns that are not the model's
		Value string `json:"value" parquet:"value"`
	}
	roleContent struct {
		Role    model.Role `json:"role" parquet:"role,dict"`
		Content string     `json:"content" parquet:"content"`
	}
	weighted struct {
		Role    model.Role `json:"role" parquet:"role,dict"`
		Content string     `json:"content" parquet:"content"`
		Weight  *int       `json:"weight,omitempty" parquet:"weight"` // of replies alone
	}
	trained struct {
		Role    model.Role `json:"role" parquet:"role,dict"`
		Content string     `json:"content" parquet:"content"`
		Train   bool       `json:"train" parquet:"train"`
	}

	shareGPTExample struct {
		about
		Turn          int         `json:"turn" parquet:"turn"`
		Conversations []fromValue `json:"conversations" parquet:"conversations,list"`
	}
	trlExample struct {
		about
		Turn       int           `json:"turn" parquet:"turn"`
		Prompt     []roleContent `json:"prompt" parquet:"prompt,list"`
		Completion []roleContent `json:"completion" parquet:"completion,list"`
	}
	axolotlExample struct {
		about
		Messages []trained `json:"messages" parquet:"messages,list"`
	}
	openAIExample struct {
		Messages []weighted `json:"messages" parquet:"messages,list"`
	}
	agentGymExample struct {
		ItemID        string     `json:"item_id" parquet:"item_id"`
		Conversations []lossTurn `json:"conversations" parquet:"conversations,list"`
		about
	}
)

func speaker(r model.Role) string {
	switch r {
	case model.User:
		return "human"
	case model.Assistant:
		return "gpt"
	}
	return string(r)
}

type example func(about) any

// examples visits the examples of a conversation, with their messages. Examples of single
// turns are shortened to fit.
func (f Format) examples(c Conversation, fit *measure, visit func([]Message, example) error) error {
	switch f {
	case OpenAI:
		return visit(c.Messages, func(about) any {
			return openAIExample{each(c.Messages, func(m Message) weighted {
				if m.Role != model.Assistant {
					return weighted{m.Role, m.Content, nil}
				}
				weight := 0
				if m.Train {
					weight = 1
				}
				return weighted{m.Role, m.Content, &weight}
			})}
		})
	case Axolotl:
		return visit(c.Messages, func(a about) any {
			return axolotlExample{a, each(c.Messages, func(m Message) trained { return trained(m) })}
		})
	case AgentGym:
		return visit(c.Messages, func(a about) any {
			return agentGymExample{a.Env + "_" + a.ID, each(c.Messages, func(m Message) lossTurn {
				if m.Role != model.Assistant {
					return lossTurn{speaker(m.Role), nil, m.Content}
				}
				return lossTurn{speaker(m.Role), &m.Train, m.Content}
			}), a}
		})
	}
	return c.each(func(turn int, prefix []Message) error {
		prefix, ok, err := fit.shortened(prefix)
		if !ok || err != nil {
			return err
		}
		return visit(prefix, func(a about) any {
			if f == ShareGPT {
				return shareGPTExample{a, turn, each(prefix, func(m Message) fromValue {
					return fromValue{speaker(m.Role), m.Content}
				})}
			}
			all := plain(prefix)
			return trlExample{a, turn, all[:len(all)-1], all[len(all)-1:]}
		})
	})
}

func each[In, T any](in []In, f func(In) T) []T {
	out := make([]T, len(in))
	for i, m := range in {
		out[i] = f(m)
	}
	return out
}

// writer writes examples, one a line; AgentGym's as the elements of a list.
type writer struct {
	format   Format
	file     *File
	table    parquetFile // beside the file; nil without one
	parquet  *File       // of the table
	examples int
	line     bytes.Buffer
}

func (w *writer) write(example any) error {
	if w.table != nil {
		if err := w.table.write(example); err != nil {
			return err
		}
	}
	w.line.Reset()
	if w.format == AgentGym {
		w.line.WriteString(map[bool]string{true: "[\n", false: ",\n"}[w.examples == 0])
	}
	e := json.NewEncoder(&w.line)
	e.SetEscapeHTML(false)
	if err := e.Encode(example); err != nil {
		return err
	}
	line := w.line.Bytes()
	if w.format == AgentGym {
		line = bytes.TrimSuffix(line, []byte("\n"))
	}
	w.examples++
	_, err := w.file.Write(line)
	return err
}

func (w *writer) end() error {
	if w.table != nil {
		if err := w.table.end(); err != nil {
			return err
		}
		if err := w.parquet.Flush(); err != nil {
			return err
		}
	}
	if w.format != AgentGym {
		return nil
	}
	text := "\n]\n"
	if w.examples == 0 {
		text = "[]\n"
	}
	_, err := io.WriteString(w.file, text)
	return err
}

// abort removes what was written, commit gives it its name.
func (w *writer) abort() {
	w.file.Abort()
	if w.parquet != nil {
		w.parquet.Abort()
	}
}

func (w *writer) commit() error {
	if w.parquet != nil {
		if err := w.parquet.Commit(); err != nil {
			return err
		}
	}
	return w.file.Commit()
}

// reader says how the trainer has to read the files of a format, with examples of a length.
func (f Format) reader(file string, length int) any {
	switch f {
	case ShareGPT:
		return map[string]any{
			"dataset_info": map[string]any{"heldout": map[string]any{
				"file_name": file, "formatting": "sharegpt", "columns": map[string]any{"messages": "conversations"},
				"tags": map[string]any{
					"role_tag": "from", "content_tag": "value", "user_tag": "human", "assistant_tag": "gpt",
					"observation_tag": "observation", "function_tag": "function_call", "system_tag": "system",
				},
			}},
			"arguments": map[string]any{"dataset": "heldout", "mask_history": true, "cutoff_len": length},
		}
	case TRL:
		return map[string]any{"SFTConfig": map[string]any{"completion_only_loss": true, "max_length": length}}
	case DPO, ETO:
		return map[string]any{"DPOConfig": map[string]any{"max_length": length}, "note": "the observations after the " +
			"first difference count in TRL's loss like replies; step-dpo has none"}
	case StepDPO:
		return map[string]any{"DPOConfig": map[string]any{"max_length": length}}
	case KTO:
		return map[string]any{"KTOConfig": map[string]any{"max_length": length}}
	case PRM:
		return map[string]any{"note": "a label for the last token of every completion; TRL's stepwise supervision"}
	case Axolotl:
		return map[string]any{"datasets": []any{map[string]any{
			"path": file, "type": "chat_template", "field_messages": "messages", "message_field_training": "train",
			"message_property_mappings": map[string]any{"role": "role", "content": "content"},
		}}, "sequence_len": length}
	case OpenAI:
		return map[string]any{"method": "supervised"}
	}
	return map[string]any{
		"note": "AgentGym's own trainers ignore loss and train on every turn of gpt; Axolotl " +
			"(message_field_training: loss) and ms-swift read it"}
}
