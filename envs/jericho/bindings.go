package jericho

import (
	"bytes"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"heldout/configs/pysource"
	"heldout/envs"
	"heldout/envs/datafile"
)

// binding is what Jericho knows about a game besides the story.
type binding struct {
	// Grammar holds templates of commands, joined by semicolons.
	Grammar string `json:"grammar"`
	// Walkthrough holds commands, joined by slashes.
	Walkthrough string `json:"walkthrough"`
	// MaxWordLength is how many letters of a word the parser looks at.
	MaxWordLength int `json:"max_word_length"`
	// ROM is the name of the story file.
	ROM string `json:"rom"`
}

// bindings maps names of story files, without extension, to their bindings.
type bindings map[string]binding

// readBindings reads a file of bindings in either form.
func readBindings(file string) (bindings, error) {
	b, err := datafile.ReadText(file, datafile.MaxLabels)
	if err != nil {
		return nil, fmt.Errorf("the bindings cannot be read: %w", err)
	}
	out, err := parseBindings(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return out, nil
}

// parseBindings reads JSON, or Jericho's Python file.
func parseBindings(b []byte) (bindings, error) {
	var list []binding
	if bytes.HasPrefix(bytes.TrimSpace(b), []byte("{")) {
		var form struct{ Games map[string]binding }
		if err := datafile.Unmarshal(b, &form); err != nil {
			return nil, err
		}
		list = slices.Collect(maps.Values(form.Games))
	} else {
		var err error
		if list, err = parseGameInfo(string(b)); err != nil {
			return nil, err
		}
	}
	out := bindings{}
	for _, x := range list {
		name := strings.TrimSuffix(x.ROM, path.Ext(x.ROM))
		if name == "" || x.Grammar == "" {
			continue // nothing to use
		}
		if x.MaxWordLength <= 0 {
			x.MaxWordLength = informWord
		}
		out[name] = x
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("no game in it has a story file and a grammar")
	}
	return out, nil
}

// numberBehind is a number that stands behind a key, before another key or at the end of a dict.
var numberBehind = regexp.MustCompile(`^:(\d+)[,}]`)

// parseGameInfo reads Jericho's file of bindings: Python assignments of dicts of
// literals. It ignores everything else in the file.
func parseGameInfo(text string) (out []binding, err error) {
	literals, err := pysource.Literals(text + "\n''") // so that a text stands behind the last number
	var dicts []map[string]string
	dict, key := map[string]string{}, "" // the last ones
	for _, l := range literals {
		preceding := strings.NewReplacer("(", "", ")", "").Replace(l.Preceding)
		if m := numberBehind.FindStringSubmatch(preceding); m != nil {
			dict[key] = m[1]
		}
		switch {
		case strings.HasSuffix(preceding, "={"):
			dict, key = map[string]string{}, l.Text
			dicts = append(dicts, dict)
		case l.Follows, preceding == ":":
			dict[key] += l.Text
		case strings.HasSuffix(preceding, ","):
			key = l.Text
		default: // of a list
			key = ""
		}
	}
	for _, dict := range dicts {
		b := binding{Grammar: dict["grammar"], Walkthrough: dict["walkthrough"], ROM: dict["rom"]}
		b.MaxWordLength, _ = strconv.Atoi(dict["max_word_length"]) // 0 without one
		out = append(out, b)
	}
	return out, err
}

func (b bindings) digest() string {
	var texts []string
	for _, name := range slices.Sorted(maps.Keys(b)) {
		texts = append(texts, name, b[name].Grammar, b[name].Walkthrough, fmt.Sprint(b[name].MaxWordLength))
	}
	return envs.Digest(texts...)
}
