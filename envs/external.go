package envs

// External says of an environment that others run what was played, where, and what rates are
// where it gave rewards, or did not know success; "" for any other environment.
func (i Info) External() string {
	if i.Source != External {
		return ""
	}
	s := i.Settings
	text := "outside of heldout, version " + s["version"] + ", hash " + s["hash"]
	if i.Address != "" {
		text += ", at " + i.Address
	}
	if bounds := s["return"]; bounds != "" {
		text += "; PR is where the sum of rewards lies from " + bounds
	}
	if progress := s["progress"]; progress != "" {
		text += "; PR is " + progress
	}
	if threshold := s["success-threshold"]; threshold != "" {
		text += "; SR counts a progress of at least " + threshold
	}
	return text
}
