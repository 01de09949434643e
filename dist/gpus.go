package dist

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"cresset/cuda"
	"cresset/device"
	"cresset/internal/nccl"
	"cresset/tensor"
)

// A meeting is how tensors on GPUs are exchanged, unless CUDAAwareMPI says it: by NCCL where each rank has a GPU of its own and the library, otherwise through the host by
// the group's engine. The first operation of all ranks on such tensors finds that out.
type meeting struct {
	asked bool
	gpus  atomic.Pointer[gpus] // nil for through the host
}

// carrierOf returns what carries out a call, and the device on which it wants the tensors.
func (g *Group) carrierOf(c *call) (engine, device.Device, error) {
	if alone, ok := g.engine.(*gpus); ok {
		return alone, alone.gpu, nil
	}
	for _, t := range []*tensor.Tensor{c.in, c.out} {
		switch {
		case t == nil || !t.Device().IsCUDA():
			continue
		case g.cudaAware && g.name == "mpi":
			return g.engine, t.Device(), nil
		case g.options.engine == g.name:
			continue
		}
		if c.kind != send && c.kind != receive { // of which the other ranks know nothing
			if err := g.meet(t.Device(), c); err != nil {
				return nil, device.CPU, err
			}
		}
		if n := g.meeting.gpus.Load(); n != nil {
			return n, n.gpu, nil
		}
	}
	return g.engine, device.CPU, nil
}

// meet finds out, once, whether NCCL can join this GPU with those of the other ranks, and has it do so. The call is the first that wants to know.
func (g *Group) meet(gpu device.Device, c *call) error {
	m := &g.meeting
	if m.asked {
		return nil
	}
	m.asked = true
	if c.from == nil {
		c.from = callSite()
	}
	defer g.onBehalf(c)()
	ctx := context.Background() // each exchange has the group's timeout
	mine, problem := readyForNCCL(gpu)
	if problem != nil {
		mine = "!" + problem.Error()
	}
	all, err := g.AllGatherBytes(ctx, []byte(mine))
	if err != nil {
		return err
	}
	if err := apart(all); err != nil && g.options.engine == "nccl" {
		g.breakBy(err)
		return err
	} else if err != nil {
		return nil
	}
	api, err := ncclLibrary()
	if err != nil {
		return err
	}
	var id nccl.ID
	if g.rank == 0 {
		if id, err = api.NewID(); err != nil {
			id = nccl.ID{} // the others are told by an empty one
		}
	}
	told, failed := g.BroadcastBytes(ctx, id[:], 0)
	if err = errors.Join(err, failed); err != nil {
		return err
	}
	if copy(id[:], told); id == (nccl.ID{}) {
		return &RankError{0, errors.New("NCCL gave no id")}
	}
	n, err := joinGPUs(ctx, api, id, g.rank, g.size, gpu, g.timeout)
	if err != nil {
		g.breakBy(err)
		return err
	}
	n.waits = g.callRoll
	m.gpus.Store(n)
	return nil
}

// ncclLibrary is the library of the machine.
var ncclLibrary = sync.OnceValues(nccl.Load)

// readyForNCCL returns what tells a GPU from all others, or why NCCL cannot be had there.
func readyForNCCL(gpu device.Device) (string, error) {
	index, _ := gpu.Index()
	p, err := cuda.DeviceProperties(index)
	if err != nil {
		return "", err
	}
	api, err := ncclLibrary()
	if err != nil {
		return "", err
	}
	if p.Simulated != api.Simulated {
		return "", fmt.Errorf("%s: NCCL computes on GPUs that are there", p.Name)
	}
	return p.UUID, nil
}

// apart returns why ranks cannot meet by what they said of themselves: one has a reason, or two have the same GPU.
func apart(said [][]byte) error {
	had := map[string]int{}
	for rank, b := range said {
		s := string(b)
		if reason, ok := strings.CutPrefix(s, "!"); ok {
			return &RankError{rank, errors.New(reason)}
		}
		if other, ok := had[s]; ok {
			return &RankError{rank, fmt.Errorf("has the GPU of rank %d, and NCCL wants one for each rank", other)}
		}
		had[s] = rank
	}
	return nil
}
