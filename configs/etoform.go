package configs

// eto is ETO's eval_agent.
func eto(p *Preset) {
	p.Agent.Form = Chat
	p.Observation.Prefix = "Observation: "
	p.Decoding.Template = "that of the model's path name"
}

// etoSciWorld is ETO's ScienceWorld.
func etoSciWorld(p *Preset) {
	eto(p)
	p.Env.Limit.ByType = map[string]int{
		"measure-melting-point-known-substance": 120, "boil": 100, "melt": 80, "freeze": 80,
		"change-the-state-of-matter-of": 80, "grow-fruit": 60, "chemistry-mix": 60, "use-thermometer": 30,
		"power-component-renewable-vs-nonrenewable-energy": 30, "test-conductivity": 30,
		"test-conductivity-of-unknown-substances": 30, "grow-plant": 30, "chemistry-mix-paint-tertiary-color": 30,
		"identify-life-stages-1": 30, "identify-life-stages-2": 30, "power-component": 20, "find-animal": 15,
		"find-living-thing": 15, "find-non-living-thing": 15, "find-plant": 15,
		"chemistry-mix-paint-secondary-color": 15, "lifespan-longest-lived-then-shortest-lived": 12,
		"lifespan-longest-lived": 10, "lifespan-shortest-lived": 10,
	}
	p.Metric.Exact, p.Metric.FormatErrorResets, p.Metric.Loose = true, true, "done"
	if p.Env.Part == "unseen" {
		p.Env.Tasks.FirstOfType = 10
		p.Env.Tasks.SkipTypes = []string{"measure-melting-point-unknown-substance", "inclined-plane-determine-angle",
			"inclined-plane-friction-named-surfaces", "inclined-plane-friction-unnamed-surfaces",
			"mendelian-genetics-known-plant", "mendelian-genetics-unknown-plant"}
	}
}
