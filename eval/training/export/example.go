package export

import (
	"slices"

	"heldout/eval/model"
)

// example is an example in the form from which all formats are made.
type example struct {
	about
	turn int // of the reply, from 1
	// prompt is what stands before the reply or, of a whole conversation, all of it.
	prompt []Message
	reply  []Message
	// rejected is what would have been the worse reply, and other its episode.
	rejected []Message
	other    string
	// labels and rewards belong to the messages of reply.
	labels  []bool
	rewards []float64
}

func (e example) messages() []Message { return slices.Concat(e.prompt, e.reply) }

// length counts the tokens of an example; of a pair, of the longer side.
func (e example) length(m *measure) (int, error) {
	better, err := m.count(e.messages())
	if err != nil || e.rejected == nil {
		return better, err
	}
	worse, err := m.count(slices.Concat(e.prompt, e.rejected))
	return max(better, worse), err
}

// about is what an example says beside its messages. OpenAI's files have no place for it.
type about struct {
	ID   string `json:"id" parquet:"id"`
	Env  string `json:"env" parquet:"env,dict"`
	Task string `json:"task" parquet:"task,dict"`
	// Kind is the type of the task, Difficulty the benchmark's own class of it.
	Kind       string `json:"kind" parquet:"kind,dict"`
	Difficulty string `json:"difficulty" parquet:"difficulty,dict"`
	// Perturbation, Preset, Model and Seed are the condition's; none of them is known of a
	// trajectory of a file.
	Perturbation string `json:"perturbation" parquet:"perturbation,dict"`
	Preset       string `json:"preset" parquet:"preset,dict"`
	Model        string `json:"model" parquet:"model,dict"`
	Seed         int64  `json:"seed" parquet:"seed"`
	// Outcome and Progress are the episode's, Valid says of each of its turns whether the
	// environment carried the action out.
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
	pairExample struct {
		about
		// Rejected is the id of the other episode.
		Other    string        `json:"rejected_id" parquet:"rejected_id"`
		Turn     int           `json:"turn" parquet:"turn"`
		Prompt   []roleContent `json:"prompt" parquet:"prompt,list"`
		Chosen   []roleContent `json:"chosen" parquet:"chosen,list"`
		Rejected []roleContent `json:"rejected" parquet:"rejected,list"`
	}
	labelExample struct {
		trlExample
		Label bool `json:"label" parquet:"label"`
	}
	stepsExample struct {
		about
		Prompt      string    `json:"prompt" parquet:"prompt"`
		Completions []string  `json:"completions" parquet:"completions,list"`
		Labels      []bool    `json:"labels" parquet:"labels,list"`
		Rewards     []float64 `json:"progress_after" parquet:"progress_after,list"`
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

func newShareGPT(e example) any {
	return shareGPTExample{e.about, e.turn, each(e.messages(), func(m Message) fromValue {
		return fromValue{speaker(m.Role), m.Content}
	})}
}

func newOpenAI(e example) any {
	return openAIExample{each(e.messages(), func(m Message) weighted {
		out := weighted{Role: m.Role, Content: m.Content}
		if m.Role == model.Assistant {
			out.Weight = new(map[bool]int{true: 1}[m.Train])
		}
		return out
	})}
}

func newCompletion(e example) trlExample {
	return trlExample{e.about, e.turn, plain(e.prompt), plain(e.reply)}
}

func newTRL(e example) any { return newCompletion(e) }

func newLabel(e example) any { return labelExample{newCompletion(e), e.labels[0]} }

func newAxolotl(e example) any {
	return axolotlExample{e.about, each(e.messages(), func(m Message) trained { return trained(m) })}
}

func newAgentGym(e example) any {
	return agentGymExample{e.Env + "_" + e.ID, each(e.messages(), func(m Message) lossTurn {
		out := lossTurn{From: speaker(m.Role), Value: m.Content}
		if m.Role == model.Assistant {
			out.Loss = &m.Train
		}
		return out
	}), e.about}
}

func newPair(e example) any {
	return pairExample{e.about, e.other, e.turn, plain(e.prompt), plain(e.reply), plain(e.rejected)}
}

func newSteps(e example) any {
	return stepsExample{e.about, e.prompt[0].Content, each(e.reply, content), e.labels, e.rewards}
}

// plain are messages without what is trained on.
func plain(in []Message) []roleContent {
	return each(in, func(m Message) roleContent { return roleContent{m.Role, m.Content} })
}

func content(m Message) string { return m.Content }

func each[In, T any](in []In, f func(In) T) []T {
	out := make([]T, len(in))
	for i, m := range in {
		out[i] = f(m)
	}
	return out
}
