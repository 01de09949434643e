package optim

// rate is an optimizer's learning rate.
type rate struct {
	lr, initial float64
	scheduled   bool // initial is known
}

// LR returns the learning rate.
func (r *rate) LR() float64 { return r.lr }

// SetLR changes the learning rate for the steps that follow; it panics where lr is negative or NaN.
func (r *rate) SetLR(lr float64) {
	nonNegative("learning rate", lr)
	r.lr = lr
}

// InitialLR returns the learning rate from which schedules start: what LR was when the first of them was made.
func (r *rate) InitialLR() float64 {
	if !r.scheduled {
		r.initial, r.scheduled = r.lr, true
	}
	return r.initial
}
