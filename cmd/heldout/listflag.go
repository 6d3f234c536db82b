package main

import (
	"strings"

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
	for _, value := range values {
		if err := f.list.Append(value); err != nil {
			return err
		}
	}
	return nil
}

// GetSlice implements pflag.SliceValue.
func (f listFlag[T, L]) GetSlice() []string { return f.list.GetSlice() }

// envList is the value of the flag of environments, separated by commas, but for those that others run:
// the address of one goes to the end of the value, and may have commas.
type envList configs.Strings

// Append reads a value.
func (l *envList) Append(value string) error {
	for value != "" {
		name, rest, _ := strings.Cut(value, ",")
		if strings.Contains(name, ":") {
			name, rest = value, ""
		}
		*l, value = append(*l, name), rest
	}
	return nil
}

// GetSlice returns the environments.
func (l *envList) GetSlice() []string { return *l }
