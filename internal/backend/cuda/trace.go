package cuda

import (
	"slices"
	"strings"
	"sync"

	"cresset/internal/backend"
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/driver"
	"cresset/internal/driver/sim"
	"cresset/internal/emit"
	"cresset/internal/hardware"
	"cresset/internal/op"
	"cresset/internal/roofline"
)

// A Trace is what a modelled GPU is given: a simulated one whose kernels do nothing.
type Trace struct {
	GPU *hardware.GPU

	mu     sync.Mutex
	api    *driver.API
	names  map[driver.Function]string
	calls  []roofline.Call
	clocks float64 // that the next launch takes, where its launcher has told; else 0
	bytes  float64 // that it moves, likewise
	stream int     // bytes of a thread in its main loop that stream, likewise,
	times  int     // and how often
}

// UseModel makes the GPU of this process the first one of a machine, whose kernels do nothing, until giveBack is called.
func UseModel(m *hardware.Machine) (t *Trace, giveBack func(), err error) {
	t = &Trace{GPU: &m.GPUs[0], names: map[driver.Function]string{}}
	nothing := func(string) (string, bool) { return "", false }
	t.api = sim.New(m, sim.Options{LookupEnv: nothing, Compile: compileStill, Registers: modelledRegisters}).API
	giveBack = UseDriver(t.watched())
	devices, err := process.start()
	if err != nil {
		giveBack()
		return nil, nil, err
	}
	for _, d := range devices {
		d.trace = t
	}
	return t, giveBack, nil
}

// modelledRegisters returns how many a thread of a kernel has. NVIDIA's assembler gives kernels of regions of the models' training steps 20 to 32.
func modelledRegisters(kernel string, capability int) int {
	if strings.HasPrefix(kernel, emit.Prefix) {
		return 32
	}
	return kernels.Registers(kernel, capability)
}

// compileStill reads a module whose kernels do nothing.
func compileStill(name, text string) (*sim.Code, error) {
	code, err := sim.CompilePTX(name, text)
	if err != nil {
		return nil, err
	}
	for _, k := range code.Kernels {
		k.Run = func(*sim.Launch) (sim.Work, error) { return sim.Work{}, nil }
	}
	return code, nil
}

// watched returns the driver, whose launches and copies are noted.
func (t *Trace) watched() *driver.API {
	own, api := t.api, *t.api
	api.ModuleGetFunction = func(ctx driver.Context, m driver.Module, name string) (driver.Function, driver.Result) {
		f, r := own.ModuleGetFunction(ctx, m, name)
		t.mu.Lock()
		defer t.mu.Unlock()
		t.names[f] = name
		return f, r
	}
	api.LaunchKernel = func(ctx driver.Context, f driver.Function, grid, block driver.Dim, shared uint32, s driver.Stream, params []byte) driver.Result {
		t.launch(ctx, f, &driver.Launch{Grid: grid, Block: block, Shared: shared})
		return own.LaunchKernel(ctx, f, grid, block, shared, s, params)
	}
	if own.LaunchKernelEx != nil {
		api.LaunchKernelEx = func(ctx driver.Context, f driver.Function, l *driver.Launch, s driver.Stream, params []byte) driver.Result {
			t.launch(ctx, f, l)
			return own.LaunchKernelEx(ctx, f, l, s, params)
		}
	}
	api.MemcpyHtoDAsync = func(ctx driver.Context, dst driver.Ptr, src []byte, s driver.Stream) driver.Result {
		t.add(roofline.Call{Op: "copy", Link: float64(len(src))})
		return own.MemcpyHtoDAsync(ctx, dst, src, s)
	}
	api.MemcpyDtoHAsync = func(ctx driver.Context, dst []byte, src driver.Ptr, s driver.Stream) driver.Result {
		t.add(roofline.Call{Op: "copy", Link: float64(len(dst))})
		return own.MemcpyDtoHAsync(ctx, dst, src, s)
	}
	return &api
}

// Take returns what was issued since it was called last.
func (t *Trace) Take() []roofline.Call {
	t.mu.Lock()
	defer t.mu.Unlock()
	calls := t.calls
	t.calls = nil
	return calls
}

func (t *Trace) add(c roofline.Call) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.calls = append(t.calls, c)
}

// begin notes ops that are about to be launched together. A nil trace notes nothing.
func (t *Trace) begin(calls ...*backend.Call) {
	if t == nil {
		return
	}
	noted := roofline.Call{Op: calls[0].Op.String()}
	for _, c := range calls {
		noted.Bytes += bytesOf(c)
		noted.Flops += flopsOf(c)
	}
	t.add(noted)
}

// plan notes how many clocks the next launch takes, by the model that chose it.
func (t *Trace) plan(clocks float64) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.clocks = clocks
}

// moves notes how many bytes the next launch moves, of those beside the op's own.
func (t *Trace) moves(bytes uint64) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.bytes = float64(bytes)
}

// streams notes that the next launch waits for an operand that it reads so many times, and how many of its bytes a thread has in the main loop.
func (t *Trace) streams(bytes, times int) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stream, t.times = bytes, times
}

// launch notes a launch as one of the last op's.
func (t *Trace) launch(ctx driver.Context, f driver.Function, l *driver.Launch) {
	resident, _ := t.api.OccupancyMaxActiveBlocks(ctx, f, int32(l.Block.Count()), uint64(l.Shared))
	t.mu.Lock()
	defer t.mu.Unlock()
	name := t.names[f]
	figures, _ := kernels.FiguresOf(name, 10*t.GPU.Major+t.GPU.Minor)
	if len(t.calls) == 0 {
		t.calls = append(t.calls, roofline.Call{})
	}
	if t.stream > 0 {
		figures.Bytes = t.stream
	}
	last := &t.calls[len(t.calls)-1]
	last.Launches = append(last.Launches, roofline.Launch{
		Kernel: name, Blocks: l.Grid.Count(), Threads: int(l.Block.Count()), Resident: int(resident), Unit: unitOf(name), Clocks: t.clocks,
		Bytes: t.bytes, Products: multiplies(name), Streams: t.times,
		Loop: roofline.Loop{
			Arithmetic: figures.Arithmetic, Instructions: figures.Instructions, Doubles: figures.Doubles, Conversions: figures.Conversions, Bytes: figures.Bytes,
		},
	})
	t.clocks, t.bytes, t.stream, t.times = 0, 0, 0, 0
}

// multiplies tells from a kernel's name whether it makes products.
func multiplies(kernel string) bool {
	for _, family := range []string{"product_", "conv_", "attention_"} {
		if strings.HasPrefix(kernel, family) {
			return !strings.Contains(kernel, "_join_") && !strings.Contains(kernel, "_delta_")
		}
	}
	return false
}

// unitOf tells what a kernel computes with from its name.
func unitOf(kernel string) roofline.Unit {
	half := strings.HasSuffix(kernel, "_f16") || strings.HasSuffix(kernel, "_bf16")
	switch {
	case strings.Contains(kernel, "_imma_"), strings.Contains(kernel, "quantized_wgmma"):
		return roofline.Tensor8
	case half && multiplies(kernel) && !strings.Contains(kernel, "_thin_"):
		return roofline.Tensor16
	case strings.Contains(kernel, "_tf32_"):
		return roofline.Tensor32
	case strings.HasSuffix(kernel, "_f64"):
		return roofline.Float64
	}
	return roofline.Float32
}

// lookups are ops that read of their first operand no more than they write.
var lookups = []op.Op{op.Gather, op.IndexSelect, op.Embedding}

// steps reports whether an op reads its results before it writes them, as steps of optimizers do.
func steps(c *backend.Call) bool {
	return c.Op == op.SGDStep || c.Op == op.AdamStep || c.Op.IsUpdate()
}

// distinct returns the bytes of a view's elements, each counted once.
func distinct(v *backend.View) float64 {
	n := 1
	for i, extent := range v.Layout.Shape() {
		if v.Layout.Strides()[i] != 0 {
			n *= extent
		}
	}
	return float64(n * v.DType.Size())
}

// fused notes regions that are about to be launched together. A nil trace notes nothing.
func (t *Trace) fused(pieces []*fusedRegion) {
	if t == nil {
		return
	}
	noted := roofline.Call{Op: "fused"}
	for _, p := range pieces {
		for i := range p.region.Out {
			noted.Bytes += distinct(&p.region.Out[i].View)
		}
		for i := range p.region.In {
			if v := &p.region.In[i]; v.Layout != nil {
				noted.Bytes += distinct(v)
			}
		}
	}
	t.add(noted)
}

// bytesOf returns how many bytes the operands and results have, each once, or twice where an op updates it: elements that a stride of 0 repeats are one.
func bytesOf(c *backend.Call) (bytes float64) {
	for i := range c.Out() {
		bytes += distinct(&c.Out()[i])
	}
	if steps(c) {
		bytes *= 2
	}
	for i := range c.In() {
		v := &c.In()[i]
		if !c.Has(i) || v.IsConst() {
			continue
		}
		n := distinct(v)
		if i == 0 && slices.Contains(lookups, c.Op) {
			n = min(n, distinct(&c.Out()[0]))
		}
		bytes += n
	}
	return bytes
}

// flopsOf returns the operations of products and of what is made of them; a multiplication with addition is two.
func flopsOf(c *backend.Call) float64 {
	size := func(v *backend.View) float64 { return float64(v.Layout.Size()) }
	in, out := c.In(), c.Out()
	switch {
	case slices.Contains(products, c.Op):
		var p kernels.Product
		describeProduct(&p, c)
		return 2 * float64(p.Count) * float64(p.M) * float64(p.N) * float64(p.K)
	case c.Op == op.QuantizedLinear:
		return 2 * size(&out[0]) * float64(in[0].Layout.Shape()[1])
	case c.Op == op.Conv:
		return 2 * size(&out[0]) * size(&in[1]) / float64(max(in[1].Layout.Shape()[0], 1))
	case c.Op == op.ConvGradInput:
		return 2 * size(&in[0]) * size(&in[1]) / float64(max(in[1].Layout.Shape()[0], 1))
	case c.Op == op.ConvGradWeight:
		return 2 * size(&in[0]) * size(&out[0]) / float64(max(out[0].Layout.Shape()[0], 1))
	case c.Op == op.Attention: // scores, and what they weigh
		return 4 * scores(c, in) * float64(in[0].Layout.Shape()[3])
	case c.Op == op.AttentionGrad: // the scores again, and four products of gradients
		return 10 * scores(c, in[1:]) * float64(in[1].Layout.Shape()[3])
	}
	return 0
}

// scores returns how many scores attention computes of queries and keys: those of keys that queries see.
func scores(c *backend.Call, qk []backend.View) (n float64) {
	o, shape, keys := c.Params.(op.Attend), qk[0].Layout.Shape(), qk[1].Layout.Shape()[2]
	for i := range shape[2] {
		from, to := 0, keys
		if o.Window > 0 {
			from, to = max(o.First+i-o.Window+1, 0), min(to, o.First+i+o.Window)
		}
		if o.Causal {
			to = min(to, o.First+i+1)
		}
		n += float64(max(to-from, 0))
	}
	return n * float64(shape[0]*shape[1])
}
