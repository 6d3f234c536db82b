package configs

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"heldout/configs/pysource"
	"heldout/envs/datafile"
)

// SourceText is a fixed text of a preset's source. It is read from a file of the source, which the user has, and
// never shipped. {text:NAME} stands for it in the texts of a preset and of its prompt.
type SourceText struct {
	File   string `yaml:"file" json:"file"` // the path in the repository
	Recipe string `yaml:"-" json:"recipe"`  // what recipeOf says, or the recipe of a form
	// Lines are the lines on which a text of a Python file begins, such as 72 or 22-26.
	Lines string `yaml:"lines" json:"lines,omitempty"`
	// Path leads to a value of a JSON or YAML file: keys and positions separated by "/", * for all
	// positions. Only forms have it.
	Path   string `yaml:"-" json:"path,omitempty"`
	SHA256 string `yaml:"sha256" json:"sha256"` // the hash of the text
}

// recipeOf is how the text is found in a file of that name: the one that has the hash among
//
//   - python: the string literals that begin on the lines, adjacent ones joined, the
//     constant parts of f-strings, and what stands between {{slots}}
//   - notebook: the same, in all code cells of a notebook
//   - file: the whole file
//
// A form may say json or yaml: the texts at the path, and the texts of a list joined with nothing.
func recipeOf(file string) string {
	switch path.Ext(file) {
	case ".py":
		return "python"
	case ".ipynb":
		return "notebook"
	}
	return "file"
}

// reference is how a text of a preset names a fixed text.
var reference = regexp.MustCompile(`\{text:([a-z0-9-]+)\}`)

// Read finds the text in the content of its file.
func (x SourceText) Read(content []byte) (string, error) {
	if !utf8.Valid(content) {
		return "", fmt.Errorf("%s is not UTF-8", x.File)
	}
	found, err := x.candidates(content)
	if err != nil {
		return "", fmt.Errorf("%s: %w", x.File, err)
	}
	for _, text := range found {
		if strings.HasPrefix(hash([]byte(text)), x.SHA256) {
			return text, nil
		}
	}
	return "", fmt.Errorf("%s: %s has no text with the SHA-256 %.16s…: the file has another version", x.File,
		x.place(), x.SHA256)
}

// place says where in its file a text stands.
func (x SourceText) place() string {
	switch x.Recipe {
	case "python":
		return "line " + x.Lines
	case "json", "yaml":
		return x.Path
	}
	return "it"
}

func (x SourceText) candidates(content []byte) ([]string, error) {
	switch x.Recipe {
	case "python":
		first, last, err := x.lines()
		if err != nil {
			return nil, err
		}
		literals, err := pysource.Literals(string(content))
		return pysource.Texts(literals, first, last), err
	case "notebook":
		return notebookTexts(content)
	case "json", "yaml":
		var root any
		err := datafile.Unmarshal(content, &root)
		if x.Recipe == "yaml" {
			err = decode("it", content, &root)
		}
		if err != nil {
			return nil, err
		}
		found := textsAt(root, strings.Split(x.Path, "/"))
		return append(found, strings.Join(found, "")), nil
	}
	return []string{string(content)}, nil
}

func (x SourceText) lines() (first, last int, err error) {
	a, b, isRange := strings.Cut(x.Lines, "-")
	if first, err = strconv.Atoi(a); err == nil && isRange {
		last, err = strconv.Atoi(b)
	} else {
		last = first
	}
	if err != nil || first < 1 || last < first {
		return 0, 0, fmt.Errorf("lines is %.40q, want a line such as 72, or a range such as 22-26", x.Lines)
	}
	return first, last, nil
}

func notebookTexts(content []byte) (out []string, err error) {
	var notebook struct {
		Cells []struct {
			Type   string          `json:"cell_type"`
			Source json.RawMessage `json:"source"`
		} `json:"cells"`
	}
	if err := datafile.Unmarshal(content, &notebook); err != nil {
		return nil, err
	}
	for i, cell := range notebook.Cells {
		if cell.Type != "code" {
			continue
		}
		var lines []string // or one text
		if json.Unmarshal(cell.Source, &lines) != nil {
			lines = []string{""}
			if err := datafile.Unmarshal(cell.Source, &lines[0]); err != nil {
				return nil, fmt.Errorf("cell %d: %w", i+1, err)
			}
		}
		source := strings.Join(lines, "")
		literals, err := pysource.Literals(source)
		if err != nil {
			return nil, fmt.Errorf("cell %d: %w", i+1, err)
		}
		out = append(out, pysource.Texts(literals, 1, strings.Count(source, "\n")+1)...)
	}
	return out, nil
}

// textsAt lists the texts to which a path leads; a list at its end gives its elements.
func textsAt(value any, path []string) (out []string) {
	switch v := value.(type) {
	case string:
		if len(path) == 0 {
			return []string{v}
		}
	case map[string]any:
		if len(path) > 0 {
			return textsAt(v[path[0]], path[1:])
		}
	case []any:
		key, rest := "*", path
		if len(path) > 0 {
			key, rest = path[0], path[1:]
		}
		for i, element := range v {
			if key == "*" || key == strconv.Itoa(i) {
				out = append(out, textsAt(element, rest)...)
			}
		}
	}
	return out
}

func (x SourceText) check(name string, errs *Faults) {
	field := "texts." + name
	errs.want(presetName.MatchString(name), "texts: %.50q: want lower-case letters, digits and hyphens", name)
	errs.path(field+".file", x.File)
	errs.want(hexPrefix.MatchString(x.SHA256), "%s.sha256: want 8 to 64 hex digits", field)
	_, _, err := x.lines()
	errs.want((err == nil) == (x.Recipe == "python") && (err == nil || x.Lines == ""),
		"%s.lines is %.40q: a Python file, and no other, needs a line or a range", field, x.Lines)
}

// filled are the parts of a preset that may name fixed texts.
type filled struct {
	Play   Play
	Prompt PresetPrompt
}

// TextsNamed lists the fixed texts that a preset of one part names, sorted.
func (p *Preset) TextsNamed() []string {
	b, err := json.Marshal(filled{p.Play, p.Prompt})
	if err != nil {
		panic(err) // all their values are JSON
	}
	names := map[string]bool{}
	for _, m := range reference.FindAllSubmatch(b, -1) {
		names[string(m[1])] = true
	}
	return slices.Sorted(maps.Keys(names))
}

// Filled returns the preset with the fixed texts in place of their names. Its hash is the hash of another protocol.
func (p Preset) Filled(texts map[string]string) (Preset, error) {
	b, err := json.Marshal(filled{p.Play, p.Prompt})
	if err != nil {
		return p, err
	}
	b = reference.ReplaceAllFunc(b, func(name []byte) []byte {
		text, err := json.Marshal(texts[string(reference.FindSubmatch(name)[1])])
		if err != nil {
			panic(err) // a text is JSON
		}
		return text[1 : len(text)-1] // it stands within a text
	})
	var out filled
	err = json.Unmarshal(b, &out)
	p.Play, p.Prompt = out.Play, out.Prompt
	return p, err
}

// withoutOtherTexts drops the fixed texts that a preset of one part does not name.
func (p Preset) withoutOtherTexts() Preset {
	p.Texts = maps.Clone(p.Texts)
	named := p.TextsNamed()
	maps.DeleteFunc(p.Texts, func(name string, _ SourceText) bool { return !slices.Contains(named, name) })
	return p
}
