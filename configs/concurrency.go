package configs

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Concurrency is a number of episodes in flight; Auto lets the run find it.
type Concurrency int

// Auto is written "auto".
const Auto Concurrency = -1

const auto = "auto"

// String implements pflag.Value.
func (c *Concurrency) String() string {
	if *c == Auto {
		return auto
	}
	return strconv.Itoa(int(*c))
}

// Set implements pflag.Value.
func (c *Concurrency) Set(s string) error {
	if strings.EqualFold(s, auto) {
		*c = Auto
		return nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		return fmt.Errorf("concurrency is %q, want a number from 1 on, or auto", s)
	}
	*c = Concurrency(n)
	return nil
}

// Type implements pflag.Value.
func (c *Concurrency) Type() string { return "number or auto" }

// UnmarshalYAML implements yaml.InterfaceUnmarshaler.
func (c *Concurrency) UnmarshalYAML(read func(any) error) error {
	n, text := int(*c), ""
	if read(&n) == nil {
		text = strconv.Itoa(n)
	} else if read(&text) != nil {
		return errors.New("want a number from 1 on, or auto")
	}
	return c.Set(text)
}
