package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/catalog"
	"heldout/envs/datafile"
	"heldout/eval/bench"
)

func optionFlags(f *pflag.FlagSet, r *configs.Run, groups ...configs.OptionGroup) {
	for _, o := range configs.Options() {
		if slices.Contains(groups, o.Group) {
			optionFlag(f, r, o)
		}
	}
}

// optionFlag adds the flag of an option, which sets its field in a run or a part of one.
func optionFlag(f *pflag.FlagSet, in any, o configs.Option) {
	switch field := o.Pointer(in).(type) {
	case *configs.Servers:
		f.StringArrayVar((*[]string)(&field.List), o.Name, field.List, "")
	case *configs.Strings:
		if o.Commas {
			commaFlag(f, (*[]string)(field), o.Name)
		} else {
			f.StringArrayVar((*[]string)(field), o.Name, *field, "")
		}
	default:
		addFlags(f, map[string]any{o.Name: field})
	}
	added := f.Lookup(o.Name)
	added.Usage = o.Help
	if annotate(added, flagGroup, o.Group.Title()); o.First {
		annotate(added, flagFirst, "yes")
	}
}

// addFlags adds flags that set what they point to, by their names. What stands there is their default.
func addFlags(f *pflag.FlagSet, pointers map[string]any) {
	for name, pointer := range pointers {
		switch field := pointer.(type) {
		case *string:
			f.StringVar(field, name, *field, "")
		case *bool:
			f.BoolVar(field, name, *field, "")
		case *int:
			f.IntVar(field, name, *field, "")
		case *int64:
			f.Int64Var(field, name, *field, "")
		case *float64:
			f.Float64Var(field, name, *field, "")
		case *time.Duration:
			f.DurationVar(field, name, *field, "")
		case *[]string:
			commaFlag(f, field, name)
		case *configs.Names:
			f.Var(listFlag[configs.Names, *configs.Names]{field, "SPEC=TEXT"}, name, "")
		case *configs.Prices:
			f.Var(listFlag[configs.Prices, *configs.Prices]{field, "SPEC=PRICES"}, name, "")
		case *configs.HeldIn:
			f.Var(listFlag[configs.HeldIn, *configs.HeldIn]{field, "MODEL=ENV"}, name, "")
		case *configs.Identity:
			f.Var(listFlag[configs.Identity, *configs.Identity]{field, "KEY=VALUE"}, name, "")
		case *map[string]any:
			f.Var((*jsonObject)(field), name, "")
		case pflag.Value:
			f.Var(field, name, "")
		default:
			panic(fmt.Sprintf("no flag has a value as %T, as --%s has", field, name)) // a test makes all flags
		}
	}
}

func runFlags(f *pflag.FlagSet, r *configs.Run) {
	for _, o := range configs.Options() {
		if o.Group != configs.Sweeping {
			optionFlag(f, r, o)
		}
	}
	settingFlags(f, &r.Setup)
}

// explainFlags says of the flags of a command what the texts of its own say, else of those that are not explained
// yet what flags.yaml or an option of their name does.
func explainFlags(f *pflag.FlagSet, own map[string]string, lists *strings.Replacer) {
	f.VisitAll(func(f *pflag.Flag) {
		if o, _ := configs.FindOption(f.Name); !f.Hidden {
			f.Usage = lists.Replace(cmp.Or(own[f.Name], f.Usage, flagTables().Texts[f.Name], o.Help))
		}
	})
}

// setupFlags adds the flags that say how environments are set up. The help of a command leaves out the settings of
// single environments, which heldout envs NAME shows.
func setupFlags(f *pflag.FlagSet, s *envs.Setup) {
	data, _ := configs.FindOption("data")
	optionFlag(f, s, data)
	settingFlags(f, s)
}

func settingFlags(f *pflag.FlagSet, s *envs.Setup) {
	for _, setting := range catalog.Settings() {
		v := f.VarPF(&settingValue{setting: setting, settings: &s.Settings}, setting.Name, "", setting.Help)
		v.Hidden = true
		if setting.Type == envs.Switch {
			v.NoOptDefVal = "true"
		}
	}
}

type settingValue struct {
	setting  envs.Setting
	settings *envs.Settings
}

// String implements pflag.Value.
func (v *settingValue) String() string {
	if v.settings == nil {
		return ""
	}
	return (*v.settings)[v.setting.Name]
}

// Set implements pflag.Value. Environments that share the name may have other
// values, so those are checked once the environments are known.
func (v *settingValue) Set(value string) error {
	if v.setting.Type != envs.Choice {
		if err := v.setting.Check(value); err != nil {
			return err
		}
	}
	if *v.settings == nil {
		*v.settings = envs.Settings{}
	}
	(*v.settings)[v.setting.Name] = value
	return nil
}

// Type implements pflag.Value.
func (v *settingValue) Type() string { return string(v.setting.Type) }

// onceText is a text that is given once: the keys of two files would not be joined.
type onceText string

func (o *onceText) String() string { return string(*o) }

func (o *onceText) Set(text string) error {
	if *o != "" {
		return fmt.Errorf("it was given before as %s; write all keys into one file", *o)
	}
	*o = onceText(text)
	return nil
}

func (o *onceText) Type() string { return "string" }

type jsonObject map[string]any

func (o *jsonObject) String() string {
	if len(*o) == 0 {
		return ""
	}
	b, _ := json.Marshal(map[string]any(*o)) // what was read can be written
	return string(b)
}

func (o *jsonObject) Set(s string) error {
	var m map[string]any
	if err := datafile.Unmarshal([]byte(s), &m); err != nil {
		return fmt.Errorf("want a JSON object such as {\"top_k\":20}: %w", err)
	}
	*o = m
	return nil
}

func (o *jsonObject) Type() string { return "json" }

// ownKeys are the flags that are keys of a configuration file and no matter of
// configs.Run: they say what the command itself does.
func ownKeys(flags *pflag.FlagSet) []string {
	ofRun := flagsOf(new(configs.Run))
	return namesOf(flags, func(name string) bool { return ofRun.Lookup(name) == nil && flagTables().Only[name] == "" })
}

// setOwnKeys sets flags that were not given to what the configuration file says.
func setOwnKeys(flags *pflag.FlagSet, input bench.Input) error {
	keys, err := input.Parse(&configs.Run{})
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(keys)) {
		f, values := flags.Lookup(name), keys[name]
		if f.Changed {
			continue
		}
		if err := setFlag(f, values); err != nil {
			return fmt.Errorf("%s:%d: %s: %w", input.File, values.Line, name, err)
		}
	}
	return nil
}

func setFlag(f *pflag.Flag, values configs.Values) error {
	f.Changed = true
	if list, ok := f.Value.(pflag.SliceValue); ok && values.List {
		return list.Replace(values.Texts)
	}
	if values.List {
		return errors.New("it takes one value")
	}
	err := f.Value.Set(values.Texts[0])
	switch {
	case err == nil:
		return nil
	case f.Value.Type() == "bool":
		return fmt.Errorf("want true or false, not %q", values.Texts[0])
	case f.Value.Type() == "duration":
		return fmt.Errorf("want a duration such as 30s, not %q", values.Texts[0])
	}
	return err
}

type flagger func(*pflag.FlagSet, *configs.Run)

func override(r *configs.Run, flags *pflag.FlagSet) error { return apply(r, flagsOfRun(flags, nil)) }

// refuseFlags reports a flag in use that a format does not have.
func refuseFlags(c *cobra.Command, format string, names ...string) (err error) {
	c.Flags().Visit(func(f *pflag.Flag) {
		if !slices.Contains(names, f.Name) && f.Name != setFlagName {
			err = cmp.Or(err, fmt.Errorf("--%s is not for --format %s", f.Name, format))
		}
	})
	return err
}
