package sharedtest

import "flag"

// Crowd lets n parallel tests run at once, where the flag -parallel says nothing else. A package calls it in
// TestMain if its tests spend most of their time in waits for programs, servers and time limits.
func Crowd(n string) {
	if err := flag.Set("test.parallel", n); err != nil {
		panic(err)
	}
}
