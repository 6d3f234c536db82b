package export

import (
	"context"

	"heldout/configs"
	"heldout/envs"
	"heldout/eval/episode"
	"heldout/scoring/record"
)

// noChat says why the episodes of a condition are not conversations of texts; "" if they are.
func noChat(c *record.Condition) Reason {
	switch {
	case isExpert(c) && c.Preset == nil:
		return ""
	case c.Decoding == nil:
		return NoModel
	case c.Completions || c.Agent == configs.Completion:
		return Text
	case c.Agent == configs.ToolCall:
		return Called
	}
	return ""
}

// calls rebuilds the calls of an episode; nil if it is not as recorded.
func (x *exporter) calls(ctx context.Context, r *runSource, e *record.Episode, p planned) ([]episode.Call, error) {
	if isExpert(p.condition) {
		return x.expert(ctx, r, e, p)
	}
	b, err := x.prompts.Rebuilder(r.manifest, *p.condition)
	if err != nil {
		return nil, err
	}
	env, task, err := x.prompts.NeededEnv(b, *p.condition, *p.task)
	if err != nil {
		return nil, err
	}
	return x.rebuild(ctx, b, e, env, task)
}

// rebuild rebuilds the calls of an episode; nil if it is not as recorded, which the report then says.
func (x *exporter) rebuild(ctx context.Context, b *episode.Rebuilder, e *record.Episode, env envs.Env,
	t envs.Task) ([]episode.Call, error) {
	calls, err := b.Calls(ctx, e, env, t)
	switch {
	case err == nil && calls == nil:
		return []episode.Call{}, nil // an episode without steps
	case err != nil && ctx.Err() == nil:
		x.report.differs(e, err)
		return nil, nil
	}
	return calls, err
}
