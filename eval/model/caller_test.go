package model

import (
	"net/http"
	"testing"
	"time"

	"heldout/envs/sharedtest"
)

func FuzzRetryAfter(f *testing.F) {
	for _, value := range []string{"", "0", "1", "-1", "1.5", "1e9", "1e999", "NaN", "Inf", "-Inf", "0x10p4", "soon",
		"Fri, 31 Dec 1999 23:59:59 GMT",
		"Friday, 31-Dec-99 23:59:59 GMT", "Fri Dec 31 23:59:59 9999"} {
		f.Add(value)
	}
	now := time.Date(1999, 12, 31, 23, 59, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, value string) {
		if wait := retryAfter(http.Header{"Retry-After": {value}}, now); wait < 0 || wait > 101*365*24*time.Hour {
			t.Errorf("Retry-After %q gives a wait of %v", value, wait)
		}
	})
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(1999, 12, 31, 23, 59, 0, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"":                               0,
		"120":                            2 * time.Minute,
		"1.5":                            1500 * time.Millisecond,
		"1e9":                            1e9 * time.Second,
		"Fri, 31 Dec 1999 23:59:59 GMT":  59 * time.Second,
		"Friday, 31-Dec-99 23:59:59 GMT": 59 * time.Second,
		"Fri Dec 31 23:59:59 1999":       59 * time.Second,
		"Fri, 31 Dec 1999 23:00:00 GMT":  0,
		"later":                          0,
	} {
		sharedtest.Equal(t, retryAfter(http.Header{"Retry-After": {value}}, now), want, "Retry-After", value,
			"gives a wait of")
	}
}

// An address that is none is an error of the question, not an empty answer.
func TestGetOfNoAddress(t *testing.T) {
	var list struct{}
	if err := (&exchange{}).fetch(t.Context(), "http://\x7f", nil, &list); err == nil {
		t.Error("there is no error")
	}
}
