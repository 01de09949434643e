package bench

import (
	"fmt"

	"cresset/device"
	"cresset/dtype"
	"cresset/tensor"
)

// products are matrix products: square ones, Linear on batches, and bfloat16.
func products() []Case {
	var cases []Case
	for _, n := range []int{128, 256, 512, 1024, 2048} {
		cases = append(cases, mm(fmt.Sprintf("mm/%d", n), n, n, n))
	}
	for _, batch := range []int{1, 8, 32, 64} {
		cases = append(cases,
			mm(fmt.Sprintf("mm/%dx784x256", batch), batch, 784, 256),
			linear(batch, 784, 256, dtype.Float32), linear(batch, 1024, 1024, dtype.Float32))
	}
	cases = append(cases, linear(64, 128, 10, dtype.Float32), mv(1024), scores(8, 8, 128, 64))
	for _, n := range []int{256, 1024} {
		cases = append(cases, mmOf(fmt.Sprintf("mm_bf16/%d", n), n, n, n, dtype.BFloat16))
	}
	for _, batch := range []int{8, 64} {
		cases = append(cases, linear(batch, 1024, 1024, dtype.BFloat16))
	}
	return cases
}

func flops(m, k, n int) float64 { return 2 * float64(m) * float64(k) * float64(n) }

func mm(name string, m, k, n int) Case { return mmOf(name, m, k, n, dtype.Float32) }

func mv(n int) Case {
	return Case{Name: fmt.Sprintf("mv/%dx%d", n, n), Work: flops(n, n, 1), Unit: "FLOP", Make: func(dev device.Device) func() {
		a, x := tensor.On(dev).Randn(n, n), tensor.On(dev).Randn(n)
		return func() { a.MV(x).Release() }
	}}
}

func linear(batch, in, out int, dt dtype.DType) Case {
	name := "linear"
	if dt != dtype.Float32 {
		name += "_" + short(dt)
	}
	return Case{Name: fmt.Sprintf("%s/%dx%dx%d", name, batch, in, out), Work: flops(batch, in, out), Unit: "FLOP", Halves: dt == dtype.BFloat16, Make: func(dev device.Device) func() {
		on := tensor.On(dev)
		x, w, bias := on.Randn(batch, in).To(dt), on.Randn(out, in).To(dt), on.Randn(out).To(dt)
		return func() { x.Linear(w, bias).Release() }
	}}
}

// mmOf is a product of a dtype.
func mmOf(name string, m, k, n int, dt dtype.DType) Case {
	return Case{Name: name, Work: flops(m, k, n), Unit: "FLOP", Halves: dt.Size() == 2, Make: func(dev device.Device) func() {
		on := tensor.On(dev)
		a, b := on.Randn(m, k).To(dt), on.Randn(k, n).To(dt)
		return func() { a.MM(b).Release() }
	}}
}

// scores are those of attention, as a program writes them that has no op for it.
func scores(batch, heads, length, width int) Case {
	name := fmt.Sprintf("einsum/%dx%dx%dx%d", batch, heads, length, width)
	return Case{Name: name, Work: flops(batch*heads*length, width, length), Unit: "FLOP", Make: func(dev device.Device) func() {
		on := tensor.On(dev)
		q, k := on.Randn(batch, heads, length, width), on.Randn(batch, heads, length, width)
		return func() { step(func(s *tensor.Scope) { tensor.Einsum("bhqd,bhkd->bhqk", s.Enter(q), k) }) }
	}}
}
