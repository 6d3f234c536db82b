package serve

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"heldout/envs"
	"heldout/scoring/table"
)

// serveTasks answers the routes that list tasks: list_environments, {env}/splits, {env}/tasks, {env}/num_tasks,
// {env}/task and {env}/task_range. The environment of a mount has the mount's name.
func (s *Server) serveTasks(w http.ResponseWriter, r *http.Request, m *Mount, path string) {
	env, route, ok := strings.Cut(path, "/")
	method := http.MethodPost
	switch {
	case path == "list_environments":
		method = http.MethodGet
	case !ok || !slices.Contains([]string{"splits", "tasks", "num_tasks", "task", "task_range"}, route):
		notFound(w)
		return
	case env != m.Name:
		refuse(w, http.StatusNotFound, "unknown environment '"+table.Shortened(env, quotedBytes)+"'")
		return
	case route == "splits":
		method = http.MethodGet
	}
	switch {
	case r.Method != method:
		notAllowed(w, method)
	case path == "list_environments":
		writeJSON(w, http.StatusOK, []string{m.Name})
	case route == "splits":
		writeJSON(w, http.StatusOK, splitList(m))
	default:
		s.answerTasks(w, r, m, route)
	}
}

type splitInfo struct {
	Name string `json:"name"`
	Type string `json:"type"` // train, validation or test
}

// splitList lists the splits of a mount, the default first.
func splitList(m *Mount) []splitInfo {
	list := []splitInfo{}
	for _, name := range m.SplitNames() {
		kind := "validation"
		switch {
		case strings.Contains(name, "train"):
			kind = "train"
		case strings.Contains(name, "test"):
			kind = "test"
		}
		list = append(list, splitInfo{name, kind})
	}
	return list
}

type taskInfo struct {
	ID         string          `json:"id"`
	Index      int             `json:"index"`
	Type       string          `json:"type"`
	Difficulty envs.Difficulty `json:"difficulty,omitempty"`
}

// infoOf lists the task of a set at a place.
func infoOf(tasks []envs.Task, i int) taskInfo {
	return taskInfo{tasks[i].ID, i, tasks[i].Type, tasks[i].Difficulty}
}

// taskRange lists the tasks from start to stop, which is exclusive.
func taskRange(tasks []envs.Task, start, stop int) []taskInfo {
	list := []taskInfo{}
	for i := start; i < stop; i++ {
		list = append(list, infoOf(tasks, i))
	}
	return list
}

type taskRequest struct {
	Split string   `json:"split"`
	Index *integer `json:"index"`
	Start *integer `json:"start"`
	Stop  *integer `json:"stop"`
}

// answerTasks answers a route about the tasks of a split.
func (s *Server) answerTasks(w http.ResponseWriter, r *http.Request, m *Mount, route string) {
	body, ok := readBody(w, r)
	if !ok {
		return
	}
	var q taskRequest
	if body != nil && json.Unmarshal(body, &q) != nil {
		invalidBody(w, fieldError{Type: "value_error", Loc: []string{"body"},
			Msg: "want an object with split, index, start or stop", Input: body})
		return
	}
	set, err := m.Set(q.Split)
	if _, unknown := err.(*ChoiceError); unknown {
		refuse(w, http.StatusBadRequest, "Invalid split")
		return
	}
	if err != nil {
		answer(w, nil, err)
		return
	}
	n := len(set.Tasks)
	var answer struct {
		Task    *taskInfo  `json:"task,omitempty"`
		Tasks   []taskInfo `json:"tasks,omitzero"`
		Num     *int       `json:"num_tasks,omitempty"`
		EnvName string     `json:"env_name,omitempty"`
	}
	switch route {
	case "tasks":
		answer.Tasks, answer.EnvName = taskRange(set.Tasks, 0, n), m.Name
	case "num_tasks":
		answer.Num = &n
	case "task_range":
		answer.Tasks = taskRange(set.Tasks, bound(q.Start, 0, n), bound(q.Stop, n, n))
	case "task":
		if q.Index == nil || *q.Index < 0 || int(*q.Index) >= n {
			refuse(w, http.StatusBadRequest, "Invalid task index")
			return
		}
		answer.Task = new(infoOf(set.Tasks, int(*q.Index)))
	}
	writeJSON(w, http.StatusOK, answer)
}

// bound returns an end of a slice by Python's rules: negative numbers count from the
// end, and everything is cut to 0…n.
func bound(i *integer, otherwise, n int) int {
	end := i.or(otherwise)
	if end < 0 {
		end += n
	}
	return min(max(end, 0), n)
}
