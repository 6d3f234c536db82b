package bench

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"heldout/configs"
	"heldout/envs/outside/gymtest"
	"heldout/envs/sharedtest"
)

// servedFiles are recordings of AgentGym's evaluator with AgentGym's servers, and where they are.
var servedFiles = []recorded{
	{File: "agentgym-maze", Preset: "agentgym-maze", Elsewhere: true, Served: "maze"},
	{File: "agentgym-textcraft", Preset: "agentgym-textcraft", Elsewhere: true, Served: "textcraft"},
	{File: "agentgym-wordle", Preset: "agentgym-wordle", Elsewhere: true, Served: "wordle"},
}

var servedFolder = filepath.Join("..", "..", "envs", "outside", "agentgym", "testdata")

// Every recorded task is played on a server that answers as AgentGym's did, and nothing else; every request
// to the model is compared with the request of AgentGym's evaluator, and so are reward and success.
func TestServedRequests(t *testing.T) {
	counted := sharedtest.Must(configs.Comparisons())(t)
	for _, file := range servedFiles {
		t.Run(file.File, func(t *testing.T) { file.check(t, servedFolder, counted) })
	}
}

// address starts the server that answered a task, and returns where it is.
func (f recorded) address(t *testing.T, task string) string {
	t.Helper()
	exchanges := sharedtest.ReadLines[gymtest.Exchange](t, filepath.Join(servedFolder, f.File+".server.jsonl.gz"))
	return "agentgym:" + gymtest.Serve(t, exchanges, task)
}

// standIn puts names in place of the texts of a preset, as its recording has them. The recorded texts are
// those that the preset wants.
func (f recorded) standIn(t *testing.T, c *Chosen) {
	t.Helper()
	var texts map[string]map[string]struct {
		StandsIn string `json:"stands-in"`
		SHA256   string
	}
	b, err := os.ReadFile(filepath.Join(servedFolder, "texts.json"))
	if err == nil {
		err = json.Unmarshal(b, &texts)
	}
	if err != nil || len(texts[f.Served]) != len(c.Released.Texts) {
		t.Fatalf("%v: %d texts", err, len(texts[f.Served]))
	}
	named := map[string]configs.SourceText{}
	for name, text := range texts[f.Served] {
		if c.Released.Texts[name].SHA256 != text.SHA256 {
			t.Errorf("the text %s of %s is another one than was recorded", name, c.Released.Name)
		}
		hash := fmt.Sprintf("%x", sha256.Sum256([]byte(text.StandsIn)))
		named[name] = configs.SourceText{File: name, Recipe: "file", SHA256: hash}
		sharedtest.OK(t, os.WriteFile(filepath.Join(c.Run.Originals, name), []byte(text.StandsIn), 0o644))
	}
	c.Released.Texts = named
}

var (
	// pageShown is what a search shows of a page, pagesNamed what it names instead, and
	// sentenceFound what a lookup shows of one.
	pageShown     = regexp.MustCompile(`\nAction \d+: [Ss]earch\[(.*)\]\nObservation \d+: (.*)\n`)
	pagesNamed    = regexp.MustCompile(`^Could not find .*\. Similar: \['(.*)'\]\.$`)
	sentenceFound = regexp.MustCompile(`\(Result \d+ / \d+\) (.*)\n`)
)

// recordedPages serves Wikipedia as far as a recording shows it, and returns the path of its scripts: the only page
// has the sentences that a search showed and those that a lookup found; other searches find titles.
func recordedPages(t *testing.T, c *goldenCase) string {
	t.Helper()
	title, page, titles := "", "", ""
	var further []string
	for _, request := range c.requests {
		prompt, _ := request["prompt"].(string)
		prompt = prompt[strings.LastIndex(prompt, "Question:"):]
		for _, m := range pageShown.FindAllStringSubmatch(prompt, -1) {
			if named := pagesNamed.FindStringSubmatch(m[2]); named != nil {
				titles = named[1]
			} else {
				title, page = m[1], m[2]
			}
		}
		for _, m := range sentenceFound.FindAllStringSubmatch(prompt, -1) {
			if !strings.Contains(page, m[1]) {
				further = []string{strings.TrimSuffix(m[1], ".")}
			}
		}
	}
	if more, ended := strings.CutSuffix(page, ".."); ended {
		page = more + "."
	} else { // only the last sentence of a paragraph gets a second full stop
		page = strings.Join(append([]string{strings.TrimSuffix(page, ".")}, further...), ". ") + ". More follows."
	}
	text := "<p>" + html.EscapeString(page) + "</p>"
	list := ""
	for one := range strings.SplitSeq(titles, "', '") {
		list += `<div class="mw-search-result-heading">` + html.EscapeString(one) + "</div>"
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("search") == title {
			fmt.Fprint(w, text)
			return
		}
		fmt.Fprint(w, list)
	}))
	t.Cleanup(server.Close)
	return server.URL + "/w"
}

// talesKinds are the task types of TALES' environments.
var talesKinds = map[string]string{
	"ALFWorldPickAndPlaceSimpleUnseen": "pick_and_place_simple",
	"ALFWorldLookAtObjInLightUnseen":   "look_at_obj_in_light",
	"ScienceWorldBoil":                 "boil", "ScienceWorldFindPlant": "find-plant",
}

// tales says how a run of TALES is played.
func (h *how) tales(c *goldenCase, env string) (err error) {
	h.steps = len(c.requests)
	if o := c.outcome; o != nil && o.Status == "failed" {
		h.steps = o.NbSteps
	} else if o != nil {
		h.steps = o.MaxSteps
	}
	if err := h.talesFlags(c); err != nil {
		return err
	}
	switch env {
	case "alfworld":
		h.preset, h.kind = h.preset+":unseen-1", talesKinds[c.env]
	case "sciworld":
		h.preset, h.kind, h.settings = h.preset+":seed-1", talesKinds[c.env], map[string]string{"split": "test"}
	default:
		h.task, _, _ = strings.Cut(c.task, " ")
		h.settings = map[string]string{"game-seed": ""}
		if h.seed > 0 {
			h.settings["game-seed"] = strconv.Itoa(h.seed)
		}
		if !strings.Contains(h.preset, ":") {
			h.preset += ":seed-1"
		}
	}
	return nil
}

// talesFlags reads the flags of a run of TALES.
func (h *how) talesFlags(c *goldenCase) (err error) {
	variant := ""
	if c.agent != "zero-shot" {
		variant = c.agent
	}
	for i, flag := range c.flags {
		switch flag {
		case "--conversation", "--admissible-commands": // the second one only counts
		case "--game-seed":
			h.seed, err = strconv.Atoi(c.flags[i+1])
		case "--context-limit":
			h.pairs, err = strconv.Atoi(c.flags[i+1])
			variant = cmp.Or(variant, "context-limit-3")
		case "--no-conversation":
			h.joined, variant = true, cmp.Or(variant, "no-conversation")
		case "--cot-max-tokens":
			h.thought, err = strconv.Atoi(c.flags[i+1])
		default:
			if strings.HasPrefix(flag, "--") {
				return fmt.Errorf("no preset has the flag %s", flag)
			}
		}
		if err != nil {
			return err
		}
	}
	if c.agent == "zero-shot" && h.joined && h.pairs == 2 {
		variant, h.joined, h.pairs = "no-conversation-limit-2", false, 0
	}
	if variant != "" {
		h.preset, h.whole = "tales-variants:"+variant, false
	}
	return nil
}

// asTales changes how a preset asks as the flags of a run of TALES do.
func (h how) asTales(c *Chosen) error {
	if h.thought > 0 {
		c.Run.MaxTokens = h.thought
	}
	if !h.joined && h.pairs == 0 {
		return nil
	}
	limited, err := configs.FindPresets("tales-variants:context-limit-3", nil)
	if err != nil {
		return err
	}
	p := &c.Released
	p.Texts = maps.Clone(p.Texts)
	maps.Copy(p.Texts, limited[0].Texts)
	if p.Agent.Joined = h.joined; h.pairs > 0 {
		p.Agent.Pairs, p.Agent.Notice = h.pairs, limited[0].Agent.Notice
	}
	return nil
}

// withEarlier gives the cases of later trials, which are played after the earlier ones of
// their task, and the cases of reflections what the model answered before: Reflexion
// reflects on all games that failed, in their order, after each trial.
func withEarlier(t *testing.T, cases []*goldenCase) {
	t.Helper()
	reflection := map[string]*goldenCase{} // the last one on a game
	var failed []*goldenCase               // games of the trial that have no reflection yet
	for _, c := range cases {
		if strings.HasPrefix(c.task, "reflection ") {
			c.about, failed = failed[0], failed[1:]
			c.earlier = slices.Concat(c.about.earlier, c.about.replies)
			game, _ := c.about.trial()
			reflection[game] = c
			continue
		}
		game, trial := c.trial()
		if trial > 1 {
			before := reflection[game]
			if before == nil {
				t.Fatalf("%s has no failed trial before it", c.task)
			}
			c.earlier = slices.Concat(before.earlier, before.replies)
		}
		if c.outcome != nil && c.outcome.Success != nil && !*c.outcome.Success {
			failed = append(failed, c)
		}
	}
}

// trial is the game of a case and the number of its trial, from 1; 0 if it is no trial.
func (c *goldenCase) trial() (game string, number int) {
	game, trial, _ := strings.Cut(c.task, " trial ")
	n, err := strconv.Atoi(trial)
	if err != nil {
		return c.task, 0
	}
	return game, n + 1
}

// Every fixed text of the originals is found by file, place and hash.
func TestGoldenTexts(t *testing.T) {
	folder := sharedtest.Golden(t, "protocols")
	var all struct {
		Texts []struct{ Protocol, Place, Repo, Path, Lines, Recipe, Assembly, SHA256 string }
	}
	sharedtest.JSON(t, "protocols/texts.json", &all)
	found := 0
	for _, x := range all.Texts {
		text := configs.SourceText{File: x.Path, Recipe: "python", Lines: strings.TrimSuffix(x.Lines, "-"),
			SHA256: x.SHA256}
		switch recipe, rest, _ := strings.Cut(x.Recipe, " "); recipe {
		case "JSON":
			if strings.Contains(x.Place, "joined with U+0001") {
				continue // turns of an example, which the prompt's file has
			}
			text.Recipe, text.Lines = "json", ""
			text.Path = strings.Trim(strings.NewReplacer("['", "/", "']", "", "[", "/", "]", "").Replace(rest), "/")
		case "YAML":
			text.Recipe, text.Lines = "yaml", ""
			text.Path = map[string]string{"14": "name", "15": "description",
				"21": "parameters/properties/action/description"}[x.Lines]
			text.Path = "default/parameters/tools/0/function/" + text.Path
			if rest == "env.*.check_actions" {
				text.Path = "env/alfworld/check_actions"
			}
		case "whole":
			text.Recipe, text.Lines = "file", ""
		}
		if strings.HasPrefix(x.Recipe, "string constant of the code cell") {
			text.Recipe, text.Lines = "notebook", ""
		}
		b := sharedtest.Must(os.ReadFile(filepath.Join(folder, "originals", x.Repo, x.Path)))(t)
		if _, err := text.Read(b); err != nil {
			t.Errorf("%s, %s: %v", x.Protocol, x.Place, err)
			continue
		}
		found++
	}
	t.Logf("%d of %d texts are found", found, len(all.Texts))
}
