package export

import (
	"slices"

	"heldout/envs/catalog"
	"heldout/eval/model"
	"heldout/eval/training/synth"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

// example is an example in the form from which all formats are made.
type example struct {
	about
	turn       int       // of the reply, from 1
	prompt     []Message // what stands before the reply or, of a whole conversation, all of it
	reply      []Message
	rejected   []Message // what would have been the worse reply, and other its episode
	rejectedID string
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
	ID   string `json:"id"`
	Env  string `json:"env"`
	Task string `json:"task"`
	// Kind is the type of the task, Difficulty the benchmark's own class of it.
	Kind       string `json:"kind"`
	Difficulty string `json:"difficulty"`
	// Perturbation, Preset, Model and Seed are the condition's; none of them is known of a trajectory of a file.
	Perturbation string `json:"perturbation"`
	Preset       string `json:"preset"`
	Model        string `json:"model"`
	Seed         int64  `json:"seed"`
	// Outcome and Progress are the episode's, Valid says of each of its turns whether the
	// environment carried the action out.
	Outcome  string  `json:"outcome"`
	Progress float64 `json:"progress"`
	Valid    []bool  `json:"valid"`
	Tokens   int     `json:"tokens"`        // the length of the example, as the manifest says
	Use      string  `json:"benchmark_use"` // the use of the task in its benchmark: train, dev or test
}

// The examples of the formats, and their messages.
type (
	fromValue struct {
		Role  string `json:"from"`
		Value string `json:"value"`
	}
	lossTurn struct {
		Role  string `json:"from"`
		Loss  *bool  `json:"loss"` // null for turns that are not the model's
		Value string `json:"value"`
	}
	roleContent struct {
		Role    model.Role `json:"role"`
		Content string     `json:"content"`
	}
	weighted struct {
		Role    model.Role `json:"role"`
		Content string     `json:"content"`
		Weight  *int       `json:"weight,omitempty"` // of replies alone
	}

	shareGPTExample struct {
		about
		Turn          int         `json:"turn"`
		Conversations []fromValue `json:"conversations"`
	}
	trlExample struct {
		about
		Turn       int           `json:"turn"`
		Prompt     []roleContent `json:"prompt"`
		Completion []roleContent `json:"completion"`
	}
	axolotlExample struct {
		about
		Messages []Message `json:"messages"`
	}
	openAIExample struct {
		Messages []weighted `json:"messages"`
	}
	agentGymExample struct {
		ItemID        string     `json:"item_id"`
		Conversations []lossTurn `json:"conversations"`
		about
	}
	pairExample struct {
		about
		// Rejected is the id of the other episode.
		RejectedID string        `json:"rejected_id"`
		Turn       int           `json:"turn"`
		Prompt     []roleContent `json:"prompt"`
		Chosen     []roleContent `json:"chosen"`
		Rejected   []roleContent `json:"rejected"`
	}
	labelExample struct {
		trlExample
		Label bool `json:"label"`
	}
	stepsExample struct {
		about
		Prompt      string    `json:"prompt"`
		Completions []string  `json:"completions"`
		Labels      []bool    `json:"labels"`
		Rewards     []float64 `json:"progress_after"`
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
	return shareGPTExample{e.about, e.turn, table.Each(e.messages(), func(m Message) fromValue {
		return fromValue{speaker(m.Role), m.Content}
	})}
}

func newOpenAI(e example) any {
	return openAIExample{table.Each(e.messages(), func(m Message) weighted {
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

func newAxolotl(e example) any { return axolotlExample{e.about, e.messages()} }

func newAgentGym(e example) any {
	return agentGymExample{e.Env + "_" + e.ID, table.Each(e.messages(), func(m Message) lossTurn {
		out := lossTurn{Role: speaker(m.Role), Value: m.Content}
		if m.Role == model.Assistant {
			out.Loss = &m.Train
		}
		return out
	}), e.about}
}

func newPair(e example) any {
	return pairExample{e.about, e.rejectedID, e.turn, plain(e.prompt), plain(e.reply), plain(e.rejected)}
}

func newSteps(e example) any {
	return stepsExample{e.about, e.prompt[0].Content, table.Each(e.reply, content), e.labels, e.rewards}
}

// plain are messages without what is trained on.
func plain(in []Message) []roleContent {
	return table.Each(in, func(m Message) roleContent { return roleContent{m.Role, m.Content} })
}

func content(m Message) string { return m.Content }

func aboutEpisode(e *record.Episode, use catalog.Use) about {
	return about{
		ID: e.ID, Env: e.Env, Task: e.Task, Kind: e.TaskType, Difficulty: string(e.Difficulty),
		Perturbation: e.Perturbation, Preset: e.Preset, Model: e.Model, Seed: e.Seed, Outcome: string(e.Outcome),
		Progress: e.Progress, Valid: table.Each(e.Trajectory, carriedOut), Use: string(use),
	}
}

// carriedOut reports whether the environment understood an action and carried it out.
func carriedOut(s record.Step) bool { return !s.Erroneous() && !s.FormatError }

// aboutItem is what examples say of a verified trajectory, which has succeeded.
func aboutItem(i *synth.Item, id, task string) about {
	a := about{ID: id, Env: Synthetic, Task: task, Kind: Synthetic, Outcome: string(record.Success), Progress: 1,
		Valid: []bool{}, Use: string(catalog.Train)}
	for k, t := range i.Turns {
		if !t.Master {
			a.Valid = append(a.Valid, i.Train[k])
		}
	}
	return a
}
