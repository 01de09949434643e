package smi

import "errors"

// source describes the GPUs, again and again.
type source interface {
	read(details bool) (*Inventory, error)
	close()
}

// connect opens NVML and, where there is no such library, the driver.
func connect() (source, error) {
	s, err := openNVML()
	if !errors.Is(err, ErrNoLibrary) {
		return s, err
	}
	fallback, missing := openDriver()
	if errors.Is(missing, ErrNoLibrary) {
		return nil, err // NVML's text says where it was looked for
	}
	return fallback, missing
}

// Take looks at the machine's GPUs. Without any it returns an *Error; where one is lost, an *Error together with the
// inventory of the others, which names it.
func Take() (*Inventory, error) { return take(false) }

func take(details bool) (*Inventory, error) {
	s, err := connect()
	if err != nil {
		return nil, err
	}
	defer s.close()
	return survey(s, details)
}

// survey asks a source for the GPUs, and other programs whether they have reserved them.
func survey(s source, details bool) (*Inventory, error) {
	inventory, err := s.read(details)
	if inventory != nil {
		inventory.markReserved()
	}
	return inventory, err
}
