package sim

import (
	"path"

	"cresset/internal/nvml"
)

// Fault makes a call fail.
type Fault struct {
	Symbol string // the newest C function of a field; * stands for any letters
	Skip   int    // calls that still succeed
	Return nvml.Return
	Always bool // strike all calls after them, and not one alone
}

// Inject adds a fault.
func (l *Library) Inject(f Fault) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.faults = append(l.faults, &f)
}

// Lose takes a GPU off the bus, by NVML's index: every call about it fails from
// now on.
func (l *Library) Lose(index int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.gpus[index].lost = true
}

// Calls returns how often a function has been called.
func (l *Library) Calls(symbol string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.calls[symbol]
}

// fault returns what strikes this call. The library is locked.
func (l *Library) fault(symbol string) nvml.Return {
	for i, f := range l.faults {
		if match, _ := path.Match(f.Symbol, symbol); !match {
			continue
		}
		if f.Skip > 0 {
			f.Skip--
			continue
		}
		if !f.Always {
			l.faults = append(l.faults[:i:i], l.faults[i+1:]...)
		}
		return f.Return
	}
	return nvml.Success
}
