package synth

import (
	"encoding/json"
	"fmt"
)

// ParseTurns reads the turns of a trajectory, a JSON list. It checks the keys of
// each turn as Verify does, and nothing else.
func ParseTurns(trajectory []byte) ([]Turn, error) {
	var raw []json.RawMessage
	if err := json.Unmarshal(trajectory, &raw); err != nil {
		return nil, fmt.Errorf("the trajectory is no JSON list of turns: %w", err)
	}
	if len(raw) > mostTurns {
		return nil, fmt.Errorf("the trajectory has %d turns, the limit is %d", len(raw), mostTurns)
	}
	turns := make([]Turn, len(raw))
	for i := range raw {
		var err error
		if turns[i], err = readTurn(raw[i]); err != nil {
			return nil, fmt.Errorf("turn %d: %w", i+1, err)
		}
	}
	return turns, nil
}
