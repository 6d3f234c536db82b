package scienceworld

import (
	"slices"
	"strings"
)

// Step carries out what an agent types and returns the observation (core §11).
func (w *World) Step(input string) string {
	if w.trouble != "" {
		return w.trouble
	}
	if w.universe == nil {
		return notInitialized
	}
	switch javaLower(javaTrim(input)) {
	case "help":
		return "Possible actions: \n\t" + strings.Join(w.PossibleActions(), "\n\t")
	case "objects":
		return "Possible object references: \n\t" + strings.Join(w.PossibleObjects(), "\n\t")
	case "task":
		return "Task description:\n" + w.Description()
	}
	// The reference looks around and at the inventory for its record.
	w.history = append(w.history, deed{id: lookAround}, deed{id: viewInventory})
	observation := w.play(input)
	if observation == "" {
		return unknownAction
	}
	return observation
}

// play is a step of the reference's session.
func (w *World) play(input string) string {
	if w.failure != "" {
		w.Score, w.Completed = -1, true
		return w.failure
	}
	if w.choices != nil {
		w.answer(input)
	} else if reason, ok := w.understand(input); !ok {
		w.judge()
		return reason
	}
	observation := w.cycle()
	w.judge()
	return squeeze(javaTrim(observation))
}

// judge takes score and completion from the goals. All ordered ones can be met in a failed task too.
func (w *World) judge() {
	w.Score, w.Completed = w.goals.score(), w.goals.index >= len(w.goals.ordered)
}

// understand queues the one deed that an input means, or says why there is none.
func (w *World) understand(input string) (reason string, ok bool) {
	found := w.parse(input)
	switch {
	case len(found) == 0:
		return NotUnderstood, false
	case len(found) > 1 || len(found[0].deeds) > 1:
		return w.ask(found), false
	}
	w.queue = append(w.queue, w.substituted(found[0].deeds[0]))
	return "", true
}

// substituted is the deed as it is carried out: picking up and putting down are moves.
func (w *World) substituted(d deed) deed {
	switch d.id {
	case pickUp:
		d.b = w.inventory
	case putDown:
		d.b = w.place()
	}
	return d
}

// cycle runs what is queued, lets time pass and goes on while the agent waits.
func (w *World) cycle() (observation string) {
	defer func() {
		if r := recover(); r != nil {
			text, ok := r.(javaError)
			if !ok {
				panic(r)
			}
			w.failure = string(text)
		}
	}()
	for {
		timed := len(w.queue) == 0 || slices.ContainsFunc(w.queue, func(d deed) bool {
			return d.id != lookAround && d.id != viewInventory && d.id != taskText
		})
		observation += w.runQueue()
		w.goals.tick(w)
		if timed {
			clearTicked(w.universe)
			w.tickObject(w.universe)
			w.Moves++
		}
		w.goals.tick(w)
		if w.waiting == 0 {
			return observation
		}
		w.waiting--
	}
}

// runQueue runs what is queued; there is at most one deed.
func (w *World) runQueue() (observation string) {
	queue := w.queue
	w.queue = nil
	for _, d := range queue {
		observation += w.do(d)
		w.history = append(w.history, d)
	}
	return observation
}

// freely runs a free action outside of a step.
func (w *World) freely(id actionID) string {
	switch {
	case w.trouble != "":
		return w.trouble
	case w.universe == nil:
		return notInitialized
	case w.failure != "":
		return w.failure
	}
	d := deed{id: id}
	observation := w.do(d)
	w.history = append(w.history, d)
	return observation
}

// Inventory is what the agent carries.
func (w *World) Inventory() string { return w.freely(viewInventory) }
