package dist

import "time"

// Option is an option of Init and Spawn.
type Option func(*options)

type options struct {
	timeout time.Duration
	debug   bool
	engine  string
}

// Timeout is how long an operation takes at most before its Wait gives up, DefaultTimeout unless given.
func Timeout(d time.Duration) Option { return func(o *options) { o.timeout = d } }

// Debug has ranks compare before each collective operation what they are about to do, so that a mismatch is an error that names ranks and places in the program instead of a wait
// that does not end. Groups of one program always do. It is on where TORCH_DISTRIBUTED_DEBUG is DETAIL.
func Debug(on bool) Option { return func(o *options) { o.debug = on } }

// Engine is what carries out the operations, "mpi" or "local", instead of what the launcher has set up.
func Engine(name string) Option { return func(o *options) { o.engine = name } }
