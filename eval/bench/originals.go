package bench

import (
	"crypto/sha256"
	"fmt"

	"heldout/configs"
	"heldout/eval/originals"
	"heldout/scoring/record"
)

// original reads a file of the source for a run, which notes its hash.
func (c Chosen) original(f configs.PresetFile, about *record.Protocol) (configs.PromptFile, error) {
	found, err := originals.Read(c.Run.Originals, &c.Released, f)
	if err != nil && !originals.Fetched(c.Released.Source) {
		return found, err
	}
	if err != nil {
		return found, fmt.Errorf("%w; heldout preset prompt %s says more", err, c.Released.Name)
	}
	about.Files[f.Path] = fmt.Sprintf("%x", sha256.Sum256(found.Content))
	return found, nil
}

// differing adds to an error of a preset's source that the folder has another commit.
func (c Chosen) differing(err error) error {
	if mismatch := originals.OtherCommit(c.Run.Originals, c.Released.Source); err != nil && mismatch != "" {
		return fmt.Errorf("%w; %s", err, mismatch)
	}
	return err
}
