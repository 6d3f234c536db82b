package main

import (
	"go/ast"
	"go/token"
	"maps"
	"slices"
	"strings"
	"testing"
)

// functionWords are words that say nothing when they name a thing.
const functionWords = `of at with from by to is are was be has had so as if it its that this these those one other others
what which who whose where when how why than then not no all each any some more most less least few many much told said
says seen tried known given taken shown asked asking wanted played spoken written made kept held left over under up down
off again before after behind beside besides between within without above below near apart alike whole both either
neither instead still yet later earlier ago here there`

// A thousand lines have at most so many names that are function words; age, benchstat and vegeta have one or two.
const functionNames = 1

// TestNames holds that things are called by what they are.
func TestNames(t *testing.T) {
	words, lines := strings.Fields(functionWords), 0
	var found []string
	files := parseProduct(t)
	for _, file := range files.all() {
		lines += files.set.File(file.Pos()).LineCount()
		for _, id := range declared(file) {
			if slices.Contains(words, strings.ToLower(id.Name)) {
				found = append(found, files.set.Position(id.Pos()).String()+" "+id.Name)
			}
		}
	}
	if limit := functionNames * lines / 1000; len(found) > limit {
		t.Errorf("%d names in %d lines are function words, of at most %d; name what the thing is:\n%s", len(found), lines, limit,
			strings.Join(found, "\n"))
	}
}

// declared are the names that a file declares: functions, types, fields, parameters and variables.
func declared(file *ast.File) (out []*ast.Ident) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			out = append(out, n.Name)
		case *ast.TypeSpec:
			out = append(out, n.Name)
		case *ast.Field:
			out = append(out, n.Names...)
		case *ast.ValueSpec:
			out = append(out, n.Names...)
		case *ast.RangeStmt:
			for _, x := range []ast.Expr{n.Key, n.Value} {
				if id, ok := x.(*ast.Ident); ok && n.Tok == token.DEFINE {
					out = append(out, id)
				}
			}
		case *ast.AssignStmt:
			for _, x := range n.Lhs {
				if id, ok := x.(*ast.Ident); ok && n.Tok == token.DEFINE {
					out = append(out, id)
				}
			}
		}
		return true
	})
	return out
}

// TestTypeNames holds that a word names one thing: no name of a type is in more than three packages.
func TestTypeNames(t *testing.T) {
	const packages = 3
	everywhere := []string{"world", "env", "options", "info"} // the words of the contract, and of every package
	places := map[string]map[string]bool{}
	for dir, list := range parseProduct(t).byFolder {
		for _, file := range list {
			ast.Inspect(file, func(n ast.Node) bool {
				if spec, ok := n.(*ast.TypeSpec); ok {
					name := strings.ToLower(spec.Name.Name)
					if places[name] == nil {
						places[name] = map[string]bool{}
					}
					places[name][dir] = true
				}
				_, inside := n.(*ast.FuncDecl)
				return !inside
			})
		}
	}
	for name, dirs := range places {
		if len(dirs) > packages && !slices.Contains(everywhere, name) {
			t.Errorf("%s is the name of a type in %d packages: %s", name, len(dirs),
				strings.Join(slices.Sorted(maps.Keys(dirs)), ", "))
		}
	}
}
