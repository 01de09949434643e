package ptx

import (
	"fmt"
	"testing"
)

// boxCase is a copy of a box of a tensor of 4-byte elements.
type boxCase struct {
	extents, box, at []int
	swizzle          uint32
	nans             bool
}

var boxCases = []boxCase{
	{[]int{100}, []int{32}, []int{40}, 0, false},
	{[]int{100}, []int{32}, []int{88}, 0, false},
	{[]int{36, 20}, []int{32, 8}, []int{0, 0}, 0, false},
	{[]int{36, 20}, []int{32, 16}, []int{-4, -5}, 3, false},
	{[]int{36, 20}, []int{16, 8}, []int{28, 17}, 2, true},
	{[]int{36, 20}, []int{8, 64}, []int{4, 1}, 1, false},
	{[]int{36, 20}, []int{32, 16}, []int{36, 2}, 3, false},
	{[]int{20, 7, 5}, []int{16, 4, 3}, []int{4, 5, -1}, 0, false},
	{[]int{20, 7, 5}, []int{32, 4, 3}, []int{-8, 2, 3}, 3, false},
	{[]int{8, 6, 5, 4}, []int{8, 3, 2, 2}, []int{0, 4, 1, 3}, 0, false},
	{[]int{8, 6, 5, 4, 3}, []int{8, 3, 2, 2, 2}, []int{4, 4, 1, -1, 2}, 0, true},
}

func (c *boxCase) name() string {
	return fmt.Sprintf("%v of %v at %v, swizzle %d", c.box, c.extents, c.at, c.swizzle)
}

// tensorMap returns the map, whose rows are padded to 16 bytes and planes to one row more.
func (c *boxCase) tensorMap(addr uint64) (m TensorMap, elements int) {
	m = TensorMap{Type: 7, Rank: len(c.extents), Address: addr, Swizzle: c.swizzle, NaNs: c.nans}
	stride := 4
	for i := range m.Extents {
		m.Extents[i], m.Box[i], m.Steps[i] = 1, 1, 1
		if i < m.Rank {
			m.Extents[i], m.Box[i] = uint64(c.extents[i]), uint32(c.box[i])
			if i > 0 {
				m.Strides[i-1] = uint64(stride)
			}
			stride = (stride*c.extents[i] + 15) / 16 * 16
		}
	}
	return m, stride / 4
}

// each calls f for the elements of the box: their places in shared memory and in the tensor, -1 outside.
func (c *boxCase) each(m *TensorMap, f func(shared, element int)) {
	n := 1
	for _, b := range c.box {
		n *= b
	}
	for i := range n {
		rest, at, out := i, 0, false
		for axis, b := range c.box {
			x := c.at[axis] + rest%b
			rest /= b
			out = out || x < 0 || x >= c.extents[axis]
			stride := 1
			if axis > 0 {
				stride = int(m.Strides[axis-1] / 4)
			}
			at += x * stride
		}
		// A swizzle of 32, 64 or 128 bytes interchanges pieces of 16 bytes within them, by the number of the 128-byte line.
		chunk, line := i*4/16, i*4/128
		chunk ^= line & (1<<c.swizzle - 1)
		if out {
			at = -1
		}
		f(chunk*4+i%4, at)
	}
}

func runBox(t *testing.T, kernel string, h *heap, params ...any) error {
	t.Helper()
	k := load(t, "sm_90/boxes").Kernels[kernel]
	_, err := Launch(k, LaunchConfig{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{32, 1, 1}, Memory: h, Shared: 16384, Params: pack(k, params...)})
	return err
}

func (c *boxCase) params(m TensorMap, data uint64, elements int) []any {
	params := []any{m.Encode(), data, uint32(4 * elements)}
	for i := range 5 {
		at := int32(0)
		if i < len(c.at) {
			at = int32(c.at[i])
		}
		params = append(params, at)
	}
	return params
}

func TestLoadsOfBoxes(t *testing.T) {
	for _, c := range boxCases {
		t.Run(c.name(), func(t *testing.T) {
			var h heap
			m, size := c.tensorMap(0)
			data := numbers(size)
			m.Address = put(&h, data)
			want := map[int]float32{}
			c.each(&m, func(shared, element int) {
				want[shared] = 0
				if element >= 0 {
					want[shared] = data[element]
				} else if c.nans {
					want[shared] = f32(0x7ff77ff7)
				}
			})
			out := put(&h, make([]float32, len(want)))
			if err := runBox(t, fmt.Sprintf("load%d", m.Rank), &h, c.params(m, out, len(want))...); err != nil {
				t.Fatal(err)
			}
			for i, got := range get[float32](&h, out) {
				if u32(got) != u32(want[i]) {
					t.Fatalf("word %d: got %g, want %g", i, got, want[i])
				}
			}
		})
	}
}

func TestStoresOfBoxes(t *testing.T) {
	for _, c := range boxCases {
		for _, kernel := range []string{"store", "add"} {
			m, size := c.tensorMap(0)
			if m.Rank < 2 || m.Rank > 3 || m.Rank == 3 && kernel == "add" {
				continue
			}
			t.Run(kernel+" "+c.name(), func(t *testing.T) {
				var h heap
				old := numbers(size)
				m.Address = put(&h, old)
				n := 0
				c.each(&m, func(int, int) { n++ })
				from := numbers(n + 1000)[1000:]
				want := append([]float32(nil), old...)
				c.each(&m, func(shared, element int) {
					switch {
					case element < 0:
					case kernel == "add":
						want[element] += from[shared]
					default:
						want[element] = from[shared]
					}
				})
				if err := runBox(t, fmt.Sprint(kernel, m.Rank), &h, c.params(m, put(&h, from), n)...); err != nil {
					t.Fatal(err)
				}
				for i, got := range get[float32](&h, m.Address) {
					if got != want[i] {
						t.Fatalf("element %d: got %g, want %g", i, got, want[i])
					}
				}
			})
		}
	}
}

func TestBulkCopiesWithoutMaps(t *testing.T) {
	for _, tc := range []struct {
		shift  uint32
		before int // bytes before a multiple of 16
		kind   FaultKind
		want   string
	}{
		{0, 0, 0, ""}, {64, 0, 0, ""},
		{8, 0, Misaligned, "of shared::cluster memory"},
		{0, 8, Misaligned, "of global memory"},
		{16384, 0, OutOfBounds, "the block has"},
	} {
		var h heap
		old, data := numbers(64), numbers(70)
		out, from := put(&h, old), put(&h, data)
		err := runBox(t, "linear", &h, out, from+uint64(tc.before), tc.shift)
		if tc.want != "" {
			faultOf(t, err, tc.kind, tc.want)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		for i, got := range get[float32](&h, out) {
			if got != old[i]+data[i] {
				t.Fatalf("element %d: got %g, want %g", i, got, old[i]+data[i])
			}
		}
	}
	// A map that is none, and one of another rank.
	var h heap
	out := put(&h, make([]float32, 64))
	faultOf(t, runBox(t, "load1", &h, [128]byte{}, out, uint32(256), int32(0), int32(0), int32(0), int32(0), int32(0)), Misuse, "no tensor map")
	m, _ := boxCases[2].tensorMap(out)
	faultOf(t, runBox(t, "load1", &h, m.Encode(), out, uint32(256), int32(0), int32(0), int32(0), int32(0), int32(0)), Misuse, "a map of rank 2")
	m.Swizzle = 1
	faultOf(t, runBox(t, "load2", &h, m.Encode(), out, uint32(256), int32(0), int32(0), int32(0), int32(0), int32(0)), Misuse, "rows of 128 bytes in a box with a swizzle of 32")
}

// TestReductionsOfBlocks: blocks that add to the same words lose nothing.
func TestReductionsOfBlocks(t *testing.T) {
	const blocks = 500
	k := load(t, "sm_90/boxes").Kernels["linear"]
	var h heap
	ones := make([]float32, 64)
	for i := range ones {
		ones[i] = 1
	}
	out := put(&h, make([]float32, 64))
	if _, err := Launch(k, LaunchConfig{Grid: [3]uint32{blocks, 1, 1}, Block: [3]uint32{32, 1, 1}, Memory: &h, Shared: 4096, Workers: 8, Params: pack(k, out, put(&h, ones), uint32(0))}); err != nil {
		t.Fatal(err)
	}
	for i, got := range get[float32](&h, out) {
		if got != blocks {
			t.Fatalf("element %d: got %g", i, got)
		}
	}
	if !k.Ordered {
		t.Error("the order of blocks does not count")
	}
}

// TestRefusedBoxes: an H100 reports an illegal instruction for boxes whose rows do not start at multiples of 16 bytes, inside and outside.
// Others are not simulated, or lie beyond shared memory.
func TestRefusedBoxes(t *testing.T) {
	for _, tc := range []struct {
		kernel string
		box    boxCase
		kind   FaultKind
		want   string
	}{
		{"load1", boxCase{[]int{100}, []int{32}, []int{90}, 0, false}, IllegalInstruction, "the first coordinate is 90, which is 360 bytes"},
		{"load2", boxCase{[]int{36, 20}, []int{32, 16}, []int{-3, -5}, 3, false}, IllegalInstruction, "-3, which is -12 bytes"},
		{"load5", boxCase{[]int{8, 6, 5, 4, 3}, []int{8, 3, 2, 2, 2}, []int{1, 4, 1, -1, 2}, 0, true}, IllegalInstruction, "1, which is 4 bytes"},
		{"store2", boxCase{[]int{36, 20}, []int{32, 16}, []int{-3, -5}, 3, false}, IllegalInstruction, "-3, which is -12 bytes"},
		{"store3", boxCase{[]int{20, 7, 5}, []int{16, 4, 3}, []int{2, 5, -1}, 2, false}, IllegalInstruction, "2, which is 8 bytes"},
		{"load2", boxCase{[]int{36, 20}, []int{4, 8}, []int{0, 0}, 3, false}, Misuse, "rows of 16 bytes in a box with a swizzle of 128"},
		{"load2", boxCase{[]int{36, 300}, []int{32, 256}, []int{0, 0}, 0, false}, OutOfBounds, "the block has"},
		{"load5", boxCase{[]int{256, 1, 1, 1, 1}, []int{256, 256, 256, 256, 256}, []int{0, 0, 0, 0, 0}, 0, false}, OutOfBounds, "the block has"},
	} {
		var h heap
		m, size := tc.box.tensorMap(0)
		m.Address = put(&h, numbers(size))
		faultOf(t, runBox(t, tc.kernel, &h, tc.box.params(m, put(&h, numbers(1)), 0)...), tc.kind, tc.want)
	}
}
