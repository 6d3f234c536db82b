package minigrid

// ViewSize is the width and height of what the agent sees.
const ViewSize = 7

// View is what the agent sees: ViewSize rows of ViewSize cells, the farthest row first and each from left to right.
// The agent is in the middle of the last row; its own cell shows what it carries.
type View [ViewSize * ViewSize]Code

// Cell returns the code in column i of row j.
func (v *View) Cell(i, j int) Code { return v[j*ViewSize+i] }

// View returns what the agent saw after the last step or, before the first step, at the start. If the agent carries
// something from the start, the first view is the view before the agent took it (§8.5).
func (w *World) View() *View { return &w.view }

// InView returns the cell that column i of row j of the view shows.
func (p Pose) InView(i, j int) Point {
	forward, right := p.Dir.Vector(), p.Dir.Right().Vector()
	return p.Add(forward.Times(ViewSize - 1 - j)).Add(right.Times(i - ViewSize/2))
}

// see updates the view.
func (w *World) see() { w.view = w.ViewFrom(w.agent) }

// ViewFrom returns what the agent would see if it were elsewhere (§2.4).
func (w *World) ViewFrom(pose Pose) (view View) {
	var ids [ViewSize * ViewSize]ID
	corner := pose.InView(0, 0)
	right, back := pose.Dir.Right().Vector(), pose.Dir.Vector().Times(-1)
	for j := range ViewSize {
		p := corner.Add(back.Times(j))
		for i := range ViewSize {
			ids[j*ViewSize+i] = w.idAt(p)
			p = p.Add(right)
		}
	}
	visible := w.visible(&ids)
	for k, id := range ids {
		if visible[k] {
			view[k] = w.objects[id].Code
		}
	}
	view[own] = w.objects[w.carrying].Code
	return view
}

// own is the place of the agent's own cell in the view.
const own = (ViewSize-1)*ViewSize + ViewSize/2

// visible returns which cells of the view are visible. Visibility spreads from the agent row by row, first to the
// right and then to the left. If the agent's own cell holds an object, it is an open door.
func (w *World) visible(ids *[ViewSize * ViewSize]ID) (visible [ViewSize * ViewSize]bool) {
	visible[own] = true
	spread := func(i, j, side int) {
		k := j*ViewSize + i
		o := &w.objects[ids[k]]
		opaque := o.Kind == Wall || o.Kind == Door && o.State != Open
		if !visible[k] || k != own && opaque {
			return
		}
		visible[k+side] = true
		if j > 0 {
			visible[k+side-ViewSize] = true
			visible[k-ViewSize] = true
		}
	}
	for j := ViewSize - 1; j >= 0; j-- {
		for i := 0; i < ViewSize-1; i++ {
			spread(i, j, 1)
		}
		for i := ViewSize - 1; i > 0; i-- {
			spread(i, j, -1)
		}
	}
	return visible
}
