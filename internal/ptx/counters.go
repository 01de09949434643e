package ptx

// Counters tells what a launch did.
type Counters struct {
	LaneInstructions uint64 // instructions, counted for each active lane
	MostOfBlock      uint64 // lane instructions of the block, or cluster, that has most of them
	GlobalRequests   uint64 // loads, stores and atomics on global memory, one for a warp
	GlobalBytes      uint64 // that their lanes asked for
	SharedRequests   uint64
	// Multiplications by tensor cores, by the bytes of their operands: 1, 2, 4 (tf32) and 8.
	Tensor8, Tensor16, Tensor32, Tensor64 uint64
	// Sectors of 32 bytes that the global requests touch, each counted once for a request; and the passes that shared
	// requests take beyond their first because lanes want different words of one bank. Only with LaunchConfig.Profile.
	GlobalSectors uint64
	BankConflicts uint64
}

// Add adds the counts of o.
func (c *Counters) Add(o Counters) {
	c.LaneInstructions += o.LaneInstructions
	c.MostOfBlock = max(c.MostOfBlock, o.MostOfBlock)
	c.GlobalRequests += o.GlobalRequests
	c.GlobalBytes += o.GlobalBytes
	c.SharedRequests += o.SharedRequests
	c.Tensor8 += o.Tensor8
	c.Tensor16 += o.Tensor16
	c.Tensor32 += o.Tensor32
	c.Tensor64 += o.Tensor64
	c.GlobalSectors += o.GlobalSectors
	c.BankConflicts += o.BankConflicts
}

// tensor counts n multiplications of operands of some bytes.
func (c *Counters) tensor(bytes, n int) {
	switch bytes {
	case 1:
		c.Tensor8 += uint64(n)
	case 2:
		c.Tensor16 += uint64(n)
	case 4:
		c.Tensor32 += uint64(n)
	default:
		c.Tensor64 += uint64(n)
	}
}
