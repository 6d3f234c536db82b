package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"heldout/envs/sharedtest"
)

// TestPackageState holds the list of every package-level variable that changes while the program runs, and why it may:
// what a package remembers between two calls is shared by
// everything in the process, so each such variable needs a reason.
func TestPackageState(t *testing.T) {
	packageState, found := sharedtest.Table[string](t, "package-state.yaml"), map[string]string{}
	for dir, files := range parseProduct(t).byFolder {
		vars := map[string]*ast.ValueSpec{}
		for _, file := range files {
			for _, spec := range packageVars(file) {
				for _, id := range spec.Names {
					vars[id.Name] = spec
				}
			}
		}
		for name, spec := range vars {
			if lockable(spec) || changed(name, spec, files) {
				found[dir+"."+name] = packageState[dir+"."+name]
			}
		}
	}
	sharedtest.Same(t, found, packageState,
		"package-level state and its list differ; hang it on what it is for, or list it with a reason")
}

// product holds the parsed Go files of every package, tests left out.
type product struct {
	set      *token.FileSet
	byFolder map[string][]*ast.File
}

func (p product) all() []*ast.File { return slices.Concat(slices.Collect(maps.Values(p.byFolder))...) }

var parsed = sync.OnceValues(func() (product, error) {
	out := product{token.NewFileSet(), map[string][]*ast.File{}}
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".")):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(out.set, path, nil, 0)
		dir, _ := filepath.Rel(root, filepath.Dir(path))
		dir = filepath.ToSlash(dir)
		out.byFolder[dir] = append(out.byFolder[dir], file)
		return err
	})
	return out, err
})

// parseProduct reads the product once for all tests.
func parseProduct(t *testing.T) product { return sharedtest.Must(parsed())(t) }

func packageVars(file *ast.File) (out []*ast.ValueSpec) {
	for _, d := range file.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.VAR {
			for _, s := range g.Specs {
				out = append(out, s.(*ast.ValueSpec))
			}
		}
	}
	return out
}

// lockable reports whether a variable is of a type that exists to be changed: a lock, a pool, a concurrent
// map, a channel, or what a constructor of the package returns.
func lockable(spec *ast.ValueSpec) (out bool) {
	ast.Inspect(spec, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ChanType:
			out = true
		case *ast.CallExpr:
			id, ok := n.Fun.(*ast.Ident)
			out = out || ok && strings.HasPrefix(id.Name, "new")
		case *ast.SelectorExpr:
			switch fmt.Sprint(n.X, ".", n.Sel) {
			case "sync.Map", "sync.Pool", "sync.Mutex", "sync.RWMutex", "sync.Once", "sync.Cond":
				out = true
			}
			out = out || fmt.Sprint(n.X) == "atomic"
		}
		return true
	})
	return out
}

// changed reports whether any function assigns to a variable or to a part of it.
func changed(name string, spec *ast.ValueSpec, files []*ast.File) (out bool) {
	is := func(x ast.Expr) bool {
		id := rootName(x)
		return id != nil && id.Name == name && (id.Obj == nil || id.Obj.Decl == spec)
	}
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				for _, x := range n.Lhs {
					out = out || n.Tok != token.DEFINE && is(x)
				}
			case *ast.IncDecStmt:
				out = out || is(n.X)
			}
			return true
		})
	}
	return out
}

func rootName(x ast.Expr) *ast.Ident {
	switch x := x.(type) {
	case *ast.Ident:
		return x
	case *ast.SelectorExpr:
		return rootName(x.X)
	case *ast.IndexExpr:
		return rootName(x.X)
	case *ast.StarExpr:
		return rootName(x.X)
	case *ast.ParenExpr:
		return rootName(x.X)
	}
	return nil
}
