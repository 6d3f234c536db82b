package main

import (
	"go/ast"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"heldout/envs/sharedtest"
)

// readFloors reads the floor of every package: a package imports only from lower ones. A new
// package must be given its place there.
func readFloors(t *testing.T) map[string]int { return sharedtest.Table[int](t, "floors.yaml") }

// rooms are what uses the core, which none of it may import: a folder with all below it.
var rooms = []string{"eval/show", "eval/training", "eval/serve", "eval/share", "eval/scale", "scoring/figure"}

// below reports whether a package is one of the folders or below one.
func below(pkg string, folders ...string) bool {
	return slices.ContainsFunc(folders, func(folder string) bool {
		return pkg == folder || strings.HasPrefix(pkg, folder+"/")
	})
}

// The core can be read and built without the rooms, and an engine without anything of heldout.
func TestCoreImportsNoRoom(t *testing.T) {
	var core []string
	sources(t, func(pkg, file string, f *ast.File) {
		room, engine := below(pkg, rooms...), below(pkg, "envs/engine")
		if !room && !below(pkg, "cmd") && !slices.Contains(core, "heldout/"+pkg) {
			core = append(core, "heldout/"+pkg)
		}
		for _, spec := range f.Imports {
			path, ours := strings.CutPrefix(strings.Trim(spec.Path.Value, `"`), "heldout/")
			switch {
			case !ours:
			case engine:
				t.Errorf("%s is of an engine and imports %s", file, path)
			case !room && !below(pkg, "cmd") && below(path, rooms...):
				t.Errorf("%s is of the core and imports %s", file, path)
			}
		}
	})
	list, err := exec.Command("go", append([]string{"list", "-deps"}, core...)...).Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for _, pkg := range strings.Fields(string(list)) {
		if below(pkg, "github.com/nats-io", "github.com/gorilla/websocket", "gonum.org/v1/plot") {
			t.Errorf("the core links %s", pkg)
		}
	}
}

// outside are the ways to touch process and clock that only cmd/heldout has.
var outside = map[string][]string{
	"os":   {"Exit", "Getenv", "LookupEnv", "Environ", "Stdin", "Stdout", "Stderr", "Args"},
	"time": {"Now", "Since", "Until"},
}

// sources calls visit for every Go file of the module that is not a test.
func sources(t *testing.T, visit func(pkg, file string, f *ast.File)) {
	t.Helper()
	p := parseProduct(t)
	for dir, files := range p.byFolder {
		for _, f := range files {
			visit(dir, p.set.File(f.Pos()).Name(), f)
		}
	}
}

func TestFloors(t *testing.T) {
	seen, floors := map[string]bool{}, readFloors(t)
	// Modules that only some packages may import, with the packages below them.
	reserved := sharedtest.Table[string](t, "reserved-modules.yaml")
	sources(t, func(pkg, file string, f *ast.File) {
		seen[pkg] = true
		floor, ok := floors[pkg]
		if !ok {
			t.Errorf("package %s has no floor", pkg)
		}
		for _, spec := range f.Imports {
			path := sharedtest.Must(strconv.Unquote(spec.Path.Value))(t)
			if ours, ok := strings.CutPrefix(path, "heldout/"); ok && floors[ours] >= floor {
				t.Errorf("%s (floor %d) imports %s (floor %d)", file, floor, ours, floors[ours])
			}
			for module, owner := range reserved {
				if below(path, module) && !below(pkg, strings.Fields(owner)...) {
					t.Errorf("%s imports %s, which is for %s", file, path, owner)
				}
			}
		}
	})
	for pkg := range floors {
		if !seen[pkg] {
			t.Errorf("package %s has a floor but no files", pkg)
		}
	}
}

// Tables can be made from records alone: scoring, and what it is made of, links nothing that speaks to a server.
func TestScoringLinksNoNetwork(t *testing.T) {
	list, err := exec.Command("go", "list", "-deps", "heldout/scoring/report").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for _, pkg := range strings.Fields(string(list)) {
		if pkg == "net" || pkg == "net/http" || pkg == "heldout/eval/model" {
			t.Errorf("scoring/report links %s", pkg)
		}
	}
}

// Process, environment and clock are touched in cmd/heldout alone, and nothing registers itself. The limits of the
// process are checked before other packages start, which only an init function can do.
func TestNothingReachesOutside(t *testing.T) {
	sources(t, func(pkg, file string, f *ast.File) {
		if pkg == "cmd/heldout" || pkg == "cmd/heldout/ulimit" || pkg == "envs/sharedtest" {
			return
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if n.Name.Name == "init" && n.Recv == nil {
					t.Errorf("%s has an init function", file)
				}
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok && slices.Contains(outside[x.Name], n.Sel.Name) {
					t.Errorf("%s uses %s.%s", file, x.Name, n.Sel.Name)
				}
			}
			return true
		})
	})
}

// Optional abilities are asked for with envs.As: a type assertion finds none through a wrapper.
func TestAbilitiesGoThroughOneDoor(t *testing.T) {
	sources(t, func(_, file string, f *ast.File) {
		ast.Inspect(f, func(n ast.Node) bool {
			assertion, ok := n.(*ast.TypeAssertExpr)
			if !ok {
				return true
			}
			if to, ok := assertion.Type.(*ast.SelectorExpr); ok {
				if pkg, ok := to.X.(*ast.Ident); ok && pkg.Name == "envs" {
					t.Errorf("%s asserts envs.%s; ask with envs.As", file, to.Sel.Name)
				}
			}
			return true
		})
	})
}

// The top level holds the packages that ARCHITECTURE.md names, and none for leftovers. Who works in a clone may keep
// runs, reports and an unpacked bundle there.
func TestLayout(t *testing.T) {
	want := []string{"cmd", "configs", "envs", "eval", "perturb", "scoring", "python", "examples", "docs"}
	for _, pattern := range []string{"*.go", "*/*.go", "*/*/*.go"} {
		for _, file := range sharedtest.Must(filepath.Glob(filepath.Join("..", "..", pattern)))(t) {
			rel := sharedtest.Must(filepath.Rel(filepath.Join("..", ".."), file))(t)
			if top, _, _ := strings.Cut(filepath.ToSlash(rel), "/"); !slices.Contains(want, top) {
				t.Errorf("%s is at the top level", top)
			}
		}
	}
	for pkg := range readFloors(t) {
		for _, name := range strings.Split(pkg, "/") {
			if slices.Contains([]string{"pkg", "internal", "util", "utils", "common", "helpers"}, name) {
				t.Errorf("package %s says nothing in its name", pkg)
			}
		}
	}
}
