package record

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"heldout/envs/sharedtest"
)

// sharded divides a run of 40 tasks into shards in a directory. It returns the episodes of each.
func sharded(t *testing.T, count int) (dir string, of [][]*Episode) {
	t.Helper()
	whole, episodes := indexedRun(t, 40)
	m := sharedtest.Must(ReadManifest(whole))(t)
	dir = t.TempDir()
	for i := range count {
		s := Shard{i + 1, count}
		sharedtest.OK(t, os.Mkdir(filepath.Join(dir, s.Dir()), 0o777))
		m.Shard = &s
		m.Sessions = []Session{{Started: time.Date(2026, 1, 2, 3, 4-i, 0, 0, time.UTC)}}
		content := sharedtest.Must(EncodeFile(m))(t)
		overwrite(t, filepath.Join(dir, s.Dir()), manifestFile, content)
		var own []*Episode
		for _, e := range episodes {
			if s.Contains(e.ID) {
				own = append(own, e)
			}
		}
		of = append(of, own)
	}
	return dir, of
}

// An index of shards has all their results while they are written, and knows a shard that begins late.
func TestIndexFollowsShards(t *testing.T) {
	dir, of := sharded(t, 3)
	late := filepath.Join(dir, "shard-3-of-3", manifestFile)
	aside := filepath.Join(t.TempDir(), manifestFile)
	sharedtest.OK(t, os.Rename(late, aside))
	x, err := OpenIndex(Parts{dir})
	if err != nil || x.Results().Len() != 0 || NameShards(x.Absent) != "shard 3/3" {
		t.Fatalf("%d results, absent %v, %v", x.Results().Len(), x.Absent, err)
	}
	have := 0
	check := func() {
		t.Helper()
		updated(t, x)
		if x.Results().Len() != have || len(x.Bad) != 0 {
			t.Fatalf("%d results, want %d; bad %v", x.Results().Len(), have, x.Bad)
		}
		for i := range x.Results().Len() {
			if e, err := x.Results().Episode(i); err != nil || e.ID != x.Results().Result(i).ID {
				t.Fatalf("result %d: %v", i, err)
			}
		}
	}
	for i := range of[0] {
		for s := range 2 {
			if i < len(of[s]) {
				appended(t, filepath.Join(dir, Shard{s + 1, 3}.Dir()), of[s][i])
				have++
				check()
			}
		}
	}
	sharedtest.OK(t, os.Rename(aside, late))
	check()
	appended(t, filepath.Dir(late), of[2]...)
	have += len(of[2])
	check()
	var want []string
	m := sharedtest.Must(EachEpisode(Parts{dir}, func(_ *Manifest, e *Episode) { want = append(want, e.ID) }))(t)
	if m.Shard != nil || m.Planned() != 40 || m.Sessions[0].Started.Minute() != 2 {
		t.Errorf("shard %v, %d planned, sessions %v", m.Shard, m.Planned(), m.Sessions)
	}
	var got []string
	for i := range x.Results().Len() {
		got = append(got, x.Results().Result(i).ID)
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" || len(x.Absent) != 0 {
		t.Errorf("absent %v; %s", x.Absent, diff)
	}
	overwrite(t, filepath.Dir(late), episodesFile, []byte("{}\n"))
	have -= len(of[2])
	updated(t, x)
	if x.Results().Len() != have || len(x.Bad) != 1 || !strings.HasPrefix(x.Bad[0].Cause.Error(), "shard-3-of-3: ") {
		t.Errorf("%d results, bad %v", x.Results().Len(), x.Bad)
	}
}

func TestTogether(t *testing.T) {
	dir, _ := sharded(t, 3)
	other, _ := sharded(t, 3)
	halves, _ := sharded(t, 2)
	whole, _ := indexedRun(t, 40)
	foreign, _ := indexedRun(t, 39)
	shard := func(dir string, s Shard) string { return filepath.Join(dir, s.Dir()) }
	a1, a2, a3, b3 := shard(dir, Shard{1, 3}), shard(dir, Shard{2, 3}), shard(dir, Shard{3, 3}),
		shard(other, Shard{3, 3})
	h2 := shard(halves, Shard{2, 2})
	alien := filepath.Join(t.TempDir(), "shard-2-of-3")
	sharedtest.OK(t, os.CopyFS(alien, os.DirFS(foreign)))
	for _, c := range []struct {
		name string
		dirs []string
		want []Parts
		told int
		err  string
	}{
		{"two runs", []string{whole, foreign}, []Parts{{whole}, {foreign}}, 0, ""},
		{"two runs of the same shards", []string{dir, other}, []Parts{{dir}, {other}}, 0, ""},
		{"shards of one run", []string{a1, b3, a2}, []Parts{{a1, b3, a2}}, 2, ""},
		{"a run and its shards", []string{whole, a1, a2}, []Parts{{whole}, {a1, a2}}, 1, ""},
		{"another division", []string{a1, h2}, []Parts{{a1}, {h2}}, 0, ""},
		{"another plan", []string{a1, alien}, []Parts{{a1}, {alien}}, 0, ""},
		{"twice", []string{dir, a3, dir}, []Parts{{dir}}, 2, ""},
		{"a part twice", []string{a3, dir}, nil, 0, "give every shard once"},
		{"nowhere", []string{filepath.Join(dir, "nowhere")}, nil, 0, "does not exist"},
	} {
		told := 0
		got, err := Together(c.dirs, func(string) { told++ })
		if c.err != "" {
			sharedtest.Fails(t, err, c.err, c.name)
			continue
		}
		if diff := cmp.Diff(c.want, got); err != nil || diff != "" || told != c.told {
			t.Errorf("%s: told %d, %v\n%s", c.name, told, err, diff)
		}
	}
}

// Shards of different plans are not read as one run, and the error says how they differ.
func TestPartsOfDifferentRuns(t *testing.T) {
	dir, _ := sharded(t, 2)
	change := func(name string, change func(*Manifest), want string) {
		second := filepath.Join(dir, "shard-2-of-2")
		m := sharedtest.Must(ReadManifest(second))(t)
		before := sharedtest.Must(EncodeFile(m))(t)
		change(m)
		g := &m.Groups[0]
		for i, task := range m.Environments[0].Tasks {
			g.Episodes[i] = sharedtest.Must(EpisodeID(m.Behaviour, task, g.Condition))(t)
		}
		after := sharedtest.Must(EncodeFile(m))(t)
		overwrite(t, second, manifestFile, after)
		for _, read := range []func() error{
			func() error { _, err := EachEpisode(Parts{dir}, nil); return err },
			func() error { _, err := OpenIndex(Parts{dir}); return err },
			func() error { _, err := Merge(filepath.Join(t.TempDir(), "out"), []string{dir}); return err },
		} {
			sharedtest.Fails(t, read(), want, name)
		}
		overwrite(t, second, manifestFile, before)
	}
	change("prompt", func(m *Manifest) { m.Groups[0].Condition.PromptHash = "other" }, "(prompt hash ")
	change("model", func(m *Manifest) { m.Groups[0].Condition.Model = "vllm:other" }, "there, vllm:other here)")
	change("data", func(m *Manifest) { m.Environments[0].Tasks[3].Digest = "other" },
		"other tasks of boxes, such as box/03")
	change("version", func(m *Manifest) { m.Behaviour++ }, "versions of heldout")
	change("tasks", func(m *Manifest) {
		m.Environments[0].Tasks, m.Groups[0].Episodes = m.Environments[0].Tasks[:9], m.Groups[0].Episodes[:9]
	}, "40 and 9 tasks of boxes")
}

// The status of a run adds up the statuses of its shards that are up to date.
func TestStatusOfShards(t *testing.T) {
	dir, _ := sharded(t, 3)
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for i, age := range []time.Duration{0, time.Second, time.Hour} {
		s := open(t, filepath.Join(dir, Shard{i + 1, 3}.Dir()))
		left := float64(10 * (i + 1))
		sharedtest.OK(t, s.SetStatus(&Status{
			Updated: now.Add(-age), Started: now.Add(-age - time.Minute), Planned: 5, Done: 2, Concurrency: 4,
			RemainingSeconds: &left,
			InFlight:         []InFlight{{ID: "a", Started: now.Add(-age)}},
		}))
		closed(t, s)
	}
	got, err := Parts{dir}.Status(now.Add(-time.Minute))
	if err != nil || got.Planned != 10 || got.Done != 4 || got.Concurrency != 8 || *got.RemainingSeconds != 20 ||
		len(got.InFlight) != 2 ||
		!got.InFlight[0].Started.Before(got.InFlight[1].Started) ||
		!got.Started.Equal(now.Add(-time.Second-time.Minute)) || !got.Updated.Equal(now) {
		t.Errorf("%+v, %v", got, err)
	}
}

// Labels are read as they were set; without any, the file goes.
func TestLabels(t *testing.T) {
	p := Parts{t.TempDir()}
	want := Labels{Schema: Schema, Tags: []string{"paper", "héld-out"}, Note: "seed 3\nis odd <b>", Archived: true}
	for range 2 { // the second time, they replace those that are there
		sharedtest.OK(t, p.SetLabels(want))
		if got, err := p.Labels(); err != nil || !cmp.Equal(got, want) {
			t.Errorf("%+v, %v", got, err)
		}
	}
	sharedtest.OK(t, p.SetLabels(Labels{}))
	if entries, err := os.ReadDir(p[0]); err != nil || len(entries) > 0 {
		t.Errorf("%v, %v", entries, err)
	}
	if got, err := p.Labels(); err != nil || !cmp.Equal(got, Labels{}) {
		t.Errorf("%+v, %v", got, err)
	}
}

// What is beyond a limit is neither written nor read, and damage is found.
func TestLabelsLimits(t *testing.T) {
	p := Parts{t.TempDir()}
	for _, l := range []Labels{
		{Tags: strings.Split(strings.Repeat("t ", MaxTags), " ")}, {Tags: []string{strings.Repeat("é", MaxTag+1)}},
		{Tags: []string{""}}, {Note: strings.Repeat("é", MaxNote+1)}, {Note: "\xff"},
	} {
		sharedtest.Fails(t, p.SetLabels(l), "", l)
		b, err := EncodeFile(Labels{Schema: Schema, Tags: l.Tags, Note: l.Note})
		if err != nil || l.Note == "\xff" { // which JSON replaces
			continue
		}
		writeLabels(t, p, b)
		sharedtest.Fails(t, sharedtest.Err(p.Labels()), "", b)
	}
	sharedtest.OK(t, p.SetLabels(Labels{Tags: []string{"paper"}}))
	b := sharedtest.Must(os.ReadFile(p.labels()))(t)
	for _, damaged := range [][]byte{nil, []byte(strings.Replace(string(b), "paper", "pager", 1)),
		make([]byte, MaxLabels+1), []byte(`{"schema":99}`)} {
		writeLabels(t, p, damaged)
		sharedtest.Fails(t, sharedtest.Err(p.Labels()), labelsFile, damaged)
	}
}

func writeLabels(t *testing.T, p Parts, b []byte) {
	t.Helper()
	sharedtest.OK(t, os.WriteFile(filepath.Join(p[0], labelsFile), b, 0o666))
}

// Every episode is in exactly one shard, and shards have about the same size.
func TestShardsDivide(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		count := rapid.IntRange(1, 40).Draw(t, "count")
		sizes := make([]int, count)
		salt := rapid.Int().Draw(t, "salt")
		for i := range 100 * count {
			id := TrialID(fmt.Sprint(salt, i), 2)
			in := 0
			for s := range count {
				if (Shard{s + 1, count}).Contains(id) {
					in++
					sizes[s]++
				}
			}
			if in != 1 {
				t.Fatalf("%s is in %d shards of %d", id, in, count)
			}
		}
		for s, n := range sizes {
			if n < 50 || n > 150 {
				t.Errorf("shard %d of %d has %d of %d episodes", s+1, count, n, 100*count)
			}
		}
	})
}

func TestParseShard(t *testing.T) {
	for text, ok := range map[string]bool{"1/1": true, "3/8": true, "10000/10000": true, "0/3": false, "4/3": false,
		"3": false, "": false, "a/b": false, "1/10001": false, "-1/3": false, "1/2/3": false} {
		s, err := ParseShard(text)
		if (err == nil) != ok || ok && s.String() != text {
			t.Errorf("%q: %v, %v", text, s, err)
		}
	}
}

// Only directories with the exact names are shards.
func TestShardNames(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"shard-2-of-3", "shard-1-of-3", "shard-01-of-3", "shard-4-of-3", "shard-x", "other"} {
		sharedtest.OK(t, os.Mkdir(filepath.Join(dir, name), 0o777))
	}
	sharedtest.OK(t, os.WriteFile(filepath.Join(dir, "shard-3-of-3"), nil, 0o666))
	got, err := Shards(dir)
	if err != nil || len(got) != 2 || !strings.HasSuffix(got[0], "shard-1-of-3") {
		t.Errorf("%q, %v", got, err)
	}
}
