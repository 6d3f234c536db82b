package lab

// goals is the sequence of goals of a task (core §13).
type goals struct{}

func (g *goals) tick(w *World)                           {}
func (g *goals) reset()                                  {}
func (g *goals) score() float64                          { return 0 }
func (g *goals) completed() bool                         { return false }
func (g *goals) progress() string                        { return "" }
func (g *goals) clone(swap func(*Object) *Object) *goals { return g }
