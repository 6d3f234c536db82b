package envs

import "fmt"

// Roster is the description and the tasks of an environment, for an Env to embed.
type Roster struct {
	About Info
	List  []Task
}

// Info implements Env.
func (r *Roster) Info() Info { return r.About }

// Tasks implements Env.
func (r *Roster) Tasks() []Task { return r.List }

// Set records a setting, which is part of every condition.
func (r *Roster) Set(option, value string) {
	if r.About.Settings == nil {
		r.About.Settings = map[string]string{}
	}
	r.About.Settings[option] = value
}

// Add puts a task at the end of the benchmark.
func (r *Roster) Add(t Task) {
	t.Index = len(r.List)
	r.List = append(r.List, t)
}

// Verify returns an error unless a task is in the list as it is.
func (r *Roster) Verify(t Task) error {
	if t.Index < 0 || t.Index >= len(r.List) || r.List[t.Index] != t {
		return fmt.Errorf("%s: unknown task %s", r.About.Name, t.ID)
	}
	return nil
}
