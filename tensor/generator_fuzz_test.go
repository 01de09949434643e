package tensor_test

import (
	"bytes"
	"slices"
	"testing"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/devicetest"
	"cresset/tensor"
)

// FuzzGeneratorState draws from a stream as the input says, saves its state on the way, and wants the same numbers from a
// stream that the state was given to; and it gives the input to a stream as a state, which must be refused, and change nothing, or
// be what the stream returns from then on.
func FuzzGeneratorState(f *testing.F) {
	devicetest.Simulate(f)
	f.Add(int64(0), []byte{1, 5, 2, 6, 3, 7, 4, 8, 5, 9})
	f.Add(int64(-1), make([]byte, 16))
	f.Add(int64(5), tensor.NewGenerator(5).State())
	f.Add(int64(7), tensor.NewGeneratorOn(device.CUDA(0), 7).State())
	f.Fuzz(func(t *testing.T, seed int64, input []byte) {
		checkState(t, tensor.NewGenerator(seed), input)
		checkState(t, tensor.NewGeneratorOn(device.CUDA(0), seed), input)
		g, h := tensor.NewGenerator(seed), tensor.NewGenerator(seed+1)
		program := input[:min(len(input), 24)]
		half := len(program) / 2
		draws(g, program[:half])
		h.SetState(g.State())
		if want, got := draws(g, program[half:]), draws(h, program[half:]); !slices.Equal(got, want) {
			t.Fatalf("seed %d, draws %v: the restored stream gives other numbers", seed, program)
		}
		if !bytes.Equal(g.State(), h.State()) {
			t.Fatalf("seed %d, draws %v: the streams end in other states", seed, program)
		}
	})
}

func checkState(t *testing.T, g *tensor.Generator, state []byte) {
	before := g.State()
	want := state
	if err := tensor.Try(func() { g.SetState(state) }); err != nil {
		want = before
	}
	got := g.State()
	if !g.Device().IsCPU() && len(want) == 8 {
		want = append(bytes.Clone(want), make([]byte, 8)...) // a seed alone
	}
	again := tensor.NewGeneratorOn(g.Device(), 3)
	again.SetState(got)
	if !bytes.Equal(again.State(), got) || !g.Device().IsCPU() && !bytes.Equal(got, want) {
		t.Fatalf("%s: the state % x became % x", g.Device(), want, got)
	}
}

// draws returns the numbers that a program draws: two of its bytes say how many of which kind.
func draws(g *tensor.Generator, program []byte) (out []float64) {
	on := tensor.Place{}.With(g)
	for i := 0; i+1 < len(program); i += 2 {
		n := int(program[i+1]) % 70
		dt := []dtype.DType{dtype.Float32, dtype.Float64, dtype.Float16}[program[i]/8%3]
		var x *tensor.Tensor
		switch program[i] % 5 {
		case 0:
			x = on.As(dt).Rand(n)
		case 1:
			x = on.As(dt).Randn(n)
		case 2:
			x = on.RandInt(-int(program[i]), 1+int(program[i+1]), n)
		case 3:
			x = on.RandPerm(n)
		default:
			x = tensor.Zeros(n).UniformInPlace(-1, 1, g)
		}
		out = append(out, tensor.Values[float64](x)...)
	}
	return out
}
