package lab

// setUp makes the tables of tasks, the building and the task (tasks §2.3). It
// returns what is wrong, empty if nothing is.
func (w *World) setUp(name string, variation int) (trouble string) {
	w.numbers = registryNumbers
	w.random.seed(int64(variation))
	w.build()
	w.random.seed(int64(variation))
	w.goals = &goals{}
	return ""
}
