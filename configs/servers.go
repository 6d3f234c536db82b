package configs

import "errors"

// Servers are the addresses of model servers. In YAML they are one address, a list of addresses, or for several
// models a mapping from a model to its addresses. An address @FILE stands for the addresses in a file.
type Servers struct {
	List    Strings            // of every served model; they replace ByModel
	ByModel map[string]Strings // of each model, by its name in Run.Model
}

// UnmarshalYAML implements yaml.InterfaceUnmarshaler.
func (s *Servers) UnmarshalYAML(read func(any) error) error {
	var addresses Strings
	if read(&addresses) == nil {
		*s = Servers{List: addresses}
		return nil
	}
	var byModel map[string]Strings
	if read(&byModel) != nil {
		return errors.New("want an address, a list of addresses, or a mapping from models to addresses")
	}
	*s = Servers{ByModel: byModel}
	return nil
}

// Lookup returns the addresses of a model.
func (s Servers) Lookup(model string) Strings {
	if len(s.List) > 0 {
		return s.List
	}
	return s.ByModel[model]
}

// Empty reports that no address is given.
func (s Servers) Empty() bool { return len(s.List) == 0 && len(s.ByModel) == 0 }
