package dist

import (
	"context"
	"time"

	"cresset/device"
	"cresset/internal/nccl"
	"cresset/tensor"
)

// LendNCCL has groups use a library until giveBack.
func LendNCCL(api *nccl.API) (giveBack func()) {
	before := ncclLibrary
	ncclLibrary = func() (*nccl.API, error) { return api, nil }
	return func() { ncclLibrary = before }
}

// SpawnNCCL is Spawn of ranks that know nothing of each other but an id of NCCL. The limit is that of f's operations; to meet, ranks have a minute.
func SpawnNCCL(n int, limit time.Duration, f func(g *Group) error) error {
	api, err := ncclLibrary()
	if err != nil {
		return err
	}
	id, err := api.NewID()
	if err != nil {
		return err
	}
	return Spawn(n, func(r *Group) error {
		ctx := context.Background()
		e, err := joinGPUs(ctx, api, id, r.rank, n, device.CUDA(r.rank), time.Minute)
		if err != nil {
			return err
		}
		g, err := withNeighbours(ctx, &Group{rank: r.rank, size: n, name: "nccl", engine: e, options: options{timeout: time.Minute}})
		if err != nil {
			return err
		}
		e.limit, g.timeout = limit, limit
		if err := f(g); err != nil {
			g.Abort(1)
			return err
		}
		return g.Close(ctx)
	})
}

// AddressOnGPU is where a tensor lies on its GPU.
func AddressOnGPU(x *tensor.Tensor) uintptr {
	at, _, release, err := inner.HoldOnGPU(x, false)
	if err != nil {
		panic(err)
	}
	release()
	return at
}

// SpeakProtocol has this process be of a version with another protocol.
func SpeakProtocol(version int) { protocol = version }

// PlaceToMeet is where NCCL's processes meet.
var PlaceToMeet = placeToMeet

// Ended reports whether a process has ended.
var Ended = ended

// Limit has operations of a group take at most so long from now on. Init takes longer where others use the cores.
func Limit(g *Group, d time.Duration) { g.timeout = d }
