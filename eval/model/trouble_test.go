package model

import (
	"testing"
	"time"

	"heldout/envs/sharedtest"
)

func TestWaitsInBodies(t *testing.T) {
	for body, want := range map[string]time.Duration{
		`{"retryDelay": "38s"}`:                              38 * time.Second,
		`{"retryDelay":"0.5s"}`:                              500 * time.Millisecond,
		`{"retry_after":7}`:                                  7 * time.Second,
		`{"retry_after_ms": 250}`:                            250 * time.Millisecond,
		"Please try again in 1m2.5s.":                        62500 * time.Millisecond,
		"Please try again in 120ms. Visit":                   120 * time.Millisecond,
		"try again in 2h3m. Need more tokens?":               123 * time.Minute,
		"Retry after 20 seconds":                             20 * time.Second,
		"please wait 2 minutes":                              2 * time.Minute,
		"please retry in 46.3s":                              46300 * time.Millisecond,
		"Limit 20, used 20":                                  0,
		`{"error":{"message":"slow down","code":429}}`:       0,
		"retry later":                                        0,
		`{"retryDelay":"38000s","quotaId":"RequestsPerDay"}`: 38000 * time.Second,
	} {
		sharedtest.Equal(t, waitIn([]byte(body)), want, body)
	}
}

func TestSpentQuotas(t *testing.T) {
	for body, want := range map[string]bool{
		`[{"error":{"message":"quota","details":[{"quotaId":"RequestsPerDay"},{"retryDelay":"38000s"}]}}]`: false,
		`{"error":{"message":"You exceeded your daily limit"}}`:                                            true,
		`{"error":{"message":"x","type":"insufficient_quota"}}`:                                            true,
		`{"error":{"message":"check your plan and billing details, retry in 37s"}}`:                        false,
		`{"error":{"message":"tokens per day (TPD). Please try again in 8m12s"}}`:                          false,
		`{"error":{"message":"requests per minute"}}`:                                                      false,
	} {
		said, _ := readWords([]byte(body))
		sharedtest.Equal(t, said.spent(waitIn([]byte(body)), []byte(body)), want, body)
	}
}
