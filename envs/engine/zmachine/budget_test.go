package zmachine

import (
	"fmt"
	"sync"
	"testing"
)

// Machines that remember at the same time keep to their budget together, however many they are.
func TestMachinesShareABudget(t *testing.T) {
	const limit, machines = 12 << 20, 12
	b := NewBudget(func(int64) int64 { return limit }, machines, func() bool { return false })
	story := lowlight(t)
	var wg sync.WaitGroup
	for range machines {
		wg.Go(func() {
			m := New(story, Options{Seed: 1, Remember: b})
			if err := m.Start(); err != nil {
				t.Error(err)
			}
			for i := range 150 {
				_ = m.Step(fmt.Sprintf("put lamp in sack then examine %d", i))
				if used := b.Used(); used > limit+limit/3 {
					t.Errorf("%d of %d bytes are used", used, limit)
				}
			}
			m.Release()
		})
	}
	if wg.Wait(); b.Used() != 0 {
		t.Errorf("%d bytes are in use when all are released", b.Used())
	}
}
