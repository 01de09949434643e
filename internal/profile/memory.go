package profile

// Allocated tells of memory on a GPU that was allocated, or freed where bytes are negative.
func Allocated(device int, bytes int64, held Held) {
	r := current.Load()
	if r == nil || !r.settings.Memory {
		return
	}
	r.allocated(device, bytes, held)
}

func (r *Recorder) allocated(device int, bytes int64, held Held) {
	id := goroutine()
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.thread(id)
	r.add(Event{
		Kind: Memory, Name: "[memory]", Start: r.Now(), Timed: true, Parent: t.innermost(), Thread: t.number, Device: device, Bytes: bytes, Memory: &held,
	})
}
