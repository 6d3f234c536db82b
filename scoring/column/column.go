// Package column declares the columns of tables. Tables are made of these columns, and
// figures and the help read the same declarations.
package column

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"heldout/scoring"
	"heldout/scoring/refinement"
	"heldout/scoring/table"
)

// Columns of many tables.
var (
	Environment = table.Words("environment", "Environment",
		"where it was played: the environment, or the preset if there is one")
	Model     = table.Words("model", "Model", "the model, with what distinguishes it from other rows of that model")
	Against   = table.Words("against", "against", "the model that it is compared with")
	Success   = table.Rate("success", "SR", "success rate: the share of solved episodes, in percent")
	Progress  = table.Rate("progress", "PR", "progress rate: the mean progress of episodes, in percent")
	Grounding = table.Share("grounding", "GA", "grounding accuracy: the share of valid actions, in percent").AsDetail()
	TaskSet   = table.Words("task_set", "Tasks", "how many tasks were played, of which source")
	Tasks     = table.Count("tasks", "Tasks", "number of tasks that the line is made from")
	Compared  = Tasks.AsDetail()
	Seeds     = table.Count("seeds", "Seeds", "number of seeds").AsDetail()
	Trainings = table.Count("trainings", "Trainings", "number of trainings of an arm; 0 if it was not trained")
	Episodes  = table.Count("episodes", "Episodes", "number of episodes with a result")
	Planned   = table.Count("planned", "Planned", "number of planned episodes, one for every task and seed")
	Rate      = table.Words("rate", "Rate", "which rate the line is about: SR or PR")
	P         = table.Chance("p", "p", "two-sided p value of the difference, corrected for the number of lines")
	Value     = table.Rate("value", "Value", "the rate, in percent")
	Level     = Value.WithDetail(false)
)

// Columns of headline, verdict, results, difficulty and abilities.
var (
	Letters = table.Words("letters", "Letters", "models of a column that share a letter do not differ significantly")

	Shows       = table.Words("claim", "Shows", "what the line says: significant, not significant, not compared, best, …")
	Sensitivity = table.Share("sensitivity", "80% power",
		"the true difference that would have been found with a probability of 80 %, in percentage points")
	Perturbations = table.Words("perturbations", "Under", "the perturbations of a change").AsDetail()
	FamilyOfTests = table.Words("test_family", "Family",
		"the family of tests: primary and second, or of a sweep unperturbed, averages, losses and differences of losses").AsDetail()
	Tests = table.Count("tests", "Tests", "number of tests of the family").AsDetail()
	Alone = table.Limited(table.Difference("alone_difference", "alone",
		"difference, in percentage points")).WithDetail(true)
	AloneP   = table.Chance("alone_p", "p alone", "p value without a correction").AsDetail()
	Reason   = table.Words("reason", "Reason", "why a comparison or a score is missing").AsDetail()
	Besides  = table.Words("besides", "Besides", "what differs besides the models").AsDetail()
	Sentence = table.Words("sentence", "Sentence", "the claim in words").AsDetail()

	Agent    = table.Words("agent", "Agent", "how the model turns observations into actions").AsDetail()
	Finished = table.Count("finished", "Done", "number of episodes with a result").AsDetail()

	EasyTasks    = table.Count("easy_tasks", "Easy", "number of easy tasks with a result").Under("Easy", "Tasks")
	EasySuccess  = table.Share("easy_success", "SR", "success rate on easy tasks, in percent").Under("Easy", "SR")
	EasyProgress = table.Share("easy_progress", "PR", "progress rate on easy tasks, in percent").Under("Easy", "PR")
	HardTasks    = table.Count("hard_tasks", "Hard", "number of hard tasks with a result").Under("Hard", "Tasks")
	HardSuccess  = table.Share("hard_success", "SR", "success rate on hard tasks, in percent").Under("Hard", "SR")
	HardProgress = table.Share("hard_progress", "PR", "progress rate on hard tasks, in percent").Under("Hard", "PR")

	Ability      = table.Words("ability", "Ability", "an ability of agents that AgentBoard scores")
	AbilityScore = table.Rate("ability_score", "Score",
		"success rates, weighted by environment as AgentBoard does for the ability, in percent")
	Weight = table.Share("weight", "Weight",
		"the share of the ability's weights that the environments played have, in percent")

	SuccessDeviation  = sampleStd("success_", "SR std")
	ProgressDeviation = sampleStd("progress_", "PR std")
)

// sampleStd is a column of standard deviations.
func sampleStd(prefix, header string) table.Col[float64] {
	return table.Share(prefix+"sample_std", header, "standard deviation with divisor n-1, in percentage points")
}

// Change is a difference with its interval and its p value.
type Change struct {
	table.Bounded
	P table.Col[float64]
}

// Heads implements table.Declared.
func (c Change) Heads() []table.Column { return table.Columns(c.Bounded, c.P) }

// Columns of differences.
var (
	SuccessChange = Change{
		table.Limited(table.Difference("success_difference", "Δ SR", "difference of SR, in percentage points")),
		table.Chance("success_p", "p", "two-sided p value of the difference of SR"),
	}
	ProgressChange = Change{
		table.Limited(table.Difference("progress_difference", "Δ PR", "difference of PR, in percentage points")),
		table.Chance("progress_p", "p", "two-sided p value of the difference of PR"),
	}
	Difference = table.Limited(table.Difference("difference", "Δ", "difference, in percentage points"))
)

// Columns of presets.
var (
	Preset       = table.Words("preset", "Preset", "the evaluation protocol; empty without one")
	SHA256       = table.Words("sha256", "SHA-256", "the hash of the preset").AsDetail()
	Metric       = table.Words("metric", "Metric", "the metric of the preset")
	MetricValue  = table.Rate("metric_value", "Value", "the preset's metric, in percent of the highest score")
	LooseSuccess = table.Share("loose_success", "Loose", "the looser success of the protocol's source, in percent")

	Printed     = table.Amount("printed", "Value", "the published value, in percent as printed", amount)
	ResultKind  = table.Words("result_kind", "Kind", "authors, or a reproduction by somebody else")
	ReadIn      = table.Words("mark", "Read in", "where the value was read")
	ResultPlace = table.Words("source", "Source", "where the value was published")
)

// Columns of families of perturbations.
var (
	Grade          = table.Count("grade", "Grade", "the grade of the families; 1 is the mildest")
	Base           = table.Share("base", "As is", "the rate without a perturbation, in percent")
	InterfaceIndex = table.Rate("interface", "Interface",
		"what is lost where other actions are needed, in percent of what the memoriser loses")
	ReadingIndex = table.Rate("reading", "Reading",
		"what is lost where other texts are read, in percent of what the reciter loses")
	AdaptationCost = table.Rate("adaptation_cost", "Steps",
		"errors until the first valid new form, in solved tasks")
	Worst         = table.Words("worst", "Worst", "the families that cost most, each alone")
	InterfaceSets = table.Count("interface_perturbations", "Perturbations",
		"number of perturbations that change the form of actions")
	InterfaceCounted = table.Count("interface_counted", "Counted", "how many of them cost the memoriser points")
	MemoriserLoss    = table.Share("memoriser_loss", "Memoriser",
		"what the memoriser loses by them on average, in percent of its rate")
	ReaderLoss = table.Share("reader_loss", "Reader",
		"what the expert loses by them on average, in percent of its rate")
	ReadingSets = table.Count("reading_perturbations", "Perturbations",
		"number of perturbations that change only what is read")
	ReadingCounted = table.Count("reading_counted", "Counted", "how many of them cost the reciter points")
	ReciterLoss    = table.Share("reciter_loss", "Reciter",
		"what the reciter loses by them on average, in percent of its rate")
	ReaderReadingLoss = table.Share("reader_reading_loss", "Reader",
		"what the expert loses by them on average, in percent of its rate")
	Luck      = table.Share("luck", "Luck", "the rate of the random player without a perturbation, in percent")
	DoseGrade = table.Words("combined_grade", "Grade", "the grade of the combined families, or drawn")
	Combined  = table.Count("families", "Families",
		"number of families that are combined; 0 is without a perturbation").Aligned(true)
	Sets = table.Count("sets", "Sets",
		"number of perturbations over which the rate is averaged").AsDetail()
	Family        = table.Words("family", "Family", "the family of perturbations")
	FamilyGrade   = Grade.Aligned(true)
	Perturbation  = table.Words("perturbation", "Perturbation", "the perturbation, or how many families are combined")
	Actions       = table.Count("actions", "Actions", "number of actions whose form the perturbation changes")
	Old           = table.Rate("old", "Old", "the share of these actions that are in the old form, in percent")
	Refused       = table.Count("refused", "Refused", "number of episodes with an action in an old form")
	Never         = table.Count("never", "Never", "number of refused episodes that never use the new form")
	MedianRelearn = table.Count("median_steps", "Median", "steps until half of the refused episodes use the new form")
)

// Survival are the shares of refused episodes that use the new form within so many steps,
// in the order of refinement.SurvivalSteps.
var Survival = survival()

func survival() (out []table.Bounded) {
	for _, steps := range refinement.SurvivalSteps {
		about := fmt.Sprintf("the share of refused episodes that use the new form within %d steps, in percent", steps)
		c := table.Rate(fmt.Sprintf("within_%d", steps), fmt.Sprintf("in %d", steps), about)
		out = append(out, c.WithDetail(steps != 1 && steps != 5))
	}
	return out
}

// Columns of sweeps.
var (
	Average    = table.Share("average", "Average", "the mean over the conditions, in percent")
	Population = table.Share("population_std", "Std", "standard deviation with divisor n, in percentage points")
	Sample     = sampleStd("", "Sample std")
	Loss       = table.Share("loss", "Loss",
		"the rate without a perturbation less the mean under those of the interface, in percentage points")
)

// Sweep are the columns of a table of these conditions.
func Sweep(conditions []string) []table.Column {
	heads := table.Columns(Model, TaskSet, Rate)
	for _, name := range conditions {
		heads = append(heads, Condition(name).Column)
	}
	return append(heads, table.Columns(Average, Population, Sample, Loss)...)
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
	return table.Share(conditionPrefix+name, header, "the rate under this condition, in percent")
}

// Columns of several tries and trials.
var (
	Tries        = table.Count("tries", "N", "number of tries")
	BestProgress = table.Rate("best_progress", "best PR",
		"the mean over tasks of the best progress of the tries, in percent")
	Pass    = table.Rate("pass", "pass@k", "the probability that one of k tries solves a task, in percent")
	PassAll = table.Rate("pass_all", "pass^k", "the probability that all of k tries solve a task, in percent")

	Trial     = table.Count("trial", "Trial", "the number of the trial")
	BestTrial = table.Share("best_trial_progress", "Best PR",
		"progress in the best trial so far, in percent").AsDetail()
	Same        = table.Count("same", "Same", "number of trials with the same actions as the one before")
	Cut         = table.Count("cut", "Cut", "number of trials that a rule ended early").AsDetail()
	Reflections = table.Count("reflections", "Reflections", "number of reflections made after the trial").AsDetail()
	Calls       = table.Count("calls", "Calls", "number of model calls")
	TokensIn    = table.Count("prompt_tokens", "Tokens in", "tokens of the prompts, as the server counted them")
	TokensOut   = table.Count("completion_tokens", "out", "tokens of the replies, as the server counted them")
)

// Columns of cost.
var (
	CachedTokens = table.Count("cached_tokens", "cached",
		"tokens of the prompts that the server had computed before; 0 if it does not say").AsDetail()
	ReasoningTokens = table.Count("reasoning_tokens", "reasoning",
		"tokens of the replies that are reasoning; 0 if the server does not say").AsDetail()
	Dollars           = table.Amount("dollars", "USD", "dollars at the prices that were given", dollars)
	DollarsPerEpisode = table.Amount("dollars_per_episode", "per episode", "dollars per episode with a result",
		dollars).AsDetail()
	DollarsPerSolved = table.Amount("dollars_per_solved", "per solved", "dollars per solved episode", dollars)
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
	return Paper{table.Rate(key, header, "the rate, in percent"), table.Share(key+"_std", "std",
		"standard deviation over seeds with divisor n-1, in percentage points")}
}

// UsedColumn is a column of the mean of a quantity over episodes.
type UsedColumn struct {
	table.Col[float64]
	Of scoring.Quantity
}

// In is the column in a place of a paper's table.
func (c UsedColumn) In(place string) table.Col[float64] {
	c.Key = place + "_" + c.Key
	return c.Col
}

// Used are the columns of what episodes used, as papers print it.
var Used = []UsedColumn{
	{table.Amount("solved_steps", "Solved in", "mean steps of solved episodes", amount), scoring.SolvedSteps},
	{table.Amount("mean_steps", "Steps", "mean steps (turns) of episodes", amount), scoring.Steps},
	{table.Amount("mean_prompt_tokens", "Tokens in", "mean prompt tokens of episodes", amount), scoring.PromptTokens},
	{table.Amount("mean_completion_tokens", "Tokens out", "mean tokens of the replies of episodes", amount),
		scoring.CompletionTokens},
}

// Heads implements table.Declared.
func (p Paper) Heads() []table.Column { return table.Columns(p.Bounded, p.Std) }

// Measures are columns of measures.
type Measures []table.Col[float64]

// Heads implements table.Declared.
func (m Measures) Heads() (out []table.Column) {
	for _, c := range m {
		out = append(out, c.Column)
	}
	return out
}

// Refinement are the columns of the most informative measures of what models do with
// their errors. Their keys are the measures'.
var Refinement = Measures{
	table.Share("format_errors", "Format", "replies without an action, in percent of the steps"),
	table.Share("cut_off", "Cut off", "those that the length limit ended, in percent of the steps").AsDetail(),
	table.Share("invalid", "Invalid", "actions that were not carried out, in percent of the steps"),
	OldForm,
	table.Share("repeated_errors", "Repeat",
		"errors already answered as errors in an equal situation, in percent of the errors"),
	table.Share("loops", "Loop", "steps in cycles, in percent of the steps"),
	table.Share("error_run_mean", "Run", "mean length of runs of errors, in steps").AsDetail(),
	table.Share("recovered_1", "Rec. 1", "errors followed at once by a different valid action, in percent").AsDetail(),
	table.Share("recovered_3", "Rec. 3", "errors followed within 3 steps by a different valid action, in percent"),
	table.Share("recovered_5", "Rec. 5",
		"errors followed within 5 steps by a different valid action, in percent").AsDetail(),
	table.Share("progressed_5", "Progr.", "errors followed within 5 steps by progress, in percent"),
	table.Share("stuck_steps", "Stuck", "of unsolved episodes, the steps after the last progress, in percent"),
	table.Share("lost_progress", "Lost", "progress that was lost again, in percent").AsDetail(),
	table.Share("distinct_2", "Dist.-2", "distinct pairs of words in thoughts, in percent of all pairs").AsDetail(),
}

// OldForm is there if tasks were played under a perturbation.
var OldForm = table.Share("old_form", "Old form",
	"invalid actions in the form that a perturbation replaces, in percent of the steps")

// Columns of what models do with their errors.
var (
	Measure  = table.Words("measure", "Measure", "the measure; scoring/refinement/MEASURES.md defines each")
	Measured = table.Rate("measure_value", "Value", "the value, in its unit")
	Unit     = table.Words("unit", "", "the unit of the value and of its limits")
)

// Columns of tables behind figures.
var (
	Origin   = table.Words("from", "From", "run, or published")
	Kind     = table.Words("kind", "Kind", "the kind of tasks, such as a game or a level; empty for several")
	KindHead = table.Words("head", "Head", "the head under which papers print the kind, such as Pick2; All for all tasks")
	TaskNo   = table.Count("index", "No.", "the number of the task in the benchmark")
	Task     = table.Words("task", "Task", "the task")
	Type     = table.Words("type", "Type", "the type of the task")
	Seed     = table.Count("seed", "Seed", "the seed")
	Step     = table.Count("step", "Step", "the number of the step")
	Lost     = table.Count("lost_steps", "Steps", "number of steps of unsolved episodes")
	CutOff   = table.Share("lost_cut_off", "Cut off",
		"replies without an action that the length limit ended, in percent of the steps")
	Format  = table.Share("lost_format", "Format error", "other replies without an action, in percent of the steps")
	Invalid = table.Share("lost_invalid", "Invalid action",
		"actions that were not carried out, in percent of the steps")
	Loops      = table.Share("lost_loops", "Valid, looped", "valid steps in cycles, in percent of the steps")
	OtherValid = table.Share("lost_other", "Valid, other", "other valid actions, in percent of the steps")

	Unsolved       = table.Count("unsolved_episodes", "Unsolved", "number of unsolved episodes")
	SolvedEpisodes = table.Count("solved", "Solved", "number of solved episodes")
	EndedEarly     = table.Count("early", "Ended early",
		"number of unsolved episodes that ended before the step limit")
	StepLimit       = table.Count("limit", "Step limit", "number of unsolved episodes that used all steps")
	ContextExceeded = table.Count("context_exceeded", "Context exceeded",
		"number of episodes that did not fit the model's context")
	ModelError = table.Count("model_error", "Model error", "number of episodes that a model server broke off")
	AgentError = table.Count("agent_error", "Agent error", "number of episodes that an agent of the user's broke off")
	EnvError   = table.Count("env_error", "Environment error", "number of episodes that the environment broke off")
	NotRun     = table.Count("not_run", "Not run", "number of episodes that were not played or cancelled")

	Quantity = table.Words("quantity", "Quantity", "what an episode used")
	Mean     = table.Amount("mean", "Mean", "mean over the episodes", amount)
	Tenth    = table.Amount("quantile_10", "10 %", "a tenth of the episodes used less", amount)
	Median   = table.Amount("median", "Median", "half of the episodes used less", amount)
	Ninth    = table.Amount("quantile_90", "90 %", "a tenth of the episodes used more", amount)
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
