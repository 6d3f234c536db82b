package main

import (
	"strings"

	"github.com/spf13/pflag"

	"heldout/configs"
)

// appender is a pointer to a list whose values are read one by one.
type appender[T any] interface {
	*T
	Append(value string) error
	GetSlice() []string
}

// listFlag is the flag of such a list; kind is what help calls its values.
type listFlag[T any, L appender[T]] struct {
	list L
	kind string
}

// Set implements pflag.Value.
func (f listFlag[T, L]) Set(value string) error { return f.list.Append(value) }

// String implements pflag.Value.
func (f listFlag[T, L]) String() string { return strings.Join(f.GetSlice(), ",") }

// Type implements pflag.Value.
func (f listFlag[T, L]) Type() string { return f.kind }

// Append implements pflag.SliceValue.
func (f listFlag[T, L]) Append(value string) error { return f.list.Append(value) }

// Replace implements pflag.SliceValue.
func (f listFlag[T, L]) Replace(values []string) error {
	*f.list = *new(T)
	return configs.Each(values, f.list.Append)
}

// GetSlice implements pflag.SliceValue.
func (f listFlag[T, L]) GetSlice() []string { return f.list.GetSlice() }

// commaList is the value of a flag whose values may be separated by commas.
type commaList []string

// Append reads a value.
func (l *commaList) Append(value string) error {
	*l = append(*l, configs.SplitCommas(value)...)
	return nil
}

// GetSlice returns the values.
func (l *commaList) GetSlice() []string { return *l }

func commaFlag(f *pflag.FlagSet, values *[]string, name string) {
	f.Var(listFlag[commaList, *commaList]{(*commaList)(values), "stringSlice"}, name, "")
}
