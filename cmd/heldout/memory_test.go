package main

import "testing"

func TestMemorySize(t *testing.T) {
	for text, want := range map[string]memorySize{"4GB": 4000, "800 mb": 800, "100MB": 100} {
		var m memorySize
		if err := m.Set(text); err != nil || m != want {
			t.Errorf("%s is %d, %v", text, m, err)
		}
	}
	for _, text := range []string{"", "4", "4GiB", "99MB", "-1GB", "1.5GB", "GB", "99999999999GB"} {
		var m memorySize
		if m.Set(text) == nil {
			t.Errorf("%q is %d", text, m)
		}
	}
}

func TestMemoryInUse(t *testing.T) {
	before, collections := memoryInUse()
	limit := memorySize(0).limit()
	if before <= 0 || limit.Limit != 0 {
		t.Errorf("%d bytes after %d collections; the limit is %d", before, collections, limit.Limit)
	}
}
