package cuda

import (
	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/op"
)

// Norms of gradients and their clipping: kernels over lists of chunks (chunks.go), which one gradient alone has too.

func (t *table) addClipping() {
	for _, dt := range [...]dtype.DType{dtype.Float16, dtype.BFloat16, dtype.Float32, dtype.Float64} {
		t[op.GradNorm][dt] = row{gradNorm, gradNormKernels[dt]}
		t[op.ClipGrad][dt] = row{clipGrad, clipGradKernels[dt]}
	}
}

var gradNormKernels, clipGradKernels = typedForFloats("grad_norm"), typedForFloats("clip_grad")

var (
	gradNormParams paramPool[kernels.GradNorm]
	clipGradParams paramPool[kernels.ClipGrad]
)

// gradNorms launches the norms of gradients whose chunks, and which of them are whose, a table has.
func (d *Device) gradNorms(c *backend.Call, table *Buffer, chunks, gradients int) error {
	s, p := gradNormParams.begin(d)
	defer s.free()
	*p = kernels.GradNorm{
		List: table.ptr, Count: uint64(chunks), Gradients: uint64(gradients),
		Sums: s.take(max(chunks, 1) * 8).ptr, Counter: d.firstCounter(),
	}
	return issue(&s, gradNormKernels[c.DType], kernels.ChunkGrid(chunks), p)
}

// clipGrads launches the clipping of gradients whose chunks a table has, by the norm in in[1].
func (d *Device) clipGrads(c *backend.Call, table *Buffer, chunks int) error {
	p := clipGradParams.take()
	defer clipGradParams.give(p)
	*p = kernels.ClipGrad{List: table.ptr, Count: uint64(chunks), Norm: address(&c.In()[1]), Most: c.Params.(op.Clip).Most}
	return launch(d, clipGradKernels[c.DType], kernels.ChunkGrid(chunks), p)
}

// gradNorm makes out[0] the norm of in[0], a gradient in row-major order.
func gradNorm(d *Device, c *backend.Call, _ kernelID) error {
	u := chunkList{device: d}
	u.list([]*backend.Call{c})
	return d.withList(u.next, func(table *Buffer) error { return d.gradNorms(c, table, len(u.next)/chunkBytes-1, 1) })
}

// clipGrad clips out[0], a gradient, by the norm in in[1].
func clipGrad(d *Device, c *backend.Call, _ kernelID) error {
	n := uint64(c.Out()[0].Layout.Size())
	return inPlace(d, c, func(state *[maxScratch]uint64, _ uint64) error {
		longest := d.chunkLength(n)
		list := appendChunks(nil, n, longest, uint64(c.DType.Size()), [4]uint64{state[0]}, 0)
		return d.withList(list, func(table *Buffer) error { return d.clipGrads(c, table, len(list)/chunkBytes) })
	})
}

// withList calls f with memory that has a list for one launch.
func (d *Device) withList(list []byte, f func(table *Buffer) error) error {
	s := scratch{device: d}
	defer s.free()
	table, err := s.table(list)
	if err != nil {
		return err
	}
	return f(table)
}
