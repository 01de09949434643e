package ptx

// Counters tells what a launch did.
type Counters struct {
	LaneInstructions uint64 // instructions, counted for each active lane
	GlobalRequests   uint64 // loads, stores and atomics on global memory, one for a warp
	GlobalBytes      uint64 // that their lanes asked for
	SharedRequests   uint64
	// Sectors of 32 bytes that the global requests touch, each counted once for a request; and the passes that shared
	// requests take beyond their first because lanes want different words of one bank. Only with LaunchConfig.Profile.
	GlobalSectors uint64
	BankConflicts uint64
}

// Add adds the counts of o.
func (c *Counters) Add(o Counters) {
	c.LaneInstructions += o.LaneInstructions
	c.GlobalRequests += o.GlobalRequests
	c.GlobalBytes += o.GlobalBytes
	c.SharedRequests += o.SharedRequests
	c.GlobalSectors += o.GlobalSectors
	c.BankConflicts += o.BankConflicts
}
