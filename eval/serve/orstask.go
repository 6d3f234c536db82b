package serve

import (
	"encoding/json"
	"math/big"

	"heldout/envs"
)

// orsTask finds the task that a request chooses. What is wrong with the request
// becomes an issue of the form.
func (m *Mount) orsTask(f *form) (*Set, envs.Task, error) {
	spec, described := f.values["task_spec"]
	_, split := f.values["split"]
	_, index := f.values["index"]
	switch {
	case described && (split || index), !described && !(split && index):
		f.add("value_error", "Value error, Provide either task_spec or both split and index, not both/neither", f.all)
	case described:
		return m.described(f, spec)
	default:
		name, at := f.text("split"), f.whole("index")
		if len(f.issues) > 0 {
			return nil, envs.Task{}, nil
		}
		return m.counted(name, at)
	}
	return nil, envs.Task{}, nil
}

// counted finds a task by its index in a split. A negative index counts from the
// end.
func (m *Mount) counted(split string, index *big.Int) (*Set, envs.Task, error) {
	set, err := m.Set(split)
	if err != nil {
		return nil, envs.Task{}, err
	}
	if index.Sign() < 0 {
		index.Add(index, big.NewInt(int64(len(set.Tasks))))
	}
	if !index.IsInt64() {
		return nil, envs.Task{}, &ChoiceError{"index", "there is no such task"}
	}
	t, err := m.find(set, Choice{Index: new(index.Int64())})
	return set, t, err
}

// described finds a task by a description as the task routes list it: its id.
func (m *Mount) described(f *form, spec json.RawMessage) (*Set, envs.Task, error) {
	var task struct {
		ID *string `json:"id"`
	}
	if kind(spec) != '{' || json.Unmarshal(spec, &task) != nil || task.ID == nil {
		f.add("value_error", `Value error, want a task as the task routes list it, with its "id"`, spec, "task_spec")
		return nil, envs.Task{}, nil
	}
	return m.anywhere(*task.ID)
}

// anywhere finds a task in any split. The error is that of the default one.
func (m *Mount) anywhere(id string) (set *Set, t envs.Task, err error) {
	for i, split := range m.SplitNames() {
		in, found, problem := m.Find(Choice{Split: split, TaskID: id})
		if problem == nil {
			return in, found, nil
		}
		if i == 0 {
			err = problem
		}
	}
	return nil, t, err
}
