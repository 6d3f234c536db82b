package bench

import (
	"cmp"
	"fmt"
	"maps"
	"strconv"
	"strings"

	"heldout/configs"
)

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
