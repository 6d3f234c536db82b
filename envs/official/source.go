package official

import (
	"fmt"
	"slices"
	"strings"

	"heldout/envs/address"
)

// PublishedFile is a file that an owner publishes.
type PublishedFile struct {
	Name string
	// URL is where it lies, or the path of a local file.
	URL string
	// For says what it is for, Licence under what terms it is published.
	For, Licence string
	// Size in bytes and SHA256 in hex; 0 and "" if they are not known in advance.
	Size   int64
	SHA256 string
	// DataPath is the path in the data folder of a file used as it is; "" for an archive.
	DataPath string
	// Parts are the parts that it holds.
	Parts []string
	// Extra says that it is fetched only if it is asked for by name.
	Extra bool
}

// The published files whose bytes are known. HotpotQA's site gives the size of
// the dump.
const (
	factsSum = "4e9ecb5c8d3b719f624d66b60f8d56bf227f03914f5f0753d6fa1b359d7104ea"
	dumpSum  = "1acca1c5cc93c4890ea51091d2bad7c3ef6987aead127ab88728dc9e26555729"
	dumpSize = 1553565403
)

// suiteArchive has Jericho's suite of stories, as it is since October 2018.
const suiteArchive = "https://github.com/BYU-PCCL/z-machine-games/archive/" +
	"bfd7544aa1f50549fc327bd4eb3bc8144bfd80ea.tar.gz"

// HuggingFace is replaced by HF_ENDPOINT.
const HuggingFace = "https://huggingface.co"

// Sources lists what can be fetched, in the order in which it is tried: a later
// source is not fetched for a part that an earlier one completed.
func Sources() []PublishedFile {
	return []PublishedFile{
		{
			Name: "agentboard", URL: HuggingFace + "/datasets/hkust-nlp/agentboard/resolve/main/data.tar.gz",
			For:     "AgentBoard's data: labels, ALFWorld's unseen games, Jericho's stories",
			Licence: "GPL-2.0; the story files belong to their authors",
			Parts: []string{"alfworld/games", "alfworld/labels", "babyai/labels", "jericho/labels", "jericho/stories",
				"pddl/labels", "sciworld/labels"},
		},
		{
			Name: "agentboard-code", URL: "https://github.com/hkust-nlp/AgentBoard/archive/refs/heads/main.tar.gz",
			For:     "AgentBoard's repository: the PDDL domains and problems",
			Licence: "Apache-2.0",
			Parts:   []string{"pddl/problems"},
		},
		{
			Name: "jericho-suite", URL: suiteArchive,
			For:     "Jericho's stories, if AgentBoard's data lack them",
			Licence: "the story files belong to their authors",
			Parts:   []string{"jericho/stories"},
		},
		{
			Name: "react", URL: "https://raw.githubusercontent.com/ysymyth/ReAct/master/data/" + questionsName,
			For:     "HotpotQA's development set in ReAct's order",
			Licence: "CC BY-SA 4.0 (HotpotQA)", Size: 1179017, SHA256: publishedSums()["hotpotqa/"+questionsName],
			DataPath: "hotpotqa/" + questionsName, Parts: []string{"hotpotqa/questions"},
		},
		{
			Name:    "alfworld-splits",
			URL:     "https://github.com/alfworld/alfworld/releases/download/0.2.2/json_2.1.1_tw-pddl.zip",
			For:     "ALFWorld's other splits: valid_seen, valid_train and train",
			Licence: "MIT", Size: 45059629,
			Parts: []string{"alfworld/valid_seen", "alfworld/valid_train", "alfworld/train"}, Extra: true,
		},
		{
			Name: "tales-stories", URL: suiteArchive,
			For:     "the stories of the 34 games that TALES plays besides AgentBoard's 20",
			Licence: "the story files belong to their authors",
			Parts:   []string{"jericho/tales"}, Extra: true,
		},
		{
			Name: "hotpotqa-facts", URL: "http://curtis.ml.cmu.edu/datasets/hotpot/" + factsName,
			For:     "HotpotQA's paragraphs: what the expert searches for, and a small offline Wikipedia",
			Licence: "CC BY-SA 4.0", Size: 46320117, SHA256: factsSum,
			DataPath: "hotpotqa/" + factsName, Parts: []string{"hotpotqa/facts"}, Extra: true,
		},
		{
			Name: "wikipedia", URL: "https://nlp.stanford.edu/projects/hotpotqa/" + dumpName,
			For:     "Wikipedia of 2017, for heldout wiki build",
			Licence: "CC BY-SA 4.0", Size: dumpSize, SHA256: dumpSum,
			DataPath: "hotpotqa/" + dumpName, Parts: []string{"hotpotqa/wikipedia"}, Extra: true,
		},
	}
}

// mostUnknown bounds a file whose size is not known in advance, in bytes.
const mostUnknown = 2 << 30

// limit is how many bytes a source may have: fourfold if they are not known.
func (s PublishedFile) limit() int64 {
	switch {
	case s.Size > 0 && s.SHA256 != "":
		return s.Size
	case s.Size > 0:
		return 4 * s.Size
	}
	return mostUnknown
}

// Replace applies replacements of the form NAME=URL or NAME=FILE, and hfEndpoint,
// a mirror of Hugging Face, if it is not empty.
func Replace(sources []PublishedFile, replacements []string, hfEndpoint string) ([]PublishedFile, error) {
	sources = slices.Clone(sources)
	if hfEndpoint != "" {
		for i := range sources {
			if rest, ok := strings.CutPrefix(sources[i].URL, HuggingFace+"/"); ok {
				sources[i].URL = strings.TrimRight(hfEndpoint, "/") + "/" + rest
			}
		}
	}
	for _, r := range replacements {
		name, target, ok := strings.Cut(r, "=")
		i := slices.IndexFunc(sources, func(s PublishedFile) bool { return s.Name == name })
		if !ok || target == "" || i < 0 {
			return nil, fmt.Errorf("source %q: want NAME=URL or NAME=FILE; names are: %s", address.Plain(r),
				strings.Join(sourceNames(sources, func(PublishedFile) bool { return true }), ", "))
		}
		sources[i].URL = target
	}
	return sources, nil
}

// Extras lists the names of the sources that are fetched only on request.
func Extras() []string { return sourceNames(Sources(), func(s PublishedFile) bool { return s.Extra }) }

func sourceNames(sources []PublishedFile, want func(PublishedFile) bool) (names []string) {
	for _, s := range sources {
		if want(s) {
			names = append(names, s.Name)
		}
	}
	return names
}

// remote reports whether the source is fetched, not a local file.
func (s PublishedFile) remote() bool {
	return strings.HasPrefix(s.URL, "http://") || strings.HasPrefix(s.URL, "https://")
}

// Address is the source's address without what may be secret.
func (s PublishedFile) Address() string { return address.Plain(s.URL) }
