package serve

import "golang.org/x/sync/errgroup"

// batchWorkers is how many sessions of a request are stepped at the same time.
const batchWorkers = 32

// resultList answers a request with many entries.
type resultList struct {
	Results []any `json:"results"`
}

// sideBySide fills in the answers of those entries of a request that have a session. Entries of one session run in
// order, sessions in parallel. Step carries out the entry at a place; first is its session's first one. Fail is the
// answer to an error: if a session ends while a step goes on and on, all its entries have one.
func sideBySide(sessions []*Session, answers []any, step func(place int, first bool) (any, error),
	fail func(error) any) {
	places := map[*Session][]int{}
	for place, session := range sessions {
		places[session] = append(places[session], place)
	}
	var stepping errgroup.Group
	stepping.SetLimit(batchWorkers)
	for place, session := range sessions {
		own := places[session]
		if session == nil || own[0] != place {
			continue
		}
		stepping.Go(func() error {
			replies, err := runUntilEnd(session, func() ([]any, error) { return inOrder(own, step, fail), nil })
			for i, place := range own {
				if err != nil {
					answers[place] = fail(err)
				} else {
					answers[place] = replies[i]
				}
			}
			return nil
		})
	}
	_ = stepping.Wait() // always nil
}

// inOrder carries out the entries of one session.
func inOrder(places []int, step func(place int, first bool) (any, error), fail func(error) any) []any {
	replies := make([]any, len(places))
	for i, place := range places {
		reply, err := step(place, i == 0)
		if err != nil {
			reply = fail(err)
		}
		replies[i] = reply
	}
	return replies
}
