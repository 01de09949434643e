// Package selftest compares what a GPU computes with the CPU, kernel by kernel, on sizes around the edges of blocks, tiles and
// vectors: a proof, on the card at hand, that the kernels of this program work there.
//
// Elementwise ops have to give the CPU's bits. Sums and products add in another order, so they have bounds that follow from the
// dtype; a kernel that is wrong is wrong by far more. Random draws differ between devices by design and are judged by what they
// promise: the same draw for the same seed, inside of the range, with the right mean.
package selftest

import (
	"context"
	"errors"
	"iter"

	"cresset/device"
	"cresset/dtype"
	"cresset/tensor"
)

// A Check is one computation in one dtype, on the CPU and on a GPU.
type Check struct {
	Family string
	Name   string
	DType  dtype.DType
	run    func(dev device.Device) error
}

// A Failure is a check that a GPU did not pass.
type Failure struct {
	Check string `json:"check"`
	DType string `json:"dtype"`
	Found string `json:"found"`
}

// A Family is checks of one kind.
type Family struct {
	Name       string    `json:"family"`
	Checks     int       `json:"checks"`                // that ran
	NotReached int       `json:"not_reached,omitempty"` // before the deadline
	Failures   []Failure `json:"failures,omitempty"`
}

// Checks returns the checks, family by family; the large ones are too much for simulated GPUs.
func Checks(withLarge bool) iter.Seq[Check] {
	families := []func() []Check{elementwise, casts, sampled, draws, droppings, steps, scalings, clippings}
	if withLarge {
		families = append(families, large)
	}
	return func(yield func(Check) bool) {
		for _, more := range families {
			for _, c := range more() {
				if !yield(c) {
					return
				}
			}
		}
	}
}

// Run runs the checks on a GPU until they are done, ctx ends or the GPU is lost, and tells each family as soon as it is complete. Where a deadline of ctx passes,
// families tell how many of their checks were not reached, and that is no error.
func Run(ctx context.Context, dev device.Device, checks iter.Seq[Check], tell func(Family)) error {
	var f Family
	for c := range checks {
		late := errors.Is(ctx.Err(), context.DeadlineExceeded)
		if ctx.Err() != nil && !late {
			break
		}
		if c.Family != f.Name {
			if f.Checks+f.NotReached > 0 {
				tell(f)
			}
			f = Family{Name: c.Family}
		}
		if late {
			f.NotReached++
			continue
		}
		f.Checks++
		if err := c.Run(dev); err != nil {
			found := err.Error()
			gone := lost(dev)
			if gone {
				found = "the GPU is lost, and no other check runs: " + found
			}
			f.Failures = append(f.Failures, Failure{Check: c.Name, DType: c.DType.Name(), Found: found})
			if gone {
				break
			}
		}
	}
	if f.Checks+f.NotReached > 0 {
		tell(f)
	}
	if err := ctx.Err(); !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return nil
}

// Run runs one check; an error says what differed.
func (c Check) Run(dev device.Device) (err error) {
	scope := tensor.NewScope()
	defer scope.Close()
	if failed := tensor.Try(func() { err = c.run(dev) }); failed != nil {
		return failed
	}
	return err
}
