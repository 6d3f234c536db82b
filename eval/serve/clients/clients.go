// Package clients holds small Python files that bring a heldout server into other
// frameworks. Each imports only its framework and the openenv client.
package clients

import (
	"embed"
	"fmt"
	"slices"
	"strings"
)

//go:embed *.py
var files embed.FS

// Client is a file for one framework.
type Client struct {
	// Name is the framework, such as "inspect".
	Name string
	// File is the name under which the file is meant to be saved.
	File string
	// Source is the file's text.
	Source string
}

// prefix and suffix surround the name of a framework in the name of its file, so that
// no file hides a Python module.
const prefix, suffix = "heldout_", ".py"

// All returns the clients, by name.
func All() []Client {
	entries, err := files.ReadDir(".")
	if err != nil {
		panic(err) // embedded files can be read
	}
	var all []Client
	for _, e := range entries {
		source, err := files.ReadFile(e.Name())
		if err != nil {
			panic(err)
		}
		name := strings.TrimSuffix(strings.TrimPrefix(e.Name(), prefix), suffix)
		all = append(all, Client{Name: name, File: e.Name(), Source: string(source)})
	}
	return all
}

// Title returns the first line of the file's description.
func (c Client) Title() string {
	title, _, _ := strings.Cut(strings.TrimPrefix(c.Source, `"""`), "\n")
	return title
}

// Find returns the client for a framework.
func Find(name string) (Client, error) {
	all := All()
	i := slices.IndexFunc(all, func(c Client) bool { return c.Name == name })
	if i < 0 {
		var names []string
		for _, c := range all {
			names = append(names, c.Name)
		}
		return Client{}, fmt.Errorf("there is no client for %q; there are %s", name, strings.Join(names, ", "))
	}
	return all[i], nil
}
