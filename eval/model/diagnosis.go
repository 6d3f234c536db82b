package model

import (
	"fmt"
	"maps"
)

const (
	// LeastUsable: a model can be benchmarked if at least one reply in 20 is usable.
	LeastUsable = 20
	// notable: a symptom is reported if at least one reply in 10 has it.
	notable = 10
)

// ReplyCounts counts replies of a model by what is wrong with them.
type ReplyCounts struct {
	Replies int
	// Readable replies had an action, and Valid ones one that the environment understood.
	Readable, Valid int
	// Lost counts the replies without an action by their symptoms, Marred the others.
	Lost, Marred map[Symptom]int
	// OneReply: the server gave one reply for all seeds. Cache: it replied otherwise once it
	// had the prompt in its cache.
	OneReply, Cache bool
}

// Add counts a reply.
func (t *ReplyCounts) Add(r Reading) {
	if t.Lost == nil {
		t.Lost, t.Marred = map[Symptom]int{}, map[Symptom]int{}
	}
	t.Replies++
	counts := t.Lost
	if r.Readable {
		t.Readable++
		counts = t.Marred
	}
	if r.Readable && r.Valid {
		t.Valid++
	}
	if s := r.Symptom(); s != "" {
		counts[s]++
	}
}

// Join adds the replies of another tally.
func (t *ReplyCounts) Join(added ReplyCounts) {
	if t.Lost == nil {
		t.Lost, t.Marred = map[Symptom]int{}, map[Symptom]int{}
	}
	t.Replies, t.Readable, t.Valid = t.Replies+added.Replies, t.Readable+added.Readable, t.Valid+added.Valid
	for _, s := range Symptoms() {
		t.Lost[s] += added.Lost[s]
		t.Marred[s] += added.Marred[s]
	}
}

// Diagnosis is the one thing that is most wrong with a model.
type Diagnosis struct {
	ReplyCounts
	// Symptom is empty if nothing is worth a word, and Count the number of replies with it.
	Symptom Symptom
	Count   int
	Advice  string
}

// Diagnose finds what is most wrong: what costs actions comes first, then what is wrong with
// replies that could be used, with all actions, and with the server.
func (t ReplyCounts) Diagnose(a Adviser) Diagnosis {
	d := Diagnosis{ReplyCounts: t}
	d.Lost, d.Marred = maps.Clone(t.Lost), maps.Clone(t.Marred)
	lost, lostCount := top(t.Lost)
	marred, marredCount := top(t.Marred)
	switch {
	case (t.Replies-t.Readable)*notable >= t.Replies && lostCount > 0:
		d.Symptom, d.Count = lost, lostCount
	case t.Readable > 0 && t.Valid == 0:
		d.Symptom, d.Count = InvalidActions, t.Readable
	case marredCount*notable >= t.Replies && marredCount > 0:
		d.Symptom, d.Count = marred, marredCount
	case t.OneReply && a.Decoding.Temperature > 0:
		d.Symptom = SeedsIgnored
	case t.Cache:
		d.Symptom = CacheSensitive
	}
	d.Advice = a.Advice(d.Symptom)
	if (d.Symptom == Prose || d.Symptom == InvalidActions) && a.hot() && t.rambles() {
		d.Advice = a.calmer(Repetition)
	}
	return d
}

// rambles reports whether many replies go on and on, which is what improbable tokens do to a
// small model: then the format is not what to begin with.
func (t ReplyCounts) rambles() bool {
	const share = 5 // one in so many
	endless := t.Lost[Rambling] + t.Lost[Repetition] + t.Marred[LongTail]
	return endless > 0 && endless*share >= t.Replies
}

// top is the most frequent symptom, and of several the first.
func top(counts map[Symptom]int) (first Symptom, count int) {
	for _, s := range Symptoms() {
		if counts[s] > count {
			first, count = s, counts[s]
		}
	}
	return first, count
}

// Unusable reports whether so few replies had an action that a run would set the model aside.
func (d Diagnosis) Unusable() bool { return d.Readable*LeastUsable < d.Replies }

// String is the diagnosis in one line, with the advice.
func (d Diagnosis) String() string {
	text := fmt.Sprintf("keeps the format in %d of %d replies", d.Readable, d.Replies)
	if d.Symptom == "" {
		return text
	}
	return text + "; " + d.Complaint() + "; " + d.Advice
}

// Complaint says what is wrong, and in how many replies.
func (d Diagnosis) Complaint() string {
	switch {
	case d.Symptom == InvalidActions && d.Count == 1:
		return "its one action is not valid"
	case d.Symptom == InvalidActions:
		return fmt.Sprintf("none of its %d actions is valid", d.Count)
	case d.Count == 0:
		return string(d.Symptom)
	}
	return fmt.Sprintf("%s in %d", d.Symptom, d.Count)
}
