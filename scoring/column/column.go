// Package column declares the columns of tables: columns.json has their heads. Tables are made of these columns, and
// figures and the help read the same declarations.
package column

import (
	"cmp"
	_ "embed" // for the heads
	"math"
	"strconv"
	"strings"

	"heldout/envs/datafile"
	"heldout/scoring"
	"heldout/scoring/table"
)

//go:embed columns.json
var columnsText []byte

// declared are the heads of columns by their names: their keys, unless tables have one key with several heads.
var declared = datafile.Table[map[string]table.Column](columnsText)

// head is a declared head. It is a mistake of the program to ask for one that is not declared.
func head(name string) table.Column {
	c, ok := declared[name]
	if !ok {
		panic("no column is called " + name)
	}
	c.Key = cmp.Or(c.Key, name)
	return c
}

// Heads are the columns that a text names, one after the other. A "?" behind a name says that a narrow table may leave
// the column out. "+" adds the limits of its interval, which a narrow table may leave out alone if "?" follows, and "-"
// stands for the limits without the column.
func Heads(names string) (out []table.Column) {
	for name := range strings.FieldsSeq(names) {
		bare := strings.TrimRight(name, "?+-")
		marks, b := name[len(bare):], table.Rate(head(bare))
		detail := strings.Contains(marks, "?")
		b.Detail, b.Low.Detail, b.High.Detail = strings.HasPrefix(marks, "?"), detail, detail
		heads := b.Heads()
		switch {
		case strings.Contains(marks, "-"):
			heads = heads[1:]
		case !strings.Contains(marks, "+"):
			heads = heads[:1]
		}
		out = append(out, heads...)
	}
	return out
}

// Columns of many tables.
var (
	Environment = table.Words(head("environment"))
	Model       = table.Words(head("model"))
	Against     = table.Words(head("against"))
	Success     = table.Rate(head("success"))
	Progress    = table.Rate(head("progress"))
	Grounding   = table.Share(head("grounding"))
	TaskSet     = table.Words(head("task_set"))
	Tasks       = table.Count(head("tasks"))
	Seeds       = table.Count(head("seeds"))
	Trainings   = table.Count(head("trainings"))
	Episodes    = table.Count(head("episodes"))
	Planned     = table.Count(head("planned"))
	Rate        = table.Words(head("rate"))
	P           = table.Chance(head("p"))
	Value       = table.Rate(head("value"))
)

// Columns of headline, verdict, results, difficulty and abilities.
var (
	Letters = table.Words(head("letters"))

	Shows         = table.Words(head("claim"))
	Sensitivity   = table.Share(head("sensitivity"))
	Perturbations = table.Words(head("perturbations"))
	FamilyOfTests = table.Words(head("test_family"))
	Tests         = table.Count(head("tests"))
	Alone         = table.Limited(table.Difference(head("alone_difference")))
	AloneP        = table.Chance(head("alone_p"))
	Reason        = table.Words(head("reason"))
	Protocol      = table.Words(head("besides"))
	Sentence      = table.Words(head("sentence"))

	Agent    = table.Words(head("agent"))
	Finished = table.Count(head("finished"))

	EasyTasks    = table.Count(head("easy_tasks"))
	EasySuccess  = table.Share(head("easy_success"))
	EasyProgress = table.Share(head("easy_progress"))
	HardTasks    = table.Count(head("hard_tasks"))
	HardSuccess  = table.Share(head("hard_success"))
	HardProgress = table.Share(head("hard_progress"))

	Ability      = table.Words(head("ability"))
	AbilityScore = table.Rate(head("ability_score"))
	Weight       = table.Share(head("weight"))

	SuccessDeviation  = table.Share(head("success_sample_std"))
	ProgressDeviation = table.Share(head("progress_sample_std"))
)

// Columns of differences.
var (
	SuccessChange  = table.Limited(table.Difference(head("success_difference")))
	SuccessP       = table.Chance(head("success_p"))
	ProgressChange = table.Limited(table.Difference(head("progress_difference")))
	ProgressP      = table.Chance(head("progress_p"))
	Difference     = table.Limited(table.Difference(head("difference")))
)

// Columns of presets.
var (
	Preset       = table.Words(head("preset"))
	SHA256       = table.Words(head("sha256"))
	Metric       = table.Words(head("metric"))
	MetricValue  = table.Rate(head("metric_value"))
	LooseSuccess = table.Share(head("loose_success"))

	Printed     = table.Amount(head("printed"), amount)
	ResultKind  = table.Words(head("result_kind"))
	ReadIn      = table.Words(head("mark"))
	ResultPlace = table.Words(head("source"))
)

// Columns of families of perturbations.
var (
	Grade             = table.Count(head("grade"))
	Base              = table.Share(head("base"))
	InterfaceIndex    = table.Rate(head("interface"))
	ReadingIndex      = table.Rate(head("reading"))
	AdaptationCost    = table.Rate(head("adaptation_cost"))
	Worst             = table.Words(head("worst"))
	InterfaceSets     = table.Count(head("interface_perturbations"))
	InterfaceCounted  = table.Count(head("interface_counted"))
	MemoriserLoss     = table.Share(head("memoriser_loss"))
	ReaderLoss        = table.Share(head("reader_loss"))
	ReadingSets       = table.Count(head("reading_perturbations"))
	ReadingCounted    = table.Count(head("reading_counted"))
	ReciterLoss       = table.Share(head("reciter_loss"))
	ReaderReadingLoss = table.Share(head("reader_reading_loss"))
	Luck              = table.Share(head("luck"))
	DoseGrade         = table.Words(head("combined_grade"))
	Combined          = table.Count(head("families"))
	Sets              = table.Count(head("sets"))
	Family            = table.Words(head("family"))
	Perturbation      = table.Words(head("perturbation"))
	Actions           = table.Count(head("actions"))
	Old               = table.Rate(head("old"))
	Refused           = table.Count(head("refused"))
	Never             = table.Count(head("never"))
	MedianRelearn     = table.Count(head("median_steps"))
)

// Survival are the shares of refused episodes that use the new form within so many steps,
// in the order of refinement.SurvivalSteps.
var Survival = []table.Bounded{table.Rate(head("within_1")), table.Rate(head("within_3")),
	table.Rate(head("within_5")), table.Rate(head("within_10"))}

// Columns of sweeps.
var (
	Average    = table.Share(head("average"))
	Population = table.Share(head("population_std"))
	Sample     = table.Share(head("sample_std"))
	Loss       = table.Share(head("loss"))
)

// Sweep are the columns of a table of these conditions.
func Sweep(conditions []string) []table.Column {
	heads := Heads("model task_set rate")
	heads = append(heads, table.Each(conditions, func(name string) table.Column { return Condition(name).Column })...)
	return append(heads, Heads("average population_std sample_std loss")...)
}

// BaseCondition is the condition without a perturbation, as published tables call it.
const BaseCondition = "base"

// Condition is the rate under a condition of a sweep. The one without a perturbation is none for people: many models
// are called base.
func Condition(name string) table.Col[float64] {
	header := name
	if name == BaseCondition {
		header = "none"
	}
	return table.Share(table.Column{Key: conditionPrefix + name, Header: header,
		About: "the rate under this condition, in percent"})
}

// Columns of several tries and trials.
var (
	Tries        = table.Count(head("tries"))
	BestProgress = table.Rate(head("best_progress"))
	Pass         = table.Rate(head("pass"))
	PassAll      = table.Rate(head("pass_all"))

	Trial       = table.Count(head("trial"))
	BestTrial   = table.Share(head("best_trial_progress"))
	Same        = table.Count(head("same"))
	Cut         = table.Count(head("cut"))
	Reflections = table.Count(head("reflections"))
	Calls       = table.Count(head("calls"))
	TokensIn    = table.Count(head("prompt_tokens"))
	TokensOut   = table.Count(head("completion_tokens"))
)

// Columns of cost.
var (
	CachedTokens      = table.Count(head("cached_tokens"))
	ReasoningTokens   = table.Count(head("reasoning_tokens"))
	Dollars           = table.Amount(head("dollars"), dollars)
	DollarsPerEpisode = table.Amount(head("dollars_per_episode"), dollars)
	DollarsPerSolved  = table.Amount(head("dollars_per_solved"), dollars)
)

// dollars shows an amount with the digits that matter; nothing if there is none to divide by.
func dollars(amount float64) table.Cell {
	if math.IsNaN(amount) || math.IsInf(amount, 0) {
		return table.None()
	}
	digits := 2
	if amount != 0 && math.Abs(amount) < 1 {
		digits = 4
	}
	return table.Cell{Text: strconv.FormatFloat(amount, 'f', digits, 64), Value: amount}
}

// Paper is a rate as papers print it: with its standard deviation over seeds and its limits.
type Paper struct {
	table.Bounded
	Std table.Col[float64]
}

// OnPaper are the columns of a rate in a paper's table.
func OnPaper(key, header string) Paper {
	return Paper{table.Rate(table.Column{Key: key, Header: header, About: "the rate, in percent"}),
		table.Share(table.Column{Key: key + "_std", Header: "std",
			About: "standard deviation over seeds with divisor n-1, in percentage points"})}
}

// UsedColumn is a column of the mean of a quantity over episodes.
type UsedColumn struct {
	table.Col[float64]
	Quantity scoring.Quantity
}

// In is the column in a place of a paper's table.
func (c UsedColumn) In(place string) table.Col[float64] {
	c.Key = place + "_" + c.Key
	return c.Col
}

// Used are the columns of what episodes used, as papers print it.
var Used = []UsedColumn{
	{table.Amount(head("solved_steps"), amount), scoring.SolvedSteps},
	{table.Amount(head("mean_steps"), amount), scoring.Steps},
	{table.Amount(head("mean_prompt_tokens"), amount), scoring.PromptTokens},
	{table.Amount(head("mean_completion_tokens"), amount), scoring.CompletionTokens},
}

// Heads implements table.Declared.
func (p Paper) Heads() []table.Column { return table.Columns(p.Bounded, p.Std) }

// Columns of what models do with their errors.
var (
	OldForm  = table.Share(head("old_form"))
	Measure  = table.Words(head("measure"))
	Measured = table.Rate(head("measure_value"))
	Unit     = table.Words(head("unit"))
)

// Columns of tables behind figures.
var (
	Origin     = table.Words(head("from"))
	Kind       = table.Words(head("kind"))
	KindHead   = table.Words(head("head"))
	TaskNo     = table.Count(head("index"))
	Task       = table.Words(head("task"))
	Type       = table.Words(head("type"))
	Seed       = table.Count(head("seed"))
	Step       = table.Count(head("step"))
	Lost       = table.Count(head("lost_steps"))
	CutOff     = table.Share(head("lost_cut_off"))
	Format     = table.Share(head("lost_format"))
	Invalid    = table.Share(head("lost_invalid"))
	Loops      = table.Share(head("lost_loops"))
	OtherValid = table.Share(head("lost_other"))

	Unsolved        = table.Count(head("unsolved_episodes"))
	SolvedEpisodes  = table.Count(head("solved"))
	EndedEarly      = table.Count(head("early"))
	StepLimit       = table.Count(head("limit"))
	ContextExceeded = table.Count(head("context_exceeded"))
	ModelError      = table.Count(head("model_error"))
	AgentError      = table.Count(head("agent_error"))
	EnvError        = table.Count(head("env_error"))
	NotRun          = table.Count(head("not_run"))

	Quantity = table.Words(head("quantity"))
	Mean     = table.Amount(head("mean"), amount)
	Tenth    = table.Amount(head("quantile_10"), amount)
	Median   = table.Amount(head("median"), amount)
	Ninth    = table.Amount(head("quantile_90"), amount)
)

// amount shows a number with three digits or more; nothing if it is none.
func amount(x float64) table.Cell {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return table.None()
	}
	digits := 0
	for limit := 100.0; x < limit && digits < 3; limit /= 10 {
		digits++
	}
	return table.Cell{Text: strconv.FormatFloat(x, 'f', digits, 64), Value: x}
}

// Texts of the columns From and Environment.
const (
	FromRun       = "run"
	FromPublished = "published"
	HeldOutScore  = "held-out score" // in place of an environment
)

// conditionPrefix begins the keys of conditions.
const conditionPrefix = "condition_"

// IsCondition reports whether a column is a condition of a sweep.
func IsCondition(c table.Column) bool { return strings.HasPrefix(c.Key, conditionPrefix) }
