package jericho

import (
	"cmp"
	"crypto/md5"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"heldout/envs"
	"heldout/envs/datafile"
	"heldout/envs/engine/zmachine"
)

// The locations of files in the data folder.
const (
	suiteFolder   = "jericho/z-machine-games-master/jericho-game-suite"
	labelFile     = "jericho/test.jsonl"
	partialLabels = "jericho/partial_labels.json"
)

// unwritten is what the benchmark shows for a game whose texts it does not find.
const unwritten = "Not written yet."

// newOfficial reads the benchmark's 20 games.
func newOfficial(o Options, binds bindings) (*Env, error) {
	labels, raw, err := readLabels(o.Data)
	if err != nil {
		return nil, err
	}
	e := newEnv(envs.Official)
	read := []string{raw}
	foreign := false
	for i := range games {
		g, l := &games[i], labels[i]
		story, image, err := loadStory(o.Data, g)
		if err != nil {
			return nil, err
		}
		foreign = foreign || !l.original(g)
		goal, start := l.goal, l.start
		if g.Name == misfiled {
			goal, start = l.huntdark(o.Huntdark)
		}
		p := newPlay(g, story, g.Seed, binds[g.Name])
		p.goal, p.start, p.subgoals = goal, start, &l.subgoals
		e.add(p, g.Name, l.difficulty, image, goal, start, strings.Join(l.subgoals.texts, "\n"),
			fmt.Sprint(l.subgoals.n))
		read = append(read, image)
	}
	if labels[0].subgoals.partial {
		e.Set("labels", "partial")
		e.caveat("its sub-goals are known in part only, so progress is another measure")
	}
	if foreign {
		e.Set("texts", "not the benchmark's")
		e.caveat("goals or first texts are not the benchmark's")
	}
	if o.Huntdark == HuntdarkFixed {
		e.Set("huntdark", HuntdarkFixed)
		e.caveat("huntdark starts with other texts than in the benchmark")
	}
	e.note(binds)
	e.About.DataHash = envs.Digest(read...)
	return e, nil
}

// newPlain reads the games of the variant Jericho whose stories are there. It needs no labels.
func newPlain(o Options, binds bindings) (*Env, error) {
	e := newEnv(envs.Official)
	e.Set("variant", Jericho)
	var read []string
	var missing error
	for g := range allGames() {
		story, image, err := loadStory(o.Data, g)
		if errors.Is(err, fs.ErrNotExist) {
			missing = cmp.Or(missing, err)
			continue
		} else if err != nil {
			return nil, err
		}
		seed := cmp.Or(o.Seed, g.Seed)
		p := newPlay(g, story, seed, binds[g.Name])
		p.goal, p.plain = "Play "+g.Name+".", true
		e.add(p, g.Name, "", image, fmt.Sprint(seed))
		read = append(read, image)
	}
	if len(read) == 0 {
		return nil, missing
	}
	if o.Seed != 0 {
		e.Set("game-seed", fmt.Sprint(o.Seed))
	}
	if n := len(games) + len(talesGames); len(read) < n {
		e.caveat(fmt.Sprintf("%d of the %d games of TALES are there", len(read), n))
	}
	e.About.Unlayered = "texts and scores are Jericho's, without AgentBoard's layer"
	e.note(binds)
	e.About.DataHash = envs.Digest(read...)
	return e, nil
}

// loadStory reads a game's story and checks that it is the benchmark's file.
func loadStory(data string, g *game) (story *zmachine.Story, image string, err error) {
	file := filepath.Join(data, filepath.FromSlash(suiteFolder), g.File)
	b, err := readStory(file)
	if err != nil {
		return nil, "", err
	}
	if sum := fmt.Sprintf("%x", md5.Sum(b)); sum != g.MD5 {
		return nil, "", fmt.Errorf("%s is not the benchmark's file: its MD5 is %s, want %s; heldout data "+
			"pull jericho fetches it", file, sum, g.MD5)
	}
	if story, err = zmachine.Load(b); err != nil {
		err = fmt.Errorf("%s: %w", file, err)
	}
	return story, string(b), err
}

// caveat adds a reason why results do not compare with published ones.
func (e *Env) caveat(reason string) {
	if e.About.Caveat != "" {
		reason = e.About.Caveat + "; " + reason
	}
	e.About.Caveat = reason
}

// note says which templates the valid actions were made from.
func (e *Env) note(binds bindings) {
	if len(binds) > 0 {
		e.Set("bindings", binds.digest()[:12])
	}
}

func readStory(file string) ([]byte, error) {
	b, err := datafile.Read(file, datafile.MaxLabels)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, missingStory{file}
	}
	return b, err
}

// missingStory says that a story file is not there, as the reference does.
type missingStory struct{ file string }

func (m missingStory) Error() string { return fmt.Sprintf("Game file %s does not exist.", m.file) }

// Unwrap makes it one of the errors of missing files.
func (m missingStory) Unwrap() error { return fs.ErrNotExist }

func newStory(o Options, binds bindings) (*Env, error) {
	image, err := readStory(o.Story)
	if err != nil {
		return nil, err
	}
	story, err := zmachine.Load(image)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.Story, err)
	}
	name := strings.TrimSuffix(filepath.Base(o.Story), filepath.Ext(o.Story))
	g := identify(image, name)
	seed := cmp.Or(o.Seed, g.Seed)
	if o.Raw {
		uncleaned := *g
		uncleaned.Clean, uncleaned.HideStatus = cleaning{}, false
		g = &uncleaned
	}
	e := newEnv(envs.Official)
	e.About.DataHash = envs.Digest(string(image))
	p := newPlay(g, story, seed, binds[g.Name])
	p.goal, p.raw = "Play "+name+".", o.Raw
	e.add(p, name, "", string(image), fmt.Sprint(seed), fmt.Sprint(o.Raw))
	e.Set("story", filepath.Base(o.Story))
	e.Set("seed", fmt.Sprint(seed))
	e.note(binds)
	return e, nil
}

// identify finds a game by its file, or describes an unknown one; spec §3.5. The
// reference does not clean the text of unknown games, so the status line appears
// in the middle of the text. Here the status line and the prompt are left out.
func identify(image []byte, name string) *game {
	sum := fmt.Sprintf("%x", md5.Sum(image))
	for g := range allGames() {
		if g.MD5 == sum {
			return g
		}
	}
	return &game{Name: name, Clean: cleaning{Trim: true}, HideStatus: true, Player: 20,
		Victory: "****  You have won  ****", Death: "****  You have died  ****", WordLength: informWord}
}
