package nvml

import "reflect"

// InitError is a library that does not start; errors.Is finds its Return: ErrDriverNotLoaded without a driver,
// ErrVersionMismatch where the library is another version's.
type InitError struct {
	Return Return
	Text   string
}

// Error returns what nvidia-smi says.
func (e *InitError) Error() string { return "Failed to initialize NVML: " + e.Text }

// Unwrap returns the Return.
func (e *InitError) Unwrap() error { return e.Return }

// Start makes the library ready: *SymbolError if the table lacks a function that is not optional, *InitError if nvmlInit
// fails. Each Start wants one Shutdown.
func (a *API) Start() error {
	err := a.table().Each(func(symbols []string, optional bool, field reflect.Value) error {
		if field.IsNil() && !optional {
			return &SymbolError{a.Library, symbols[0]}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if r := a.Init(); r != Success {
		return &InitError{r, a.Text(r)}
	}
	return nil
}
