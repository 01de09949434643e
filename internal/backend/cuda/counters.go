package cuda

import "cresset/internal/backend/cuda/kernels"

// countersOfStream is how many counters a kernel whose last block joins parts (kernels/last.cuh) has for each stream: launches of two streams run beside each
// other. A graph runs while no stream does.
const countersOfStream = kernels.MostCounts / uint64(streams)

const _ = countersOfStream - kernels.MostEven // not negative

// firstCounter is the first of those of the device's stream.
func (d *Device) firstCounter() uint64 { return uint64(d.lane) * countersOfStream }
