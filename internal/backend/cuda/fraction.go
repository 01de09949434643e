package cuda

import "fmt"

// setFraction limits what the allocator may reserve to a share of the device's memory.
func (a *allocator) setFraction(f float64) error {
	if !(f >= 0 && f <= 1) {
		return pyError(fmt.Sprintf("Invalid fraction value: %s. Allowed range: 0~1", pyFloat(f)))
	}
	_, total, err := a.source.info()
	if err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.limit = max(int64(f*float64(total)), 1)
	return nil
}

// emptyCache gives every segment that nobody uses back to the device, unreachable buffers included.
func (a *allocator) emptyCache() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.collect(true)
	return a.empty()
}
