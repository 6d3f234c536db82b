// Package export writes episodes and verified trajectories as training data, in the forms that trainers read:
// conversations as they were played, with the turns that a model is trained on.
package export

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"heldout/envs"
	"heldout/envs/catalog"
	"heldout/envs/datafile"
	"heldout/eval/bench"
	"heldout/eval/episode"
	"heldout/eval/training/synth"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

type exporter struct {
	Options
	form
	sources  []recordSource
	tests    bool // there are tasks that a benchmark tests with
	splitter *splitter
	files    files
	report   *Account
	prompts  bench.Prompts
	experts  map[*record.Condition]*episode.Rebuilder
	ids      map[string]bool
	hashes   map[[16]byte]bool
	thinker  thinker
	measure  *measure
	// origins are where tasks come from, settings which those are, by environment.
	origins  map[string]map[envs.Source]bool
	settings map[string]map[string]bool
	labels   turnLabels        // of a judge
	unchosen map[string]Reason // by id, of episodes that Balance leaves out
	// waiting are the episodes of tasks for forms that compare them, missing the numbers
	// of those that are still to come, by task.
	waiting map[string][]*attempt
	missing map[string]int
}

// Run exports. Files have their names only if all goes well, and the manifest comes last.
func Run(ctx context.Context, o Options) (*Account, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	x := &exporter{
		Options: o, form: o.Format.form(), splitter: newSplitter(o.Parts, o.Seed), report: newReport(o),
		prompts: bench.Prompts{Worlds: &bench.Worlds{Texts: o.Texts}},
		experts: map[*record.Condition]*episode.Rebuilder{}, ids: map[string]bool{}, hashes: map[[16]byte]bool{},
		thinker: thinker{Thoughts: o.Thoughts, seed: o.Seed},
		waiting: map[string][]*attempt{}, missing: map[string]int{},
		origins: map[string]map[envs.Source]bool{}, settings: map[string]map[string]bool{},
	}
	var err error
	if x.measure, err = newMeasure(o); err != nil {
		return nil, err
	}
	x.report.Lengths = x.measure.lengths
	if o.ThoughtsDir != "" {
		if x.thinker.thoughts, err = readThoughts(o.ThoughtsDir); err != nil {
			return nil, err
		}
	}
	if o.Format == PRM && o.Labels != ByEnvironment && o.Labels != ByProgress {
		if x.labels, err = readLabels(o.Labels); err != nil {
			return nil, err
		}
	}
	if err := x.survey(ctx); err != nil {
		return nil, err
	}
	x.files.force = o.Force
	if err := x.files.end(x.write(ctx)); err != nil {
		return nil, err
	}
	return x.report, nil
}

// survey finds the sources, and refuses tasks that are for tests.
func (x *exporter) survey(ctx context.Context) (err error) {
	if x.sources, err = findSources(x.Sources); err != nil {
		return err
	}
	refused := &TestTasksError{}
	for i := range x.sources {
		s := &x.sources[i]
		if err := ctx.Err(); err != nil {
			return err
		}
		if s.run == nil {
			continue
		}
		if err := s.run.survey(); err != nil {
			return err
		}
		for _, e := range s.run.manifest.Environments {
			for _, t := range e.Tasks {
				x.splitter.add(e.Name, t)
			}
		}
		x.originate(s.run.manifest)
		x.report.Unfinished += s.run.unfinished
		x.report.Uncovered = append(x.report.Uncovered, s.run.manifest.Uncovered...)
		x.addTests(refused, s.run)
	}
	x.choose()
	x.await()
	x.tests = refused.Episodes > 0
	if x.tests && !x.TestTasks {
		return refused
	}
	return nil
}

func (x *exporter) originate(m *record.Manifest) {
	for _, e := range m.Environments {
		if x.origins[e.Name] == nil {
			x.origins[e.Name], x.settings[e.Name] = map[envs.Source]bool{}, map[string]bool{}
		}
		x.origins[e.Name][e.Source] = true
		words := []string{string(e.Source)}
		for _, name := range slices.Sorted(maps.Keys(e.Settings)) {
			words = append(words, name+" "+e.Settings[name])
		}
		x.settings[e.Name][strings.Join(words, " ")] = true
	}
}

// addTests counts the episodes of a run that would be taken and play such tasks.
func (x *exporter) addTests(e *TestTasksError, r *runSource) {
	for id, counts := range r.counts {
		p := r.planned[id]
		if r.use(p) != catalog.Test || x.unfit(r, p, counts) != "" {
			continue
		}
		e.Episodes++
		if !slices.Contains(e.Envs, p.condition.Env) {
			e.Envs = append(e.Envs, p.condition.Env)
		}
	}
	slices.Sort(e.Envs)
}

// unfit says why an episode is left out, as far as result, condition and task tell; "" if it may be taken.
func (x *exporter) unfit(r *runSource, p planned, result record.Rank) Reason {
	return cmp.Or(x.Filter.result(p.condition, result), noChat(p.condition), x.dropped(r, p))
}

// dropped says why an episode of a task that a benchmark tests with is left out; "" if it is refused or allowed.
func (x *exporter) dropped(r *runSource, p planned) Reason {
	switch {
	case x.TestTasks || r.use(p) != catalog.Test:
		return ""
	case catalog.ByChance(p.env.Info, *p.task):
		return DrawnTest
	case x.DropTests:
		return TestTask
	}
	return ""
}

func (x *exporter) create() error {
	if x.Folder {
		if err := os.MkdirAll(filepath.Dir(x.Out), 0o777); err != nil {
			return err
		}
	}
	mark := ""
	if x.tests && x.Format == OpenAI { // whose examples have no place for the mark
		mark = "with-test-tasks"
	}
	parts := x.Parts
	if len(parts) == 0 {
		parts = []Division{{Share: 1}}
	}
	for _, p := range parts {
		part := PartReport{Division: p, tasks: map[string]bool{}}
		var err error
		if part.file, err = x.files.create(fileName(x.Out, x.Format.Extension(), p.Name, mark)); err != nil {
			return err
		}
		part.File = filepath.Base(part.file.Name())
		if x.Folder {
			name := strings.TrimSuffix(part.file.Name(), x.Format.Extension()) + ".parquet"
			if part.parquet, err = x.files.create(name); err != nil {
				return err
			}
			part.Parquet = filepath.Base(name)
		}
		x.report.Parts = append(x.report.Parts, part)
	}
	return nil
}

// write writes all files, under their unfinished names.
func (x *exporter) write(ctx context.Context) error {
	if err := x.create(); err != nil {
		return err
	}
	for _, s := range x.sources {
		start := x.report.Used
		var err error
		if s.run != nil {
			err = s.run.forEach(func(e *record.Episode, p planned) error { return x.episode(ctx, s.run, e, p) })
		} else {
			err = x.items(ctx, s.path)
		}
		if err != nil {
			return datafile.Named(s.path, err)
		}
		about, err := hashSource(s)
		if err != nil {
			return err
		}
		about.Used = x.report.Used - start
		x.report.Sources = append(x.report.Sources, about)
	}
	if x.report.Used == 0 {
		return &NothingError{x.report}
	}
	return x.complete()
}

// episode exports an episode, or counts why it is left out.
func (x *exporter) episode(ctx context.Context, r *runSource, e *record.Episode, p planned) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	x.report.Episodes++
	reason := x.unfit(r, p, e.Rank())
	switch {
	case reason != "":
	case e.Trimmed > 0 || e.Forgotten > 0:
		reason = Shortened
	case x.ids[e.ID]:
		reason = Twice
	default:
		reason = cmp.Or(x.unchosen[e.ID], x.Filter.steps(e))
	}
	if reason != "" {
		x.report.Omitted[reason]++
		return x.arrived(e)
	}
	x.ids[e.ID] = true
	x.report.digests[e.ID] = catalog.Digest(e.Env, *p.task)
	calls, err := x.calls(ctx, r, e, p)
	if err != nil {
		return err
	}
	if calls == nil {
		x.report.Omitted[Differs]++
		return x.arrived(e)
	}
	marked := marks(e.Trajectory, x.Mask)
	use := r.use(p)
	about := aboutEpisode(e, use)
	if x.needsAll() {
		return x.compare(e, calls, marked, about)
	}
	exported, err := x.take(conversations(calls, marked), about, actionsOf(e))
	if err != nil || !exported {
		return err
	}
	x.report.masks(e, marked, calls)
	if use == catalog.Test {
		x.report.TestEpisodes++
	}
	return nil
}

func (x *exporter) items(ctx context.Context, path string) error {
	f, err := datafile.Open(path, datafile.Unlimited)
	if err != nil {
		return err
	}
	defer f.Close()
	if x.needsAll() {
		return fmt.Errorf("trajectories of files are demonstrations, of which the format %s has none", x.Format)
	}
	bare, err := synth.ReadItems(path, f, func(i *synth.Item) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		x.report.Episodes++
		if reason := x.Filter.item(i); reason != "" {
			x.report.Omitted[reason]++
			return nil
		}
		task := itemTask(i)
		id := i.ID
		if id == "" {
			id = fmt.Sprintf("%s/%d", strings.TrimPrefix(task, "script/"), i.Line)
		}
		var actions []string
		for _, t := range i.Turns {
			if !t.Master {
				actions = append(actions, t.Action)
			}
		}
		exported, err := x.take(itemConversation(i), aboutItem(i, id, task), actions)
		if exported {
			x.report.itemMasks(i)
		}
		return err
	})
	x.report.Uncovered = append(x.report.Uncovered, record.Uncovered(bare, path)...)
	return err
}

// take writes the conversations of an episode, unless there are none or they were there before.
func (x *exporter) take(conversations []Conversation, a about, actions []string) (bool, error) {
	switch {
	case len(conversations) == 0:
		x.report.Omitted[Nothing]++
		return false, nil
	case x.Format == OpenAI && slices.ContainsFunc(conversations, Conversation.hasEmpty):
		x.report.Omitted[Refused]++
		return false, nil
	case x.duplicate(conversations, a, actions):
		x.report.Omitted[Duplicate]++
		return false, nil
	}
	p := x.part(a)
	start := p.Examples
	write := x.into(a, 1)
	for _, c := range conversations {
		if err := x.conversation(c, a, write); err != nil {
			return false, fmt.Errorf("writing %s: %w", p.file.Name(), err)
		}
	}
	if p.Examples == start {
		x.report.Omitted[TooLong]++
		return false, nil
	}
	x.report.take(a, len(conversations))
	return true, nil
}

// conversation writes the examples of a conversation, as long as the window allows.
func (x *exporter) conversation(c Conversation, a about, write func(example) error) error {
	if x.needs == trainedTurn {
		return c.forEach(func(turn int, prefix []Message) error {
			prefix, ok, err := x.measure.shortened(prefix)
			if !ok || err != nil {
				return err
			}
			last := len(prefix) - 1
			return write(example{about: a, turn: turn, prompt: prefix[:last], reply: prefix[last:]})
		})
	}
	parts, err := x.measure.windows(c)
	if err != nil {
		return err
	}
	for _, c := range parts {
		if err := write(example{about: a, prompt: c.Messages}); err != nil {
			return err
		}
	}
	return nil
}

// part is the part of a task.
func (x *exporter) part(a about) *PartReport {
	return &x.report.Parts[x.splitter.part(taskName(a.Env, a.Task))]
}

// into returns what writes examples into the part of a task, and counts them.
func (x *exporter) into(a about, episodes int) func(example) error {
	p := x.part(a)
	return func(e example) (err error) {
		p.tasks[x.splitter.root(taskName(a.Env, a.Task))] = true
		p.Episodes += episodes
		episodes = 0
		if e.Tokens, err = e.length(x.measure); err != nil {
			return err
		}
		x.measure.note(e.Tokens)
		p.Examples++
		return x.writeExample(p, e)
	}
}

// writeExample writes an example as a line, or one of AgentGym as an element of a list.
func (x *exporter) writeExample(p *PartReport, e example) error {
	text, err := datafile.Marshal(x.row(e))
	switch {
	case x.name != AgentGym:
		text = append(text, '\n')
	case p.Examples == 1:
		text = append([]byte("[\n"), text...)
	default:
		text = append([]byte(",\n"), text...)
	}
	if err == nil {
		_, err = p.file.Write(text)
	}
	return err
}

// duplicate reports an episode that was there before, by the rule in force.
func (x *exporter) duplicate(conversations []Conversation, a about, actions []string) bool {
	key, ok := x.duplicateKey(conversations, a, actions)
	if !ok || x.hashes[key] {
		return ok
	}
	x.hashes[key] = true
	return false
}

// duplicateKey is what equal episodes have in common by the rule in force.
func (x *exporter) duplicateKey(conversations []Conversation, a about, actions []string) (key [16]byte, ok bool) {
	h := sha256.New()
	add := func(text string) { fmt.Fprintf(h, "%d %s", len(text), text) }
	switch x.Duplicates {
	case SameActions:
		add(x.splitter.root(taskName(a.Env, a.Task)))
		for _, action := range actions {
			add(action)
		}
	case SameMessages:
		for _, c := range conversations {
			for _, m := range c.Messages {
				add(string(m.Role))
				add(m.Content)
			}
		}
	default:
		return key, false
	}
	copy(key[:], h.Sum(nil))
	return key, true
}

func actionsOf(e *record.Episode) []string {
	return table.Each(e.Trajectory, func(s record.Step) string { return s.Action })
}
