package episode

import "testing"

func TestParseSearch(t *testing.T) {
	for name, want := range map[string]int{
		"search:mcts": defaultSearchBudget, "search:best-first:20": 20, "search:mcts:100000": 100_000,
	} {
		if way, budget, ok, err := ParseSearch(name); !ok || err != nil || budget != want || way == "" {
			t.Errorf("%s: %q %d %v %v", name, way, budget, ok, err)
		}
	}
	for _, name := range []string{"search:", "search:guess", "search:mcts:", "search:mcts:0", "search:mcts:-3",
		"search:mcts:100001", "search:mcts:9:9", "search:mcts:x"} {
		if _, _, ok, err := ParseSearch(name); !ok || err == nil {
			t.Errorf("%s: %v %v", name, ok, err)
		}
	}
	for _, name := range []string{"expert", "vllm:search:mcts", "searching"} {
		if _, _, ok, err := ParseSearch(name); ok || err != nil {
			t.Errorf("%s: %v %v", name, ok, err)
		}
	}
}
