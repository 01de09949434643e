package cuda

import (
	"fmt"
	"strings"

	"cresset/internal/mem"
)

// OutOfMemoryError is the refusal of memory that a GPU does not have. errors.Is finds mem.ErrOutOfMemory.
type OutOfMemoryError struct {
	Device    int
	Bytes     int64     // asked of the device: a segment, not the tensor
	Total     int64     // the device's memory
	Free      int64     // of Total, by anyone
	Programs  []Program // that hold the rest, this one among them
	Allowed   int64     // by SetMemoryFraction; 0 where that was not called
	Allocated int64     // what tensors hold
	Reserved  int64     // what the process holds, for tensors and for reuse
}

// Error returns PyTorch's text.
func (e *OutOfMemoryError) Error() string {
	if e.Bytes < 0 || e.Bytes >= maxRequest {
		return "CUDA out of memory. Tried to allocate more than 1EB memory."
	}
	var s strings.Builder
	fmt.Fprintf(&s, "CUDA out of memory. Tried to allocate %s. GPU %d has a total capacity of %s of which %s is free. ",
		bytesText(e.Bytes), e.Device, bytesText(e.Total), bytesText(e.Free))
	for _, p := range e.Programs {
		who := fmt.Sprintf("Process %d", p.PID)
		if p.Own {
			who = "Including non-PyTorch memory, this process"
		}
		fmt.Fprintf(&s, "%s has %s memory in use. ", who, bytesText(p.Bytes))
	}
	if e.Allowed > 0 {
		fmt.Fprintf(&s, "%s allowed; ", bytesText(e.Allowed))
	}
	fmt.Fprintf(&s, "Of the allocated memory %s is allocated by PyTorch, and %s is reserved by PyTorch but unallocated. "+
		"If reserved but unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  "+
		"See documentation for Memory Management  (https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)",
		bytesText(e.Allocated), bytesText(e.Reserved-e.Allocated))
	return s.String()
}

// Is reports whether target is mem.ErrOutOfMemory.
func (e *OutOfMemoryError) Is(target error) bool { return target == mem.ErrOutOfMemory }

// Hint says what helps here.
func (e *OutOfMemoryError) Hint() string {
	return "free memory by Release or a Scope, use a smaller batch, or another device; " +
		"expandable_segments has no effect here, max_split_size_mb:N and cuda.EmptyCache do"
}

// outOfMemory describes the refusal of r.
func (a *allocator) outOfMemory(r request) error {
	free, total, err := a.source.info()
	if err != nil {
		return err
	}
	return &OutOfMemoryError{
		Device: a.device, Bytes: segmentSize(r.size), Total: total, Free: free, Programs: a.source.programs(), Allowed: a.limit,
		Allocated: a.allocated(), Reserved: a.stats.ReservedBytes[All].Current,
	}
}

// bytesText writes a size as PyTorch's messages do.
func bytesText(n int64) string {
	const kib, mib, gib = 1 << 10, 1 << 20, 1 << 30
	switch {
	case n <= kib:
		return fmt.Sprintf("%d bytes", n)
	case n <= mib:
		return fmt.Sprintf("%.2f KiB", float64(n)/kib)
	case n <= gib:
		return fmt.Sprintf("%.2f MiB", float64(n)/mib)
	default:
		return fmt.Sprintf("%.2f GiB", float64(n)/gib)
	}
}

// DoubleFreeError is the panic of giving a buffer back that was given back before.
type DoubleFreeError struct {
	Device int
	Bytes  int // size of the buffer
}

func (e *DoubleFreeError) Error() string {
	return fmt.Sprintf("cuda: a buffer of %d bytes on cuda:%d was freed twice", e.Bytes, e.Device)
}
