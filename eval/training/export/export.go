// Package export writes episodes and verified trajectories as training data, in the
// forms that trainers read: conversations as they were played, with the turns that a
// model is trained on.
package export

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"heldout/eval/episode"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/catalog"
	"heldout/eval/bench"
	"heldout/eval/training/synth"
	"heldout/scoring/record"
)

// Options say what is exported, and how.
type Options struct {
	// Sources are run directories, directories that hold some, and files of verified
	// trajectories.
	Sources []string
	Format  Format
	// Out is the name of the file; Force replaces what has it. The files of parts have
	// the name of the part in theirs. Folder says that Out is in a folder of its own, which a
	// hub takes as it is: with Parquet files and a card. Again is the command that makes it.
	Out    string
	Folder bool
	Again  string
	Force  bool
	// Mask are the rules by which replies are not trained on.
	Mask   []Mark
	Filter Filter
	// Duplicates is a rule of duplicateRules.
	Duplicates string
	// Parts are the parts that tasks are divided into by chance; nil for one. Seed is
	// that of the division.
	Parts []Part
	Seed  int64
	// TestTasks allows tasks that a benchmark tests with, DropTests leaves them out. With
	// neither they are an error, except for those that a generator drew by chance.
	TestTasks, DropTests bool
	// Balance bounds the episodes of a task and of a kind.
	Balance Balance
	// Labels says whose labels the steps of the format prm have: ByEnvironment,
	// ByProgress, or the folder of a judge.
	Labels string
	// Tokenizer is the tokenizer.json by which lengths are counted; empty to go by
	// characters. Window is the longest example in tokens, 0 for any.
	Tokenizer string
	Window    int
	// Thoughts are the sentences that experts think; none without any. Seed draws them.
	Thoughts configs.Thoughts
	// Written is the folder of thoughts that a model wrote; empty without one.
	Written string
	// Texts are where prompts come from.
	Texts bench.Texts
	Tool  record.Tool
}

// The rules for duplicates.
const (
	// KeepAll takes all.
	KeepAll = "none"
	// SameMessages leaves out a conversation whose messages were there before.
	SameMessages = "messages"
	// SameActions leaves out an episode of a task whose actions were there before, in
	// the same order.
	SameActions = "actions"
)

// duplicateRules are the values of Options.Duplicates.
func duplicateRules() []string { return []string{SameMessages, SameActions, KeepAll} }

// ParseMask reads the rules of a mask, or "none".
func ParseMask(text string) ([]Mark, error) {
	if text == "none" {
		return nil, nil
	}
	var out []Mark
	for name := range strings.SplitSeq(text, ",") {
		if !slices.Contains(Marks(), Mark(name)) {
			return nil, fmt.Errorf("mask is %q, want none, or some of %s", text,
				strings.Trim(fmt.Sprint(Marks()), "[]"))
		}
		if !slices.Contains(out, Mark(name)) {
			out = append(out, Mark(name))
		}
	}
	slices.SortFunc(out, func(a, b Mark) int { return slices.Index(Marks(), a) - slices.Index(Marks(), b) })
	return out, nil
}

// Check reports options that cannot be.
func (o Options) Check() error {
	var errs []error
	fail := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if err := o.Format.Check(); err != nil {
		return err
	}
	if base := strings.TrimSuffix(filepath.Base(o.Out), o.Format.Extension()); base == "" ||
		base == filepath.Base(o.Out) {
		fail("out is %q, want a name that ends in %s: trainers go by it", o.Out, o.Format.Extension())
	}
	if !slices.Contains(duplicateRules(), o.Duplicates) {
		fail("duplicates is %q, want %s", o.Duplicates, strings.Join(duplicateRules(), ", "))
	}
	if !(o.Filter.Progress >= 0 && o.Filter.Progress <= 1) {
		fail("least-progress is %g, want 0 to 1", o.Filter.Progress)
	}
	if o.Filter.Recoveries < 0 {
		fail("least-recoveries is %d, want at least 0", o.Filter.Recoveries)
	}
	if o.TestTasks && o.DropTests {
		fail("tasks that a benchmark tests with cannot be both allowed and dropped")
	}
	if o.Window < 0 {
		fail("window is %d, want at least 0", o.Window)
	}
	if o.Window > 0 && o.Format.whole() {
		fail("--window divides demonstrations, and %s has none", o.Format)
	}
	errs = append(errs, o.Balance.check())
	return errors.Join(errs...)
}

// TestTasksError says that tasks that a benchmark tests with would be exported.
type TestTasksError struct {
	Episodes int
	// Envs are their environments.
	Envs []string
}

// Error implements error.
func (e *TestTasksError) Error() string {
	return fmt.Sprintf(
		"%d episodes are of tasks that a benchmark tests with (%s): whatever their files are called, a model that "+
			"was trained on them cannot be measured with them; leave them out with --drop-test-tasks, or give "+
			"--allow-test-tasks, which marks them", e.Episodes, strings.Join(e.Envs, ", "))
}

// NothingError says that no episode is left to export.
type NothingError struct{ Report *Report }

// Error implements error.
func (e *NothingError) Error() string { return "nothing is left to export: " + e.Report.whatIsThere() }

// exporter is an export under way.
type exporter struct {
	Options
	sources   []source
	tests     bool // there are tasks that a benchmark tests with
	splitter  *splitter
	parts     []*writer
	report    *Report
	rebuilder map[*record.Condition]*rebuilder
	ids       map[string]bool
	seen      map[[16]byte]bool
	thinker   thinker
	measure   *measure
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

// rebuilder rebuilds the messages of a condition.
type rebuilder struct {
	*episode.Rebuilder
	env envs.Env // nil if no message needs it
}

// Run exports. Files have their names only if all goes well, and the manifest comes
// last.
func Run(ctx context.Context, o Options) (*Report, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	x := &exporter{
		Options: o, splitter: newSplitter(o.Parts, o.Seed), report: newReport(o),
		rebuilder: map[*record.Condition]*rebuilder{}, ids: map[string]bool{}, seen: map[[16]byte]bool{},
		thinker: thinker{Thoughts: o.Thoughts, seed: o.Seed},
		waiting: map[string][]*attempt{}, missing: map[string]int{},
		origins: map[string]map[envs.Source]bool{}, settings: map[string]map[string]bool{},
	}
	defer x.close()
	var err error
	if x.measure, err = newMeasure(o); err != nil {
		return nil, err
	}
	x.report.Lengths = x.measure.lengths
	if o.Written != "" {
		if x.thinker.written, err = readThoughts(o.Written); err != nil {
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
	if err := x.create(); err != nil {
		return nil, err
	}
	err = x.write(ctx)
	if err == nil && x.report.Taken == 0 {
		err = &NothingError{x.report}
	}
	if err == nil {
		err = x.commit()
	}
	if err != nil {
		x.abort()
		return nil, err
	}
	return x.report, nil
}

func (x *exporter) close() {
	for _, r := range x.rebuilder {
		if r.env != nil {
			bench.CloseEnv(r.env)
		}
	}
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
		x.report.Without += s.run.without
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

// originate notes where the tasks of a run come from.
func (x *exporter) originate(m *record.Manifest) {
	for _, e := range m.Environments {
		if x.origins[e.Name] == nil {
			x.origins[e.Name], x.settings[e.Name] = map[envs.Source]bool{}, map[string]bool{}
		}
		x.origins[e.Name][e.Source] = true
		said := []string{string(e.Source)}
		for _, name := range slices.Sorted(maps.Keys(e.Settings)) {
			said = append(said, name+" "+e.Settings[name])
		}
		x.settings[e.Name][strings.Join(said, " ")] = true
	}
}

// addTests counts the episodes of a run that would be taken and are of such tasks.
func (x *exporter) addTests(e *TestTasksError, r *run) {
	for id, counts := range r.counts {
		p := r.planned[id]
		if x.Filter.result(p.condition, counts) != "" || noChat(p.condition) != "" || r.use(p) != catalog.Test ||
			x.dropped(r, p) != "" {
			continue
		}
		e.Episodes++
		if !slices.Contains(e.Envs, p.condition.Env) {
			e.Envs = append(e.Envs, p.condition.Env)
		}
	}
	slices.Sort(e.Envs)
}

// dropped says why an episode of a task that a benchmark tests with is left out; "" if it
// is refused or allowed.
func (x *exporter) dropped(r *run, p planned) Reason {
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

// create begins the files.
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
	for _, p := range partNames(x.Parts) {
		f, err := Create(fileName(x.Out, x.Format.Extension(), p.Name, mark), x.Force)
		if err != nil {
			x.abort()
			return err
		}
		w := &writer{format: x.Format, file: f}
		x.parts = append(x.parts, w)
		part := PartReport{Part: p, File: filepath.Base(f.Name()), tasks: map[string]bool{}}
		if x.Folder {
			w.parquet, err = Create(strings.TrimSuffix(f.Name(), x.Format.Extension())+".parquet", x.Force)
			if err != nil {
				x.abort()
				return err
			}
			w.table, part.Parquet = newTable(x.Format, w.parquet), filepath.Base(w.parquet.Name())
		}
		x.report.Parts = append(x.report.Parts, part)
	}
	return nil
}

// abort removes what was written.
func (x *exporter) abort() {
	for _, w := range x.parts {
		w.abort()
	}
}

// write writes the examples, source by source.
func (x *exporter) write(ctx context.Context) error {
	for _, s := range x.sources {
		before := x.report.Taken
		var err error
		if s.run != nil {
			err = s.run.each(func(e *record.Episode, p planned) error { return x.episode(ctx, s.run, e, p) })
		} else {
			err = x.items(ctx, s.path)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", s.path, err)
		}
		about, err := hashSource(s)
		if err != nil {
			return err
		}
		about.Taken = x.report.Taken - before
		x.report.Sources = append(x.report.Sources, about)
	}
	return nil
}

// episode exports an episode, or counts why it is left out.
func (x *exporter) episode(ctx context.Context, r *run, e *record.Episode, p planned) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	x.report.Episodes++
	reason := x.Filter.result(p.condition, e.Rank())
	switch {
	case reason != "":
	case noChat(p.condition) != "":
		reason = noChat(p.condition)
	case x.dropped(r, p) != "":
		reason = x.dropped(r, p)
	case e.Trimmed > 0 || e.Forgotten > 0:
		reason = Shortened
	case x.ids[e.ID]:
		reason = Twice
	case x.unchosen[e.ID] != "":
		reason = x.unchosen[e.ID]
	default:
		reason = x.Filter.steps(e)
	}
	if reason != "" {
		x.report.Left[reason]++
		return x.arrived(e)
	}
	x.ids[e.ID] = true
	calls, err := x.calls(ctx, r, e, p)
	if err != nil {
		return err
	}
	if calls == nil {
		x.report.Left[Differs]++
		return x.arrived(e)
	}
	marked := marks(e.Trajectory, x.Mask)
	use := r.use(p)
	about := aboutEpisode(e, use)
	if x.Format.whole() {
		return x.compare(r, e, calls, marked, about)
	}
	taken, err := x.take(conversations(calls, marked), about, actionsOf(e))
	if err != nil || !taken {
		return err
	}
	x.report.masks(e, marked, calls)
	if use == catalog.Test {
		x.report.TestEpisodes++
	}
	return nil
}

// noChat says why the episodes of a condition are no conversations of texts; "" if they
// are.
func noChat(c *record.Condition) Reason {
	switch {
	case isExpert(c) && c.Preset == nil:
		return ""
	case c.Decoding == nil:
		return NoModel
	case c.Completions || c.Agent == configs.Completion:
		return Text
	case c.Agent == configs.ToolCall:
		return Called
	}
	return ""
}

// calls rebuilds the calls of an episode; nil if it is not as recorded.
func (x *exporter) calls(ctx context.Context, r *run, e *record.Episode, p planned) ([]episode.Call, error) {
	rebuild := x.played
	if isExpert(p.condition) {
		rebuild = x.expert
	}
	calls, err := rebuild(ctx, r, e, p)
	var differs *differsError
	if errors.As(err, &differs) {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		x.report.differs(e, differs.error)
		return nil, nil
	}
	if calls == nil {
		calls = []episode.Call{} // an episode without steps
	}
	return calls, err
}

// differsError says how an episode, played again, is not as recorded.
type differsError struct{ error }

// played rebuilds the calls of a model's episode.
func (x *exporter) played(ctx context.Context, r *run, e *record.Episode, p planned) ([]episode.Call, error) {
	b, err := x.rebuilderOf(r, p.condition)
	if err != nil {
		return nil, err
	}
	task := *p.task
	if b.env != nil {
		if task, err = bench.SameTask(b.env, task); err != nil {
			return nil, err
		}
	}
	return b.again(ctx, e, task)
}

// again rebuilds the calls of an episode; the error is a *differsError if it is not as
// recorded.
func (b *rebuilder) again(ctx context.Context, e *record.Episode, t envs.Task) ([]episode.Call, error) {
	calls, err := b.Calls(ctx, e, b.env, t)
	if err != nil && ctx.Err() == nil {
		err = &differsError{err}
	}
	return calls, err
}

// rebuilderOf returns the rebuilder of a condition.
func (x *exporter) rebuilderOf(r *run, c *record.Condition) (*rebuilder, error) {
	if known := x.rebuilder[c]; known != nil {
		return known, nil
	}
	texts, err := x.Texts.Of(r.manifest, *c)
	if err != nil {
		return nil, err
	}
	b := &rebuilder{}
	if b.Rebuilder, err = episode.NewRebuilder(*c, texts.Prompt, texts.Protocol, texts.Memory); err != nil {
		return nil, err
	}
	if b.NeedsWorld() {
		if b.env, err = bench.ReopenEnv(*c, x.Texts.Setup, x.Texts.Outside); err != nil {
			return nil,
				fmt.Errorf("the messages contain the actions that were possible, so %s has to be played again: %w",
					c.Env, err)
		}
	}
	x.rebuilder[c] = b
	return b, nil
}

// items exports a file of verified trajectories.
func (x *exporter) items(ctx context.Context, path string) error {
	f, err := openItems(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if x.Format.whole() {
		return fmt.Errorf("trajectories of files are demonstrations, of which the format %s has none", x.Format)
	}
	bare, err := synth.ReadItems(f, func(i *synth.Item) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		x.report.Episodes++
		if reason := x.Filter.item(i); reason != "" {
			x.report.Left[reason]++
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
		taken, err := x.take(itemConversation(i), aboutItem(i, id, task), actions)
		if taken {
			x.report.itemMasks(i)
		}
		return err
	})
	x.report.Uncovered = append(x.report.Uncovered, record.Uncovered(bare, path)...)
	return err
}

// take writes the conversations of an episode, unless there are none or they were there
// before.
func (x *exporter) take(conversations []Conversation, a about, actions []string) (bool, error) {
	switch {
	case len(conversations) == 0:
		x.report.Left[Nothing]++
		return false, nil
	case x.Format == OpenAI && slices.ContainsFunc(conversations, Conversation.hasEmpty):
		x.report.Left[Refused]++
		return false, nil
	}
	if x.duplicate(conversations, a, actions) {
		x.report.Left[Duplicate]++
		return false, nil
	}
	task := taskName(a.Env, a.Task)
	part := x.splitter.part(task)
	w, p := x.parts[part], &x.report.Parts[part]
	before := p.Examples
	for _, c := range conversations {
		if err := x.conversation(c, a, w, p); err != nil {
			return false, fmt.Errorf("writing %s: %w", w.file.Name(), err)
		}
	}
	if p.Examples == before {
		x.report.Left[TooLong]++
		return false, nil
	}
	p.Episodes++
	p.tasks[x.splitter.root(task)] = true
	x.report.take(a, len(conversations))
	return true, nil
}

// conversation writes the examples of a conversation, as long as the window allows.
func (x *exporter) conversation(c Conversation, a about, w *writer, p *PartReport) error {
	parts := []Conversation{c}
	if !x.Format.expanded() {
		var err error
		if parts, err = x.measure.windows(c); err != nil {
			return err
		}
	}
	for _, part := range parts {
		err := x.Format.examples(part, x.measure, func(messages []Message, e example) error {
			n, err := x.measure.of(messages)
			if err != nil {
				return err
			}
			x.measure.note(n)
			p.Examples++
			about := a
			about.Tokens = n
			return w.write(e(about))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// duplicate reports an episode that was there before, by the rule in force.
func (x *exporter) duplicate(conversations []Conversation, a about, actions []string) bool {
	key, ok := x.duplicateKey(conversations, a, actions)
	if !ok || x.seen[key] {
		return ok
	}
	x.seen[key] = true
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
	out := make([]string, len(e.Trajectory))
	for i, s := range e.Trajectory {
		out[i] = s.Action
	}
	return out
}
