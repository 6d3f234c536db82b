package sharedtest

import "flag"

// Crowd lets four parallel tests run at once, where the flag -parallel says nothing
// else. A package calls it in TestMain if its tests spend most of their time in waits
// for programs, servers and time limits.
func Crowd() {
	if err := flag.Set("test.parallel", "4"); err != nil {
		panic(err)
	}
}
