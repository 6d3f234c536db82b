package record

import "heldout/envs"

// External says of an environment that others run which program was played, and what rates
// are where the program gave rewards, or did not know success; "" for any other environment.
func (c Condition) External() string {
	if c.Source != envs.External {
		return ""
	}
	s := c.Settings
	text := "outside of heldout, version " + s["version"] + ", hash " + s["hash"]
	if bounds := s["return"]; bounds != "" {
		text += "; PR is where the sum of rewards lies from " + bounds
	}
	if progress := s["progress"]; progress != "" {
		text += "; PR is " + progress
	}
	if least := s["success-threshold"]; least != "" {
		text += "; SR counts a progress of at least " + least
	}
	return text
}
