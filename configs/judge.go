package configs

import "path"

// Judge is the prompt that has a model label a turn as right or wrong.
type Judge struct {
	// Instruction says what right and wrong mean. Goal, actions, history and turn follow.
	Instruction string `yaml:"instruction" json:"instruction"`
	// Answer stands at the end and asks for a reason and a JSON object with "verdict".
	Answer string `yaml:"answer" json:"answer"`
}

const judgeVersion = "v1"

// LoadJudge returns the embedded prompt for judging.
func LoadJudge() (Judge, error) {
	return ours[Judge](path.Join("prompts", "judge", judgeVersion+".yaml"))
}

func (j Judge) check() error {
	return needTexts(needed{"instruction", j.Instruction, nil}, needed{"answer", j.Answer, []string{"verdict"}})
}
