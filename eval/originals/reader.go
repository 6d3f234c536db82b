package originals

import (
	"fmt"

	"heldout/configs"
)

// Reader reads a file of a preset's source.
type Reader func(configs.PresetFile) (configs.PromptFile, error)

func (read Reader) readAll(files []configs.PresetFile) (out []configs.PromptFile, err error) {
	for _, f := range files {
		found, err := read(f)
		if err != nil {
			return nil, err
		}
		out = append(out, found)
	}
	return out, nil
}

// Fill returns a preset with the fixed texts of its source.
func (read Reader) Fill(p configs.Preset) (configs.Preset, error) {
	names := p.TextsNamed()
	texts, files := map[string]string{}, map[string]configs.PromptFile{}
	for _, name := range names {
		x := p.Texts[name]
		file, ok := files[x.File]
		if !ok {
			var err error
			if file, err = read(configs.PresetFile{Path: x.File}); err != nil {
				return p, err
			}
			files[x.File] = file
		}
		text, err := x.Read(file.Content)
		if err == nil {
			err = p.CheckText(name, text)
		}
		if err != nil {
			return p, fmt.Errorf("the text %s of preset %s: %w", name, p.Name, err)
		}
		texts[name] = text
	}
	if len(names) == 0 {
		return p, nil
	}
	return p.Filled(texts)
}

// Prompt reads the prompt of a preset, and checks a file in heldout's own YAML.
func (read Reader) Prompt(p configs.PresetPrompt, check func(configs.PromptFile) error) (configs.Prompt, error) {
	files, err := read.readAll(p.Files)
	if err != nil {
		return configs.Prompt{}, err
	}
	prompt, err := p.ReadPrompt(files)
	if err == nil && p.Format == "template" {
		err = check(files[0])
	}
	return prompt, err
}
