package configs

import "path"

// Judge is the prompt that has a model label a turn as right or wrong.
type Judge struct {
	// Instruction says what right and wrong mean. Goal, actions, history and the turn
	// follow it.
	Instruction string `yaml:"instruction" json:"instruction"`
	// Answer stands at the end and asks for a reason and a JSON object with "verdict".
	Answer string `yaml:"answer" json:"answer"`
}

// judgeVersion is the version of the embedded prompt for judging.
const judgeVersion = "v1"

// LoadJudge returns the embedded prompt for judging.
func LoadJudge() (Judge, error) {
	return ours(path.Join("prompts", "judge", judgeVersion+".yaml"), ParseJudge)
}

// ParseJudge reads a prompt for judging.
func ParseJudge(file string, b []byte) (Judge, error) {
	var j Judge
	if err := decode(file, b, &j); err != nil {
		return j, err
	}
	return j, needTexts(file, []needed{{"instruction", j.Instruction, nil}, {"answer", j.Answer, []string{"verdict"}}})
}

// Hash is the SHA-256, in hex, of what the prompt says.
func (j Judge) Hash() (string, error) { return jsonHash(j) }
