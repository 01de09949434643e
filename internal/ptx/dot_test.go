package ptx

import "testing"

// dot adds the products of the first n elements of a row and a column, which is one of eight, to c.
func dot(m tensorModel, a, b *operandRow, n int, c float32, half bool) float32 {
	t := tensorOperands{c: [8]float32{3: c}}
	t.right.of([]operandRow{{}, {}, {}, *b, {}, {}, {}, {}}, n)
	m.row(&t, a, n, n, false, half)
	return t.c[3]
}

// TestInfinityTimesZero is a NaN in every model, whatever stands beside it.
func TestInfinityTimesZero(t *testing.T) {
	for _, capability := range []int{70, 75, 80, 90} {
		m := modelOf(capability)
		for name, set := range map[string]func(r *operandRow, k int, v float32){
			"f16":  func(r *operandRow, k int, v float32) { r.set16(k, formatF16, formatF16.round(float64(v))) },
			"bf16": func(r *operandRow, k int, v float32) { r.set16(k, formatBF16, formatBF16.round(float64(v))) },
			"tf32": func(r *operandRow, k int, v float32) { r.setTF32(k, u32(v)) },
		} {
			var a, b operandRow
			for k := range 4 {
				set(&a, k, 1)
				set(&b, k, 1)
			}
			set(&a, 1, f32(0xff800000))
			set(&b, 1, 0)
			if got := dot(m, &a, &b, 4, 1, false); got == got {
				t.Errorf("%d, %s: got %g", capability, name, got)
			}
			set(&b, 1, 1)
			if got := dot(m, &a, &b, 4, 1, false); u32(got) != 0xff800000 {
				t.Errorf("%d, %s: -inf times 1: got %g", capability, name, got)
			}
		}
		var a, b operandRow
		a.set16(1, formatF16, 0x7c00)
		if got := formatF16.round(float64(dot(m, &a, &b, 4, 1, true))); got != nanOf16 {
			t.Errorf("%d, a sum in f16: got %#x", capability, got)
		}
	}
}

// TestZerosKeepTheirSign: a sum of nothing but zeros is -0 where all of them are, and 0 otherwise.
func TestZerosKeepTheirSign(t *testing.T) {
	const minus = 1 << 15 // in f16
	for _, capability := range []int{70, 75, 80, 90} {
		m := modelOf(capability)
		for _, tc := range []struct {
			a, b uint16 // of the products, 0 and 1 in f16
			c    uint32
			want uint32
		}{
			{0, 0x3c00, 0, 0}, {minus, 0x3c00, 0, 0}, {0, 0x3c00, 1 << 31, 0}, {minus, 0x3c00, 1 << 31, 1 << 31}, {minus, minus | 0x3c00, 1 << 31, 0},
		} {
			var a, b operandRow
			for k := range 4 {
				a.set16(k, formatF16, tc.a)
				b.set16(k, formatF16, tc.b)
			}
			if got := u32(dot(m, &a, &b, 4, f32(tc.c), false)); got != tc.want {
				t.Errorf("%d: %#x times %#x and %#x: got %#x, want %#x", capability, tc.a, tc.b, tc.c, got, tc.want)
			}
		}
	}
}
