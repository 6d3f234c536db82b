package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"heldout/configs"
	"heldout/eval/share/bundle"
	"heldout/eval/training/export"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

func newBundle(sys *system, c *cobra.Command) {
	out := "result" + bundle.Extension
	var about, key string
	var force bool
	c.RunE = func(c *cobra.Command, dirs []string) error {
		if !strings.HasSuffix(out, bundle.Extension) {
			return usage(fmt.Errorf("--out is %q, want a name that ends in %s", out, bundle.Extension))
		}
		if _, err := os.Lstat(out); err == nil && !force {
			return usage(fmt.Errorf("%s exists already; replace it with --force", out))
		}
		details, err := loadAbout(about)
		if err != nil {
			return usage(err)
		}
		runs, err := record.Runs(dirs, sys.tell())
		if err != nil {
			return err
		}
		strange := maps.Clone(details.Models)
		for _, dir := range slices.Concat(runs...) {
			m, err := record.ReadManifest(dir)
			if err != nil {
				return err
			}
			for _, g := range m.Groups {
				delete(strange, g.Condition.Model)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(strange)) {
			sys.warn(fmt.Sprintf("%s: models: no run has %s, so what is said of it is about nothing", about, name))
		}
		sys.saveMemory()
		result, err := bundle.Create(c.Context(), out, runs, details, key)
		if err != nil {
			return err
		}
		for _, name := range result.Paths {
			sys.warn(fmt.Sprintf("the name of %s is a path of a machine, and is in the bundle", name))
		}
		sys.say("%s: %s, %.1f MB (%.1f MB unpacked)", out, table.Counted(len(result.Runs), "run"),
			float64(result.Size)/1e6, float64(result.Unpacked)/1e6)
		if key != "" {
			sys.say("%s: signature; %s", out+bundle.SignatureExtension, result.Signer)
		}
		return nil
	}
	addFlags(c.Flags(), map[string]any{"out": &out, "about": &about, "sign": &key, "force": &force})
}

// loadAbout reads what the authors say, and the training tasks of their manifests.
func loadAbout(file string) (a configs.About, err error) {
	if file == "" {
		return a, nil
	}
	if a, err = configs.LoadAbout(file); err != nil {
		return a, err
	}
	for name, m := range a.Models {
		for _, manifest := range m.TrainingTasks {
			tasks, err := export.ReadTasks(manifest)
			if err != nil {
				return a, fmt.Errorf("%s: training_tasks of %s: %w", file, name, err)
			}
			m.Tasks = m.Tasks.Join(tasks)
		}
		a.Models[name] = m
	}
	return a, nil
}
