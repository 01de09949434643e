package tensor_test

import (
	"math"
	"slices"
	"testing"

	"cresset/device"
	"cresset/internal/backend/cuda"
	"cresset/internal/driver"
	"cresset/internal/driver/sim"
	"cresset/internal/hardware"
	"cresset/internal/race"
	"cresset/tensor"
)

// withRegisters makes the GPU a simulated one whose kernels have so many registers, and notes how many blocks its launches have.
func withRegisters(t *testing.T, card string, registers int) (most *uint32) {
	t.Helper()
	m, err := hardware.Preset(card, 1)
	if err != nil {
		t.Fatal(err)
	}
	d := sim.New(m, sim.Options{
		LookupEnv: func(string) (string, bool) { return "", false }, Registers: func(string, int) int { return registers },
	})
	most = new(uint32)
	launch := d.API.LaunchKernel
	d.API.LaunchKernel = func(ctx driver.Context, f driver.Function, grid, block driver.Dim, shared uint32, s driver.Stream, params []byte) driver.Result {
		*most = max(*most, grid.X)
		return launch(ctx, f, grid, block, shared, s, params)
	}
	t.Cleanup(cuda.UseDriver(d.API))
	return most
}

// TestResultsDoNotDependOnOccupancy runs kernels whose blocks walk, and sums, where a multiprocessor runs eight blocks and where it runs one.
func TestResultsDoNotDependOnOccupancy(t *testing.T) {
	if race.Enabled {
		t.Skip("a simulated GPU is slow under the race detector")
	}
	results := func(registers int) (values [][]float32) {
		withRegisters(t, "gtx1050", registers)
		tensor.ManualSeed(1)
		on := tensor.On(device.CUDA(0))
		x, index := on.Randn(300, 101), on.RandInt(0, 300, 400)
		sorted, _ := x.Sort(0)
		for _, y := range []*tensor.Tensor{
			x, x.GELU(), x.Add(x.T().Contiguous().T()), x.Sum(), x.SumAxes([]int{0}), x.Var(), x.Softmax(1), x.CumSum(1), x.CumSum(0), sorted,
			x.IndexSelect(0, index), tensor.ZerosLike(x).IndexAdd(0, index, x.IndexSelect(0, index)), x.Triu(3),
		} {
			values = append(values, tensor.Values[float32](y))
		}
		return values
	}
	few, many := results(255), results(16)
	for i := range few {
		if !slices.EqualFunc(few[i], many[i], func(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) }) {
			t.Errorf("result %d depends on how many blocks run at once", i)
		}
	}
}

// TestWalkingBlocksAllRunAtOnce: of a gather over more elements than threads.
func TestWalkingBlocksAllRunAtOnce(t *testing.T) {
	for _, c := range []struct {
		card            string
		registers, want int
	}{{"gtx1050", 32, 5 * 8}, {"gtx1050", 40, 5 * 6}, {"gtx1050", 255, 5}, {"t4", 32, 40 * 4}} {
		most := withRegisters(t, c.card, c.registers)
		x := tensor.On(device.CUDA(0)).Zeros(400, 256)
		index := tensor.On(device.CUDA(0)).RandInt(0, 400, 400)
		*most = 0
		x.IndexSelect(0, index)
		if int(*most) != c.want {
			t.Errorf("%s, %d registers: got %d blocks, want %d", c.card, c.registers, *most, c.want)
		}
	}
}
