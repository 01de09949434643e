package cuda

import "cresset/internal/backend/cuda"

// MemInfo returns the free and the total bytes of a GPU's memory, whoever uses it.
func MemInfo(index ...int) (free, total int64, err error) {
	d, err := at(index)
	if err != nil {
		return 0, 0, err
	}
	return d.MemInfo()
}

// MemoryAllocated returns the bytes that tensors hold on a GPU.
func MemoryAllocated(index ...int) int64 { return stats(index).AllocatedBytes[cuda.All].Current }

// MaxMemoryAllocated returns the most bytes that tensors held on a GPU at once.
func MaxMemoryAllocated(index ...int) int64 { return stats(index).AllocatedBytes[cuda.All].Peak }

// MemoryReserved returns the bytes of a GPU that the process holds, for tensors and for reuse.
func MemoryReserved(index ...int) int64 { return stats(index).ReservedBytes[cuda.All].Current }

// MaxMemoryReserved returns the most bytes of a GPU that the process held at once.
func MaxMemoryReserved(index ...int) int64 { return stats(index).ReservedBytes[cuda.All].Peak }

// MemoryStats returns what the allocator of a GPU counted under PyTorch's names, "allocated_bytes.all.peak" for example. It
// is empty before the first use of a GPU.
func MemoryStats(index ...int) map[string]int64 {
	if !cuda.Started() {
		return map[string]int64{}
	}
	return stats(index).Map()
}

// MemorySummary returns the counts as PyTorch's table.
func MemorySummary(index ...int) string { return stats(index).Summary(number(index), false) }

// MemorySummaryAbbreviated returns the table without the two pools.
func MemorySummaryAbbreviated(index ...int) string { return stats(index).Summary(number(index), true) }

// ResetPeakMemoryStats makes what a GPU's tensors hold now the most that they held.
func ResetPeakMemoryStats(index ...int) {
	if d := started(index); d != nil {
		d.ResetPeakStats()
	}
}

// ResetAccumulatedMemoryStats zeroes what was counted in all: bytes that came and went, retries, failures.
func ResetAccumulatedMemoryStats(index ...int) {
	if d := started(index); d != nil {
		d.ResetAccumulatedStats()
	}
}

// EmptyCache gives the memory of all GPUs that no tensor holds back to the driver.
func EmptyCache() error {
	if !cuda.Started() {
		return nil
	}
	for i := range cuda.Count() {
		d, err := cuda.Find(i)
		if err != nil {
			return err
		}
		if err := d.EmptyCache(); err != nil {
			return err
		}
	}
	return nil
}

// SetMemoryFraction limits what the process may hold of a GPU's memory to a share from 0 to 1.
func SetMemoryFraction(fraction float64, index ...int) error {
	d, err := at(index)
	if err != nil {
		return err
	}
	return d.SetMemoryFraction(fraction)
}

// stats returns nothing where the GPU was not used or does not exist.
func stats(index []int) cuda.Stats {
	if d := started(index); d != nil {
		return d.Stats()
	}
	return cuda.Stats{}
}

// started returns the GPU if the driver runs already.
func started(index []int) *cuda.Device {
	if !cuda.Started() {
		return nil
	}
	d, err := at(index)
	if err != nil {
		return nil
	}
	return d
}

func number(index []int) int {
	if len(index) == 0 {
		return cuda.Current()
	}
	return index[0]
}
