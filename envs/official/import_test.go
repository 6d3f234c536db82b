package official

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"heldout/envs/sharedtest"
)

// counts are the numbers of files that the official archives hold.
var counts = map[string]int{
	"alfworld/games": 134, "alfworld/labels": 1, "babyai/labels": 1, "hotpotqa/questions": 1, "jericho/labels": 1,
	"jericho/stories": 20, "pddl/labels": 1, "pddl/problems": 64, "sciworld/labels": 1,
}

func TestImportArchives(t *testing.T) {
	sharedtest.Heavy(t)
	t.Parallel()
	p := officialArchives(t)
	dir := t.TempDir()
	files := map[string][]byte{"one": p.agentboard, "two": p.code, "three.json": p.questions}
	for name, content := range files {
		check(t, os.WriteFile(filepath.Join(dir, name), content, 0o600))
	}
	o := options(t, nil)
	found, err := Import(context.Background(), o, []string{dir})
	check(t, err)
	sharedtest.Same(t, found, counts)
	sharedtest.Same(t, stateOf(t, o.Dir), everything)
}

// Names and folders do not matter where the bytes are known.
func TestImportByContent(t *testing.T) {
	t.Parallel()
	root := sharedtest.AgentBoard(t)
	flat := t.TempDir()
	n := 0
	check(t, filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(file)
		n++
		return errors.Join(err, os.WriteFile(filepath.Join(flat, strings.Repeat("f", n%7)+string(rune('a'+n%26))+
			sumOf(b)[:8]), b, 0o600))
	}))
	check(t, os.Symlink(flat, filepath.Join(flat, "circle")))
	check(t, os.WriteFile(filepath.Join(flat, "notes.txt.gz"), []byte("\x1f\x8bnot really"), 0o600))
	check(t, os.Remove(filepath.Join(flat, "notes.txt.gz")))
	o := options(t, nil)
	found, err := Import(context.Background(), o, []string{flat})
	check(t, err)
	want := map[string]int{}
	for id, count := range counts {
		want[id] = count
	}
	delete(want, "jericho/labels") // which is not published on its own
	sharedtest.Same(t, found, want)
}

// Splits whose files are not known are known by their paths and form.
func TestImportSplits(t *testing.T) {
	game := `{"pddl_domain": "", "grammar": "", "pddl_problem": "", "solvable": true}`
	archive := filepath.Join(t.TempDir(), "splits.zip")
	check(t, os.WriteFile(archive, zipped(t,
		member{name: "json_2.1.1/valid_seen/pick-A/trial_1/game.tw-pddl", content: game},
		member{name: "json_2.1.1/train/pick-A/trial_2/game.tw-pddl", content: game + " "},
		member{name: "json_2.1.1/elsewhere/pick-A/trial_2/game.tw-pddl", content: game},
		member{name: "json_2.1.1/train/pick-A/trial_2/traj_data.json", content: "{}"},
	), 0o600))
	o := options(t, nil)
	found, err := Import(context.Background(), o, []string{archive})
	check(t, err)
	sharedtest.Same(t, found, map[string]int{"alfworld/valid_seen": 1, "alfworld/train": 1})
	if got := stateOf(t, o.Dir); got["alfworld/train"] != Incomplete {
		t.Errorf("%v", got)
	}
}

func TestImportRefusals(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, content []byte) string {
		file := filepath.Join(dir, name)
		check(t, os.WriteFile(file, content, 0o600))
		return file
	}
	for want, paths := range map[string][]string{
		"no such file": {filepath.Join(dir, "nowhere")},
		"is damaged": {
			write("half.tar.gz", tarGz(t, member{name: "a", content: labels("jericho", 20)})[:100])},
		"leads outside":                   {write("evil.zip", zipped(t, member{name: "../a", content: "x"}))},
		"left out (1): babyai/test.jsonl": {write("own.jsonl", []byte(labels("babyai", 112)))},
		"two different files for jericho/test.js": {write("a.jsonl", []byte(labels("jericho", 20))),
			write("b.jsonl", []byte(labels("jericho", 19)))},
		"pipe or a device": {os.DevNull},
	} {
		o := options(t, nil)
		_, err := Import(context.Background(), o, paths)
		sharedtest.Fails(t, err, want)
		if got := visible(t, o.Dir); len(got) > 0 {
			t.Errorf("%s: the folder holds %q", want, got)
		}
	}
}

// A link that stands where a label file should is not followed.
// An archive of very many members is given up, soon: looking at one costs little.
func TestImportManyMembers(t *testing.T) {
	sharedtest.Heavy(t)
	members := make([]member, usualLimits.members+1)
	for i := range members {
		members[i].name = fmt.Sprintf("d/f%d.pddl", i)
	}
	file := filepath.Join(t.TempDir(), "many.tar.gz")
	check(t, os.WriteFile(file, tarGz(t, members...), 0o600))
	if _, err := Import(t.Context(), options(t, nil), []string{file}); err == nil ||
		!strings.Contains(err.Error(), "the archive has more than 131072 members") {
		t.Error(err)
	}
}

func TestLinksAreNotFollowed(t *testing.T) {
	owner := &owner{files: map[string][]byte{"/data.tar.gz": tarGz(t,
		member{name: "data/babyai/test.jsonl", content: "/etc/passwd", link: true})}}
	o := options(t, serve(t, owner, "agentboard=/data.tar.gz"), "babyai")
	sharedtest.Fails(t, fetch(o), "links were not followed (1): data/babyai/test.jsonl")
}

func FuzzIdentify(f *testing.F) {
	f.Add("data/babyai/test.jsonl", []byte(labels("babyai", 1)))
	f.Add("json_2.1.1/train/a/b/game.tw-pddl", []byte(`{"pddl_problem": ""}`))
	f.Add("x/../json_2.1.1/train/../../game.tw-pddl", []byte(`{"pddl_problem": ""}`))
	finder := newFinder()
	f.Fuzz(func(t *testing.T, name string, content []byte) {
		file, part, ok := finder.identify(name, content, sumOf(content))
		if ok && (part.Folder == "" || !filepath.IsLocal(filepath.FromSlash(file))) {
			t.Errorf("%q belongs nowhere", file)
		}
	})
}

func FuzzContentRange(f *testing.F) {
	f.Add("bytes 5-9/10")
	f.Add("bytes 5-9/*")
	f.Fuzz(func(t *testing.T, header string) {
		if from, _, err := contentRange(header); err == nil && from < 0 {
			t.Errorf("%q starts at %d", header, from)
		}
	})
}

// laterGames is a folder with ALFWorld's unseen games in the form of 0.4 and later, as far as that
// is read: see TestPublishedGrammars of envs/alfworld.
func laterGames(t *testing.T, folder string) (files []string) {
	t.Helper()
	root := filepath.Join(sharedtest.AgentBoard(t), "alfworld/json_2.1.1/valid_unseen")
	words := strings.NewReplacer("You arrive at {lend.name}.", "You arrive at {r.name}.",
		"You put the {o.name} in/on the {r.name}.", "You move the {o.name} to the {r.name}.",
		"put {o} in/on {r}", "move {o} to {r}")
	games, err := filepath.Glob(filepath.Join(root, "*", "*", gameName))
	check(t, err)
	for _, file := range games {
		b, err := os.ReadFile(file)
		check(t, err)
		var fields map[string]any
		check(t, json.Unmarshal(b, &fields))
		fields["grammar"] = words.Replace(fields["grammar"].(string)) +
			"\naction help {\n template :: \"help\";\n feedback :: \"Help.\";\n}\n"
		b, err = json.Marshal(fields)
		check(t, err)
		name, err := filepath.Rel(root, file)
		check(t, err)
		file = filepath.Join(folder, name)
		check(t, os.MkdirAll(filepath.Dir(file), 0o777))
		check(t, os.WriteFile(file, b, 0o666))
		files = append(files, file)
	}
	return files
}

// ALFWorld's games of 0.4 and later are another version of the published ones: wherever they lie,
// as long as they are there and as they were.
func TestLaterGames(t *testing.T) {
	sharedtest.Heavy(t)
	dir := t.TempDir()
	files := laterGames(t, filepath.Join(dir, "json_2.1.3", "valid_unseen"))
	games := func() Finding {
		found, err := Check(dir, []string{"alfworld"})
		check(t, err)
		return found[0]
	}
	if f := games(); f.State != Accepted || f.Republished != 134 || f.Have != 134 || !f.Usable() {
		t.Errorf("%s, %d of %d, %d of another version", f.State, f.Have, f.Want, f.Republished)
	}
	b, err := os.ReadFile(files[7])
	check(t, err)
	check(t, os.WriteFile(files[7], bytes.Replace(b, []byte("(:init"), []byte("(:init (checked loc_x)"), 1), 0o666))
	if f := games(); f.State != Changed || len(f.Changed) != 1 {
		t.Errorf("%s, changed %q", f.State, f.Changed)
	}
	check(t, os.RemoveAll(filepath.Dir(files[7])))
	if f := games(); f.State != Incomplete || f.Have != 133 || f.Republished != 133 {
		t.Errorf("%s, %d of %d, %d of another version", f.State, f.Have, f.Want, f.Republished)
	}
}

// The later games are imported without further ado, links to them and compressed ones too; they
// replace no published game.
func TestImportLaterGames(t *testing.T) {
	sharedtest.Heavy(t)
	dir := t.TempDir()
	folder := filepath.Join(dir, "valid_unseen")
	files := laterGames(t, folder)
	store := t.TempDir()
	for i, file := range files[:20] {
		kept := filepath.Join(store, fmt.Sprint(i))
		check(t, os.Rename(file, kept))
		check(t, os.Symlink(kept, file))
	}
	for _, file := range files[20:40] {
		b, err := os.ReadFile(file)
		check(t, err)
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		_, err = z.Write(b)
		check(t, errors.Join(err, z.Close(), os.WriteFile(file+".gz", packed.Bytes(), 0o666), os.Remove(file)))
	}
	link := filepath.Join(t.TempDir(), "games")
	check(t, os.Symlink(dir, link))
	o := options(t, nil)
	for range 2 { // the second time they are there
		found, err := Import(t.Context(), o, []string{link})
		check(t, err)
		sharedtest.Equal(t, found["alfworld/games"], 134, found)
		sharedtest.Equal(t, stateOf(t, o.Dir)["alfworld/games"], Accepted, found)
	}
	published, err := filepath.Abs(filepath.Join(sharedtest.AgentBoard(t), "alfworld"))
	check(t, err)
	t.Chdir(folder)
	here := options(t, nil)
	if found, err := Import(t.Context(), here, []string{"."}); err != nil || found["alfworld/games"] != 134 {
		t.Errorf("%v, %v", found, err)
	}
	here = options(t, nil)
	found, err := Import(t.Context(), here, []string{".", published})
	if err != nil || found["alfworld/games"] != 134 ||
		stateOf(t, here.Dir)["alfworld/games"] != Complete {
		t.Errorf("%v, %v", found, err)
	}
	if _, err := Import(t.Context(), here, []string{"."}); err == nil ||
		!strings.Contains(err.Error(), "left out (134)") || stateOf(t, here.Dir)["alfworld/games"] != Complete {
		t.Errorf("%v", err)
	}
}
