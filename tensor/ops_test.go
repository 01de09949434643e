package tensor_test

import (
	"errors"
	"slices"
	"testing"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/devicetest"
	"cresset/internal/race"
	"cresset/tensor"
)

// opRow is a row of the op table: a function of tensors, what it is fed, and what judges it. From it come the values on
// every dtype, gradients by finite differences, other layouts, no elements, mistakes, memory and a benchmark.
type opRow struct {
	name string
	f    func(x []*tensor.Tensor) *tensor.Tensor
	in   []arg

	// One of these judges the values.
	ref   func(v []float64) float64 // of elements that stand at the same place
	naive func(x []array) array     // slow and plain
	judge string                    // says which other test does

	dtypes    []dtype.DType                    // all that are allowed; the others must be refused. Nil: the floats
	result    func(dt dtype.DType) dtype.DType // nil: that of the inputs
	roundings float64                          // how often the result may be rounded; 0: 4
	scale     float64                          // size of what is added up on the way and may cancel

	moreTypes      bool                                    // takes other dtypes too, which the rows of the ops that it is made of judge
	noGrad         bool                                    // results track no gradient
	view           bool                                    // results share the memory of input 0
	perType        bool                                    // results in one dtype say nothing of those in another
	contiguousOnly bool                                    // strided inputs are refused or make a copy
	inPlace        func(x []*tensor.Tensor) *tensor.Tensor // f, written into x[0]
	severalDevices string                                  // why inputs may lie on several devices
	draws          bool                                    // random: GPUs draw other numbers than the CPU, which TestPhiloxDraws judges
	noGPU          string                                  // why GPUs have no kernel
	noEmpty        string                                  // why axes without elements, and long ones, are not tried
	noSpecials     string                                  // why NaN, infinities and the like are not tried
	empty          []emptyCase
	wrong          []wrongCase
	bench          [][]int // shapes for the benchmark; nil: large ones for elementwise functions, else those of in
}

// emptyCase is inputs without elements, and the shape that comes out.
type emptyCase struct {
	in   [][]int
	want []int
}

// wrongCase is inputs whose shapes do not fit, and the error's kind, nil for any, and part of its text.
type wrongCase struct {
	in   [][]int
	kind error
	text string
}

// opTables are the rows of all families.
var opTables = [][]opRow{
	arithmeticRows,
	quantizedRows,
	divisionRows,
	mathRows,
	elementaryRows,
	activationRows,
	smoothRows,
	piecewiseRows,
	combinationRows,
	comparisonRows,
	selectRows,
	viewRows,
	shapeRows,
	indexingRows,
	copyRows,
	reductionRows,
	scanRows,
	selectionRows,
	assignmentRows,
	scatterRows,
	putRows,
	countRows,
	searchRows,
	productRows,
	contractionRows,
	convolutionRows,
	poolRows,
	channelRows,
	interpolateRows,
	samplingRows,
	layerRows,
	attentionRows,
	rotateRows,
	lossRows,
	pairLossRows,
	marginLossRows,
	ctcRows,
	recurrentRows,
	linalgRows,
	stateRows, updateRows,
}

func allRows() []opRow { return slices.Concat(opTables...) }

// TestOps judges every row on every device.
func TestOps(t *testing.T) {
	other := tensor.LendDevice(t)
	devicetest.Run(t, func(t *testing.T, dev device.Device) {
		for _, m := range makers {
			t.Run(m.name, func(t *testing.T) { m.check(t, dev) })
		}
		for _, r := range allRows() {
			t.Run(r.name, func(t *testing.T) {
				r := r.on(t, dev)
				r.checkValues(t, dev)
				r.checkSpecials(t, dev)
				r.checkGradients(t, dev)
				r.checkReuse(t, dev)
				r.checkLayouts(t, dev)
				r.checkEmpty(t, dev)
				r.checkLargeEmpty(t, dev)
				r.checkMemory(t, dev)
				r.checkInPlace(t, dev)
				r.checkMistakes(t, dev)
				r.checkDevices(t, dev, other)
			})
		}
	})
}

// raced are the rows that the race detector watches, for each way of launching kernels one; all of them would take minutes. Every
// op runs under it on several threads in TestThreadsKeepBits.
var raced = []string{"add scalar", "tanh", "where", "to int32", "cat", "gather", "sort", "sum", "cumsum over 0", "matmul 2x2",
	"softmax over 0", "conv1d", "batch_norm in training"}

// on returns the row for a device without the dtypes that missingOnGPUs lists.
func (r opRow) on(t testing.TB, dev device.Device) opRow {
	switch {
	case race.Enabled && !slices.Contains(raced, r.name):
		t.Skip("too slow under the race detector")
	case dev.IsCPU():
		return r
	case r.draws:
		t.Skip("TestPhiloxDraws judges what is drawn here")
	}
	var here []dtype.DType
	for _, dt := range r.allowed() {
		if err := tensor.Try(func() { r.f(r.tensors(dev, dt, false)) }); !errors.Is(err, tensor.ErrKernel) {
			here = append(here, dt)
		}
	}
	if len(here) == 0 && r.noGPU != "" {
		t.Skip(r.noGPU)
	}
	if len(here) == 0 {
		t.Fatalf("%v has no kernel for any of %v", dev, r.allowed())
	}
	r.dtypes = here
	return r
}

// BenchmarkOps times every row without gradients: BenchmarkOps/add/cpu/float32.
func BenchmarkOps(b *testing.B) {
	for _, r := range allRows() {
		b.Run(r.name, func(b *testing.B) {
			devicetest.Bench(b, func(b *testing.B, dev device.Device) {
				for _, dt := range r.allowed() {
					b.Run(dt.Name(), func(b *testing.B) { r.time(b, dev, dt) })
				}
			})
		})
	}
}

func (r *opRow) time(b *testing.B, dev device.Device, dt dtype.DType) {
	shapes := r.bench
	if shapes == nil && r.ref != nil {
		shapes = r.withExtents([]int{256, 1024})
	}
	x := r.reshaped(dev, dt, shapes)
	bytes := 0
	for _, t := range x {
		bytes += t.NumEl() * t.DType().Size()
	}
	b.SetBytes(int64(bytes))
	b.ReportAllocs()
	for b.Loop() {
		s := tensor.NewScope()
		for i := range x {
			x[i] = s.Enter(x[i])
		}
		r.f(x)
		s.Close()
	}
}
