package perturb

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/alfworld"
	"heldout/envs/babyai"
	"heldout/envs/hotpotqa"
	"heldout/envs/jericho"
	"heldout/envs/pddl"
	"heldout/envs/sciworld"
	"heldout/envs/sharedtest"
)

// opened keeps what generated opens: tests share it, and what it has worked out of tasks.
var opened = map[string]envs.Env{}

// generated opens an environment on tasks that need no data.
func generated(t testing.TB, name string) envs.Env {
	t.Helper()
	if env, ok := opened[name]; ok {
		return env
	}
	var env envs.Env
	var err error
	switch name {
	case "alfworld":
		env, err = alfworld.NewGenerated(0, alfworld.Options{})
	case "babyai":
		env, err = babyai.New(babyai.Options{})
	case "hotpotqa":
		env, err = hotpotqa.NewEmbedded(hotpotqa.Options{}, envs.Outside{})
	case "jericho":
		env, err = jericho.New(jericho.Options{})
	case "pddl":
		env, err = pddl.NewGenerated(0)
	case "sciworld":
		env, err = sciworld.New(sciworld.Options{})
	default:
		t.Fatalf("there is no environment %s", name)
	}
	if err != nil {
		t.Fatal(err)
	}
	opened[name] = env
	return env
}

// withFamilies are the environments that have families: all.
func withFamilies(t testing.TB) []string {
	t.Helper()
	names := configs.FamilyEnvs()
	if len(names) != 6 {
		t.Fatalf("families are of %q; want six environments", names)
	}
	return names
}

// graded lists every family of an environment in every grade; in the short form and the long
// one in one grade, in turn, and in another one.
func graded(t testing.TB, env string) (names []string) {
	t.Helper()
	families := sharedtest.Must(configs.LoadFamilies(env))(t)
	every, first := sharedtest.Every(t, 3, 3), 0
	if sharedtest.Long() {
		first = 1
	}
	for i, f := range families.All {
		for grade := range f.Grades {
			if *whole || (first+i+grade)%min(every, len(f.Grades)) == 0 {
				names = append(names, fmt.Sprintf("%s:%d", f.ID, grade+1))
			}
		}
	}
	return names
}

// mustName returns the rules of a name.
func mustName(t testing.TB, env, name string) configs.Perturbation {
	t.Helper()
	return sharedtest.Must(Named(env, name))(t)
}

// Every family goes with every other in all grades, and all go together.
func TestFamiliesCombine(t *testing.T) {
	for _, name := range withFamilies(t) {
		env := generated(t, name)
		single := graded(t, name)
		names := append([]string{"all:1", "all:2", "all:3"}, single...)
		for i, a := range single {
			for _, b := range single[:i] {
				if f, g := a[:len(a)-2], b[:len(b)-2]; f != g && (*whole || len(names)%7 == 0 || i%7 == 0) {
					names = append(names, b+"+"+a)
				}
			}
		}
		for _, n := range sharedtest.Sample(t, names, 15) {
			rules, err := Named(name, n)
			if err == nil {
				_, err = Wrap(env, rules)
			}
			if err != nil {
				t.Errorf("%s: %v", name, err)
			} else if rules.Name != n {
				t.Errorf("%s: %s is named %s", name, n, rules.Name)
			}
		}
		t.Logf("%s: %d grades, %d combinations", name, len(single), len(names)-len(single))
	}
}

// A thousand draws of each environment are consistent: no two actions clash, and
// every rule is about something that exists. A smaller draw is part of a larger one.
func TestDraws(t *testing.T) {
	seeds := int64(sharedtest.Times(t, 10, 1))
	if *whole {
		seeds = 250
	}
	for _, name := range withFamilies(t) {
		env := generated(t, name)
		drawn := map[string]bool{}
		for seed := range seeds {
			var smaller []configs.FamilyGrade
			for _, k := range []string{"1", "2", "4", "all"} {
				n := fmt.Sprintf("random:%d:%s", seed-seeds/2, k)
				rules := mustName(t, name, n)
				if _, err := Wrap(env, rules); err != nil {
					t.Errorf("%s: %v", n, err)
				}
				sharedtest.Equal(t, rules.Name, n, "is not the same twice")
				sharedtest.Equal(t, Hash(rules), Hash(mustName(t, name, n)), "is not the same twice")
				for _, part := range smaller {
					if !slices.Contains(rules.Parts, part) {
						t.Errorf("%s: %+v lacks %+v of the smaller draw", n, rules.Parts, part)
					}
				}
				smaller = rules.Parts
				drawn[Hash(rules)] = true
			}
		}
		t.Logf("%s: %d draws, %d different", name, 4*seeds, len(drawn))
	}
}

// A draw without some families draws among the others.
func TestDrawsWithout(t *testing.T) {
	for _, name := range withFamilies(t) {
		for seed := range 20 {
			n := fmt.Sprintf("random:%d:all-nouns-verbs", seed)
			rules, whole := mustName(t, name, n), mustName(t, name, fmt.Sprintf("random:%d:all", seed))
			drawn := slices.ContainsFunc(rules.Parts, func(p configs.FamilyGrade) bool {
				return p.Family == "nouns" || p.Family == "verbs"
			})
			if drawn || len(rules.Parts) >= len(whole.Parts) || rules.Name != n {
				t.Errorf("%s: %s has %+v", name, rules.Name, rules.Parts)
			}
		}
	}
}

func TestNamedErrors(t *testing.T) {
	for name, want := range sharedtest.Table[string](t, "named-errors.yaml") {
		if rules, err := Named("pddl", name); err == nil || !strings.Contains(err.Error(), want) ||
			!strings.Contains(err.Error(), "pddl") {
			t.Errorf("%q: %+v, %v; want an error with %q", name, rules, err, want)
		}
	}
	sharedtest.Fails(t, sharedtest.Err(Named("chess", "verbs:1")), "chess has no families of perturbations")
	sharedtest.Equal(t, mustName(t, "pddl", "order:1+verbs:2").Name, "verbs:2+order:1", "a combination is named")
}

func FuzzNamed(f *testing.F) {
	f.Add("verbs:1+order:2")
	f.Add("random:-7:all")
	f.Add("all:3")
	f.Fuzz(func(t *testing.T, name string) {
		rules, err := Named("hotpotqa", name)
		if err == nil && (rules.Name == "" || rules.Title == "" || len(rules.Parts) == 0) {
			t.Errorf("%q is %+v", name, rules)
		}
	})
}

// Nonce words are pronounceable, and no environment has ever said one.
func TestNonceWords(t *testing.T) {
	nonce := configs.NonceWords()
	if len(nonce) < 300 || !slices.IsSorted(nonce) || len(slices.Compact(slices.Clone(nonce))) != len(nonce) {
		t.Fatalf("%d words", len(nonce))
	}
	syllables := regexp.MustCompile(
		`^([bcdfghjklmnprstvwyz]{1,2}[aeiou]){1,2}[bdfgklmnprtxz]{1,2}$|^[bcdfghjklmnprstvwyz]{1,2}[aeiou][bdfgklmnprtvxz]{1,3}[aeiou][bdfklmnptx]$`)
	for _, word := range nonce {
		if !syllables.MatchString(word) || len(word) < 4 || len(word) > 6 {
			t.Errorf("%s is hard to say", word)
		}
	}
	said := map[string]string{}
	hear := func(where string, texts ...string) {
		for _, text := range texts {
			for _, word := range regexp.MustCompile("[a-z]+").FindAllString(strings.ToLower(text), -1) {
				said[word] = where
			}
		}
	}
	for _, name := range withFamilies(t) {
		env := generated(t, name)
		spoken := abilityOf[envs.Describer](t, env)
		for _, task := range env.Tasks()[:1] {
			i := spoken.Interface(task.Type)
			hear(name, slices.Concat(i.Actions, i.Replies, i.Texts, i.PromptActions, []string{i.Unknown})...)
			w := sharedtest.Must(env.NewWorld(task))(t)
			start := sharedtest.Must(w.Start(context.Background()))(t)
			hear(name, start.Goal, start.Observation)
			w.Close()
		}
		prompt := sharedtest.Must(configs.LoadPrompt(name, "v2"))(t)
		hear("the prompt of "+name, fmt.Sprint(prompt))
	}
	for _, word := range nonce {
		if where, ok := said[word]; ok {
			t.Errorf("%s is a word of %s", word, where)
		}
	}
}

// No recorded text has a nonce word, nor a word that a rule puts in the place of a
// noun: else two things would have one name.
func TestNewWordsAreNew(t *testing.T) {
	nonce := configs.NonceWords()
	for _, name := range sharedtest.Sample(t, withFamilies(t), 2) {
		_, all := recorded(t, name)
		families := sharedtest.Must(configs.LoadFamilies(name))(t)
		fresh := map[string]bool{}
		for _, word := range nonce {
			fresh[word] = true
		}
		for _, grade := range sharedtest.Must(families.Family("nouns"))(t).Grades {
			for _, word := range grade.Words {
				fresh[word] = true
			}
		}
		for _, s := range all {
			for _, texts := range []map[string]bool{s.observations, s.goals} {
				for text := range texts {
					for _, word := range regexp.MustCompile("[a-z]+").FindAllString(strings.ToLower(text), -1) {
						if fresh[word] {
							t.Errorf("%s says %q: %.80q", name, word, text)
							delete(fresh, word)
						}
					}
				}
			}
		}
	}
}

// All things of ALFWorld and BabyAI have other names under nouns.
func TestNounsAreOfAllThings(t *testing.T) {
	for _, name := range []string{"alfworld", "babyai"} {
		env := generated(t, name)
		for _, rule := range sharedtest.Sample(t, []string{"nouns:1", "nouns:2", "nouns:3"}, 1) {
			perturbed := sharedtest.Must(Wrap(env, mustName(t, name, rule)))(t)
			for _, h := range hearTasks(t, env) {
				p := sharedtest.Must(perturbed.ofType(h.taskType))(t)
				thing := regexp.MustCompile(`\ban? (` + p.iface.Parts["class"] + p.iface.Parts["what"] + `) [0-9]`)
				for _, text := range h.observations.all {
					for _, found := range thing.FindAllStringSubmatch(text, -1) {
						if p.say(found[1], false) == found[1] {
							t.Errorf("%s %s: the thing %q keeps its name", name, rule, found[1])
						}
					}
				}
			}
		}
	}
}

// Hashes say what rules mean: hashes of rules about whole forms and answers are as in
// the first records, and hashes of rules about words name the version of the engine.
func TestHashes(t *testing.T) {
	for _, name := range []string{"P1", "P2", "P3", "P4"} {
		rules := sharedtest.Must(configs.LoadPerturbation(name))(t)
		sum := sha256.Sum256(sharedtest.Must(json.Marshal(rules))(t))
		sharedtest.Equal(t, Hash(rules) == hex.EncodeToString(sum[:]), name != "P4", name, "has its first hash")
	}
	rules := mustName(t, "alfworld", "arguments:1")
	alone := rules
	alone.Parts = nil
	if Hash(rules) == Hash(alone) {
		t.Error("a family has the hash of a file with its rules")
	}
}

// ScienceWorld lists what an ambiguous action can mean. The choices are in the new form,
// in the order of their numbers.
func TestChoices(t *testing.T) {
	env := generated(t, "sciworld")
	for name, want := range map[string]string{
		"verbs:1+order:1": "0:\ttip red cup (in desk) in pot\n1:\ttip tin cup in pot\n",
		"arguments:1":     "0:\tred cup (in desk) in pot pour\n1:\ttin cup in pot pour\n",
		"numbers:1":       "zero:\tpour red cup (in desk) in pot\none:\tpour tin cup in pot\n",
	} {
		const asks = "Ambiguous request: Please enter the number for the action you intended (or blank to cancel):\n"
		p := sharedtest.Must(Wrap(env, mustName(t, "sciworld", name)))(t).anyType()
		const old = asks + "0:\tpour red cup (in desk) in pot\n1:\tpour tin cup in pot\n"
		if got := p.writeObservation(old); got != asks+want || p.readObservation(got) != old {
			t.Errorf("%s: %q, want %q; it is read %q", name, got, asks+want, p.readObservation(got))
		}
	}
}
