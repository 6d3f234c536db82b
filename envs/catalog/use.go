package catalog

import (
	"path"
	"sync"

	"heldout/envs"
	"heldout/envs/alfworld"
	"heldout/envs/babyai"
	"heldout/envs/hotpotqa"
	"heldout/envs/jericho"
	"heldout/envs/pddl"
	"heldout/envs/sciworld"
	"heldout/envs/testset"
)

// Use is what a benchmark has a task for.
type Use string

// The uses. A model that is trained on a Test task cannot be measured with it.
const (
	Train Use = "train"
	Dev   Use = "dev"
	Test  Use = "test"
)

// UseOf says what a benchmark has a task for. What is not known is Test: the task may be one.
//
//   - alfworld: the games of the split train are Train. All other splits are played by
//     some published protocol (valid_train by AgentGym), so they are Test.
//   - babyai: has no splits. Test are the levels with seeds below 10,000: AgentBoard's
//     112 tasks, which are the same with and without its labels, and all that AgentGym
//     can number. Other seeds of small levels repeat worlds of AgentBoard's tasks.
//   - hotpotqa: only the file hotpot_train_v1.1.json is Train.
//   - jericho, pddl: what heldout generates is Train, the benchmark's own is Test.
//   - sciworld: the simulator's splits, but AgentBoard's 90 tasks, most of which are in
//     its train split, are Test.
//   - environments that others run: as they say.
//
// A task is Test, too, if it has the content or ID of one, whatever its folder or file is
// called; and so are official games and questions of unknown content, as in older records.
func UseOf(info envs.Info, t envs.Task) Use {
	use := useByName(info, t)
	if use == Test || Listed(testset.Tests(), info.Name, t) {
		return Test
	}
	fromFiles := info.Name == alfworld.Name || info.Name == hotpotqa.Name
	if fromFiles && info.Source == envs.Official && t.Content == "" {
		return Test
	}
	return use
}

// Digest is the digest of a task's content or, where that is not known, of its ID.
func Digest(env string, t envs.Task) []byte {
	if content := Content(env, t); content != "" {
		return testset.Digest(testset.Content, content)
	}
	return testset.Digest(testset.ID, t.ID)
}

// Listed reports whether a list has the content or ID of a task.
func Listed(list testset.List, env string, t envs.Task) bool {
	content := Content(env, t)
	return content != "" && list.Contains(env, testset.Content, content) || list.Contains(env, testset.ID, t.ID)
}

// contents has the contents of BabyAI's tasks by their names: it takes a world to know one.
var contents sync.Map // of string

// Content is the Content of a task of an environment, also if only the name tells it, as in
// BabyAI; empty if it is not known.
func Content(env string, t envs.Task) string {
	if t.Content != "" || env != babyai.Name {
		return t.Content
	}
	if cached, ok := contents.Load(t.ID); ok {
		return cached.(string)
	}
	content, err := babyai.Content(t.ID)
	if err != nil {
		return "" // no task of this version has the name
	}
	contents.Store(t.ID, content)
	return content
}

// ByChance reports whether a task is Test only because a generator drew what a benchmark
// tests with: nobody chose it.
func ByChance(info envs.Info, t envs.Task) bool {
	drawn := info.Source == envs.Generated || info.Name == babyai.Name // whose data are labels of the benchmark's tasks
	return drawn && useByName(info, t) != Test && Listed(testset.Tests(), info.Name, t)
}

// IsTestQuestion reports whether a text is a question that HotpotQA tests with.
func IsTestQuestion(text string) bool {
	return testset.Tests().Contains(hotpotqa.Name, testset.Content, envs.TextContent(text))
}

func useByName(info envs.Info, t envs.Task) Use {
	generated := info.Source == envs.Generated
	if use := Use(t.Use); info.Source == envs.External && (use == Train || use == Dev) {
		return use
	}
	switch info.Name {
	case alfworld.Name:
		return trainIf(generated || info.Settings["split"] == "train")
	case babyai.Name:
		return trainIf(!babyai.InTestRange(t.ID))
	case hotpotqa.Name:
		return trainIf(generated || path.Base(info.Settings["questions"]) == "hotpot_train_v1.1.json")
	case jericho.Name, pddl.Name:
		return trainIf(generated)
	case sciworld.Name:
		switch sciworld.SplitOf(t.ID) {
		case "train":
			return Train
		case "dev":
			return Dev
		}
	}
	return Test
}

func trainIf(train bool) Use {
	if train {
		return Train
	}
	return Test
}
