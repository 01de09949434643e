package smi

import (
	"fmt"

	"cresset/internal/driver"
)

// Logical returns the GPUs that a CUDA program started like this process sees: element n is its cuda:n. Where
// Environment.Logical is not sure, it asks the driver, and fails where that is not possible.
func Logical(gpus []GPU) ([]GPU, error) {
	if logical, sure := Env().Logical(gpus); sure {
		return logical, nil
	}
	return driverOrder(gpus)
}

// Logical is the package's Logical for the GPUs of an inventory. Those that the driver described are the visible ones
// already, in an order that it is asked for; and where GPUs are missing only it knows whether it still counts them.
func (i *Inventory) Logical() ([]GPU, error) {
	if i.Source == Driver || len(i.Missing) > 0 {
		return driverOrder(i.GPUs)
	}
	return Logical(i.GPUs)
}

// driverOrder returns the GPUs that the driver counts, in its order.
func driverOrder(gpus []GPU) ([]GPU, error) {
	api, err := startDriver()
	if err != nil {
		return nil, fmt.Errorf("the order of cuda:0, cuda:1, ... is the driver's to tell: %w", err)
	}
	n, r := api.DeviceGetCount()
	if r != driver.Success {
		return nil, &Error{nil, r}
	}
	s := &driverSource{api}
	var logical []GPU
	for i := range n {
		dev, r := api.DeviceGet(i)
		if r != driver.Success {
			return nil, &Error{nil, r}
		}
		id, r := s.uuid(dev)
		if r != driver.Success {
			return nil, &Error{nil, r}
		}
		g, err := Find(gpus, id)
		if err != nil {
			return nil, fmt.Errorf("cuda:%d: %w", i, err)
		}
		logical = append(logical, g)
	}
	return logical, nil
}
