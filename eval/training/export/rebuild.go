package export

import (
	"context"
	"errors"

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
	rebuild := x.rebuildPlayed
	if isExpert(p.condition) {
		rebuild = x.expert
	}
	calls, err := rebuild(ctx, r, e, p)
	if differs, ok := errors.AsType[*differsError](err); ok {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		x.report.differs(e, differs.error)
		return nil, nil
	}
	if calls == nil {
		calls = []episode.Call{} // an episode without steps
	}
	return calls, err
}

// differsError says how an episode, played again, is not as recorded.
type differsError struct{ error }

func (x *exporter) rebuildPlayed(ctx context.Context, r *runSource, e *record.Episode, p planned) ([]episode.Call,
	error) {
	b, err := x.prompts.Rebuilder(r.manifest, *p.condition)
	if err != nil {
		return nil, err
	}
	env, task, err := x.prompts.NeededEnv(b, *p.condition, *p.task)
	if err != nil {
		return nil, err
	}
	return rebuild(ctx, b, e, env, task)
}

// rebuild rebuilds the calls of an episode; the error is a *differsError if it is not as recorded.
func rebuild(ctx context.Context, b *episode.Rebuilder, e *record.Episode, env envs.Env, t envs.Task) ([]episode.Call,
	error) {
	calls, err := b.Calls(ctx, e, env, t)
	if err != nil && ctx.Err() == nil {
		err = &differsError{err}
	}
	return calls, err
}
