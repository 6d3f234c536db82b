package main

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/catalog"
	"heldout/envs/sharedtest"
	"heldout/eval/bench"
)

// readValues reads for every flag of a run a value that is not the default, as the flag takes it.
func readValues(t *testing.T) map[string]string {
	return sharedtest.Table[string](t, "flag-values.yaml")
}

// flat is what a configuration says, by key; settings of environments are among the keys.
func flat(r configs.Run) map[string]any {
	out := map[string]any{}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[configs.Run]()) {
		if key := f.Tag.Get("yaml"); !f.Anonymous && key != "-" {
			out[key] = reflect.ValueOf(r).FieldByIndex(f.Index).Interface()
		}
	}
	for _, s := range catalog.Settings() {
		out[s.Name] = r.Settings[s.Name]
	}
	return out
}

// everyEnv names the environments that need nothing from the user.
func everyEnv() (names configs.Strings) {
	for _, e := range catalog.Entries() {
		names = append(names, e.Name)
	}
	return names
}

// resolve settles what flags and a configuration file say.
func resolve(getenv func(string) string, given *pflag.FlagSet, file string) (configs.Run, error) {
	r, _, err := bench.Resolve(bench.Outside{Getenv: getenv}, bench.Plain, bench.Input{
		File: file, Chosen: given.Changed("env") || given.Changed("model"),
		Override: func(r *configs.Run) error { return override(r, given) },
	})
	return r, err
}

func noVariables(string) string { return "" }

// Every flag has a key of its name, and setting either sets that field and no other.
func TestFlagsAndKeys(t *testing.T) {
	unset := configs.DefaultRun()
	unset.Env = configs.Strings{"babyai"}
	base := flat(unset)
	values, names := readValues(t), []string(nil)
	flags := func() *pflag.FlagSet {
		f := pflag.NewFlagSet("", pflag.ContinueOnError)
		r := configs.DefaultRun()
		sweepFlags(f, &r) // a run's flags are among them
		return f
	}
	flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	sharedtest.Equal(t, len(names), len(base), "flags and keys")
	for _, name := range names {
		if _, ok := base[name]; !ok {
			t.Errorf("flag --%s has no key", name)
			continue
		}
		config := filepath.Join(t.TempDir(), "run.yaml")
		write := func(text string) {
			sharedtest.OK(t, os.WriteFile(config, []byte(text), 0o600))
		}
		write("env: [babyai]\n")
		given := flags()
		if values[name] == "" {
			t.Errorf("flag-values.yaml has none for --%s: add one that is not the default", name)
			continue
		}
		if err := given.Set(name, values[name]); err != nil {
			t.Fatalf("--%s %q: %v", name, values[name], err)
		}
		byFlag := sharedtest.Must(resolve(noVariables, given, config))(t)
		if name == "env" {
			write("env: [" + values[name] + "]")
		} else {
			write("env: [babyai]\n" + name + ": " + values[name])
		}
		byKey := sharedtest.Must(resolve(noVariables, flags(), config))(t)
		for what, got := range map[string]configs.Run{"flag": byFlag, "key": byKey} {
			for key, value := range flat(got) {
				if same := reflect.DeepEqual(value, base[key]); same == (key == name) {
					t.Errorf("%s %s: %s is %v", what, name, key, value)
				}
			}
		}
	}
}

// otherValue is a value of a flag that is not its default.
func otherValue(f *pflag.Flag) string {
	switch f.Value.Type() {
	case "bool":
		return strconv.FormatBool(f.DefValue == "false")
	case "duration":
		return "77s"
	case "float64":
		return "7.5"
	case "int", "int64":
		return "77"
	}
	return "another"
}

// Every flag of every command that takes a configuration file is a key of it, but for those that flags.yaml excepts:
// as one value and, where it may be repeated, as a list. The command line wins.
func TestEveryFlagIsAKey(t *testing.T) {
	ofRun, values := flat(configs.Run{}), readValues(t)
	for _, played := range []string{"run", "sweep"} {
		c := command(played)
		c.InitDefaultHelpFlag()
		for _, name := range namesOf(c.Flags(), func(string) bool { return true }) {
			_, isOfRun := ofRun[name]
			switch {
			case flagTables().Only[name] != "":
			case isOfRun && values[name] == "":
				t.Errorf("%s --%s has no value in this test", c.Name(), name)
			case isOfRun:
				keyIs(t, played, name, values[name], false)
			default:
				keyIs(t, played, name, otherValue(c.Flags().Lookup(name)), true)
			}
		}
	}
	for _, c := range newRoot(&system{getenv: noVariables}).Commands() {
		if tested := c.Name() == "run" || c.Name() == "sweep"; tested != (c.Flags().Lookup("config") != nil) {
			t.Errorf("%s takes --config: %v", c.Name(), !tested)
		}
	}
}

// command is a command of the program.
func command(name string) *cobra.Command {
	c, _, _ := newRoot(&system{getenv: noVariables}).Find([]string{name})
	return c
}

// keyIs checks that a configuration file may name a flag, and that it sets own flags.
func keyIs(t *testing.T, played, name, value string, own bool) {
	t.Helper()
	flags := func() *pflag.FlagSet { return command(played).Flags() }
	byFlag := flags()
	if err := byFlag.Set(name, value); err != nil {
		t.Fatalf("--%s %q: %v", name, value, err)
	}
	forms := []string{value}
	if _, ok := byFlag.Lookup(name).Value.(pflag.SliceValue); ok {
		forms = append(forms, "["+value+"]")
	}
	for _, form := range forms {
		text := name + ": " + form
		byKey, wins := flags(), flags()
		given := bench.Input{File: "f.yaml", Content: []byte(text), Own: ownKeys(byKey)}
		if err := setOwnKeys(byKey, given); err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if !own {
			continue
		}
		if got, want := byKey.Lookup(name), byFlag.Lookup(name); got.Value.String() != want.Value.String() ||
			!got.Changed {
			t.Errorf("%q: %s, want %s", text, got.Value, want.Value)
		}
		if err := wins.Parse([]string{"--" + name + "=" + wins.Lookup(name).DefValue}); err != nil ||
			setOwnKeys(wins, given) != nil {
			t.Fatal(err)
		}
		if got := wins.Lookup(name).Value.String(); got == byFlag.Lookup(name).Value.String() {
			t.Errorf("%q and a flag: %s", text, got)
		}
	}
}

// A key with a wrong value is named, with its line.
func TestOwnKeysErrors(t *testing.T) {
	for text, want := range sharedtest.Table[string](t, "own-key-errors.yaml") {
		all := command("sweep").Flags()
		err := setOwnKeys(all, bench.Input{File: "f.yaml", Content: []byte(text), Own: ownKeys(all)})
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// Flags win over the file, and lists replace the file's lists.
func TestFlagsWin(t *testing.T) {
	config := filepath.Join(t.TempDir(), "run.yaml")
	sharedtest.OK(t, os.WriteFile(config, []byte("model: [expert, random]\nstop: [a, b]\nseeds: 5\nagent: act\n"),
		0o600))
	given := pflag.NewFlagSet("", pflag.ContinueOnError)
	shown := configs.DefaultRun()
	runFlags(given, &shown)
	sharedtest.OK(t, given.Parse([]string{"--model", "vllm:a,b", "--stop", "c,d", "--seeds", "1"}))
	r := sharedtest.Must(resolve(noVariables, given, config))(t)
	if !slices.Equal(r.Model, []string{"vllm:a,b"}) || !slices.Equal(r.Stop, []string{"c,d"}) || r.Seeds != "1" ||
		r.Agent != "act" {
		t.Errorf("%+v", r)
	}
}

// The default suite is for those who choose nothing; HELDOUT_DATA is a default.
func TestResolveDefaults(t *testing.T) {
	var suite configs.Run
	sharedtest.OK(t, configs.LoadSuite("default", &suite))
	folder := t.TempDir()
	for _, e := range catalog.Entries() {
		for _, name := range e.Folders {
			sharedtest.OK(t, os.Mkdir(filepath.Join(folder, name), 0o700))
		}
	}
	suite.Env, _ = catalog.Available(suite.Env, envs.Setup{Data: folder})
	for _, c := range []struct {
		args   []string
		envs   []string
		models []string
		seeds  string
	}{
		{nil, suite.Env, []string{"expert", "random"}, "0-2"},
		{[]string{"--seeds", "7-7"}, suite.Env, []string{"expert", "random"}, "7-7"},
		{[]string{"--model", "vllm:x"}, everyEnv(), []string{"vllm:x"}, "0-0"},
		{[]string{"--env", "pddl"}, []string{"pddl"}, nil, "0-0"},
	} {
		given := pflag.NewFlagSet("", pflag.ContinueOnError)
		shown := configs.DefaultRun()
		runFlags(given, &shown)
		sharedtest.OK(t, given.Parse(c.args))
		getenv := func(name string) string { return map[string]string{"HELDOUT_DATA": folder}[name] }
		r := sharedtest.Must(resolve(getenv, given, ""))(t)
		if !slices.Equal(r.Model, c.models) || r.Seeds != c.seeds || r.Data != folder || !slices.Equal(r.Env, c.envs) {
			t.Errorf("%q: %+v", c.args, r)
		}
	}
}
