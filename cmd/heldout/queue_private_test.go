package main

import "testing"

func TestPrivateAddresses(t *testing.T) {
	for listen, want := range map[string]bool{
		"127.0.0.1:4222": true, "localhost:4222": true, "[::1]:4222": true, "127.9.9.9:1": true,
		":4222": false, "0.0.0.0:4222": false, "[::]:4222": false, "192.168.0.7:4222": false, "node7:4222": false,
		"nonsense": false,
	} {
		if private(listen) != want {
			t.Errorf("%s: want %v", listen, want)
		}
	}
}
