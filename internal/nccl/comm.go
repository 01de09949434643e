package nccl

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"sync"

	"cresset/internal/dl"
	"cresset/internal/patience"
)

// Comm is one rank of those that exchange memory. It does not block: a call returns when the library has taken it up.
type Comm struct {
	Rank, Size int

	api    *API
	mu     sync.Mutex
	handle uintptr // 0 once there is none
	why    error   // of that
}

// Patience says whether to wait for the library any longer: by an error when not.
type Patience func() error

// A config is an ncclConfig_t of version 2.18: later libraries read the shorter struct by its size and version.
const (
	configBytes = 48
	configMagic = 0xcafebeef
	undefined   = math.MinInt32 // what an option that is not given is
)

// newConfig returns a config of a communicator that does not block.
func newConfig() *dl.Memory {
	m := dl.NewMemory(configBytes)
	put := func(at int, v int64) { binary.LittleEndian.PutUint32(m.Bytes[at:], uint32(v)) }
	binary.LittleEndian.PutUint64(m.Bytes, configBytes)
	put(8, configMagic)
	put(12, int64(oldest))
	put(16, 0) // blocking
	for _, option := range []int{20, 24, 28, 40} {
		put(option, undefined)
	}
	return m
}

// Join makes the caller a rank of the communicator of all that give the same id, on the GPU that is current on the thread.
func (a *API) Join(id ID, rank, size int, wait Patience) (*Comm, error) {
	m, config, out := dl.NewMemory(len(id)), newConfig(), dl.NewMemory(8)
	defer m.Free()
	defer config.Free()
	defer out.Free()
	copy(m.Bytes, id[:])
	args, err := byValue(out.Address(0), size, m, rank, config.Address(0))
	if err != nil {
		return nil, err
	}
	c := &Comm{api: a, Rank: rank, Size: size}
	return c, c.begin("ncclCommInitRankConfig", a.CommInitRankConfig(args...), out, wait)
}

// Split returns a communicator of the ranks that give the same color, in the order of their keys. All ranks call it.
func (c *Comm) Split(color, key int, wait Patience) (*Comm, error) {
	config, out := newConfig(), dl.NewMemory(8)
	defer config.Free()
	defer out.Free()
	part := &Comm{api: c.api}
	r := Success
	if err := c.call("ncclCommSplit", wait, func(h uintptr) Result {
		r = c.api.CommSplit(h, uintptr(color), uintptr(key), out.Address(0), config.Address(0))
		return r
	}); err != nil {
		return nil, err
	}
	if err := part.begin("ncclCommSplit", r, out, wait); err != nil {
		return nil, err
	}
	for _, ask := range []struct {
		name string
		of   func(args ...uintptr) Result
		to   *int
	}{{"ncclCommUserRank", c.api.CommUserRank, &part.Rank}, {"ncclCommCount", c.api.CommCount, &part.Size}} {
		clear(out.Bytes)
		if err := part.call(ask.name, wait, func(h uintptr) Result { return ask.of(h, out.Address(0)) }); err != nil {
			return nil, err
		}
		*ask.to = int(int32(binary.LittleEndian.Uint32(out.Bytes)))
	}
	return part, nil
}

// begin waits until a communicator that a call has written to out is there.
func (c *Comm) begin(name string, r Result, out *dl.Memory, wait Patience) error {
	c.handle = uintptr(binary.LittleEndian.Uint64(out.Bytes))
	if r != Success && r != InProgress || c.handle == 0 {
		if r == Success {
			r = 3 // an internal error: nothing was written
		}
		return fmt.Errorf("%s: %w", name, r)
	}
	return c.call(name, wait, func(uintptr) Result { return r })
}

// ErrAborted is the error of calls after Abort that has no other reason.
var ErrAborted = errors.New("the communicator was aborted")

// call calls a function of the library and waits until that has taken it up, or another goroutine aborts the communicator. After a failure, or when patience
// ends, it is aborted here.
func (c *Comm) call(name string, wait Patience, f func(h uintptr) Result) error {
	r, err := c.ask(name, f)
	for between := (patience.Looks{}); err == nil && r == InProgress; between.Rest() {
		if err = wait(); err != nil {
			c.Abort(err)
			return err
		}
		r, err = c.ask(name, func(uintptr) Result { return c.state() })
	}
	return err
}

// ask is one call of the library, whose result is Success or InProgress, or there is an error.
func (c *Comm) ask(name string, f func(h uintptr) Result) (Result, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.handle == 0 {
		return 0, c.why
	}
	r := f(c.handle)
	if r != Success && r != InProgress {
		c.abort(fmt.Errorf("%s: %w", name, r))
		return 0, c.why
	}
	return r, nil
}

// state returns the communicator's own result, which tells of failures of other ranks too.
func (c *Comm) state() Result {
	out := dl.NewMemory(4)
	defer out.Free()
	if r := c.api.CommGetAsyncError(c.handle, out.Address(0)); r != Success {
		return r
	}
	return Result(binary.LittleEndian.Uint32(out.Bytes))
}

// Failed returns why the communicator is of no more use, nil while it is. After a failure it is aborted.
func (c *Comm) Failed() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.handle == 0 {
		return c.why
	}
	if r := c.state(); r != Success && r != InProgress {
		c.abort(fmt.Errorf("NCCL: %w", r))
	}
	return c.why
}

// Abort ends what the communicator does on the GPU, which nothing else can end where a rank has gone. Calls return why from then on.
func (c *Comm) Abort(why error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.abort(why)
}

func (c *Comm) abort(why error) {
	if c.handle == 0 {
		return
	}
	c.api.CommAbort(c.handle) // there is nobody to tell that this failed too
	c.handle = 0
	if c.why = why; why == nil {
		c.why = ErrAborted
	}
}

var errClosed = errors.New("the communicator is closed")

// Close waits until what was issued is done, and frees the communicator.
func (c *Comm) Close(wait Patience) error {
	if err := c.call("ncclCommFinalize", wait, func(h uintptr) Result { return c.api.CommFinalize(h) }); err != nil {
		if errors.Is(err, errClosed) {
			return nil
		}
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	h := c.handle
	if c.handle, c.why = 0, errClosed; h == 0 {
		return nil
	}
	if r := c.api.CommDestroy(h); r != Success {
		return fmt.Errorf("ncclCommDestroy: %w", r)
	}
	return nil
}
