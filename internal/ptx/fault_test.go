package ptx

import (
	"errors"
	"strings"
	"testing"
)

// TestFaults plants every mistake that the interpreter reports.
func TestFaults(t *testing.T) {
	words := func(h *heap, n int) uint64 { return put(h, make([]uint32, n)) }
	for _, tc := range []struct {
		name, kernel    string
		blocks, threads uint32
		args            func(h *heap) []any
		kind            FaultKind
		block, thread   [3]uint32
		want            string // part of the text
	}{
		{"past the end", "shifted", 2, 64, func(h *heap) []any { return []any{words(h, 128), words(h, 128), int64(1)} },
			OutOfBounds, [3]uint32{1, 0, 0}, [3]uint32{63, 0, 0}, "write of 4 bytes at 0x7f0000200 of global memory, 0 bytes past the end of the allocation of 512 bytes at 0x7f0000000"},
		{"before the start", "shifted", 2, 64, func(h *heap) []any { return []any{words(h, 128), words(h, 128), int64(-3)} },
			OutOfBounds, [3]uint32{0, 0, 0}, [3]uint32{0, 0, 0}, "12 bytes before the allocation"},
		{"reading too far", "shifted", 1, 64, func(h *heap) []any { return []any{words(h, 64), words(h, 50), int64(0)} },
			OutOfBounds, [3]uint32{}, [3]uint32{50, 0, 0}, "read of 4 bytes"},
		{"freed", "shifted", 1, 32, func(h *heap) []any {
			out, x := words(h, 32), words(h, 32)
			h.regions[1].Freed = true
			return []any{out, x, int64(0)}
		}, UseAfterFree, [3]uint32{}, [3]uint32{}, "0 bytes into the freed allocation of 128 bytes"},
		{"null", "shifted", 1, 32, func(h *heap) []any { return []any{uint64(0), words(h, 32), int64(0)} },
			OutOfBounds, [3]uint32{}, [3]uint32{}, "at 0x0 of global memory"},
		{"misaligned", "misaligned", 1, 32, func(h *heap) []any { return []any{words(h, 64)} },
			Misaligned, [3]uint32{}, [3]uint32{1, 0, 0}, "st.global.b32 [%rd4], 1;: write of 4 bytes at 0x7f0000003"},
		{"past shared memory", "shared_overrun", 1, 64, func(h *heap) []any { return []any{words(h, 64), uint32(1)} },
			OutOfBounds, [3]uint32{}, [3]uint32{63, 0, 0}, "of shared memory: the block has 256 bytes"},
		{"unconverged shuffle", "unconverged_shuffle", 1, 32, func(h *heap) []any { return []any{words(h, 32)} },
			UnconvergedShuffle, [3]uint32{}, [3]uint32{1, 0, 0}, "lanes 0xaaaaaaaa wait for others; lanes 0x55555555 have exited"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var h heap
			_, err := tryLaunch(t, &h, "faults", tc.kernel, tc.blocks, tc.threads, tc.args(&h)...)
			var f *Fault
			if !errors.As(err, &f) {
				t.Fatalf("got %v, want a fault", err)
			}
			if f.Kind != tc.kind || f.Block != tc.block || f.Thread != tc.thread || f.Kernel != tc.kernel || f.Line == 0 || f.Instruction == "" {
				t.Errorf("got %+v", f)
			}
			if !strings.Contains(f.Error(), tc.want) {
				t.Errorf("got  %v\nwant %s", f, tc.want)
			}
		})
	}
}

func TestLaunchRefuses(t *testing.T) {
	k := load(t, "softmax").Kernels["softmax"]
	good := LaunchConfig{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{256, 1, 1}, Params: make([]byte, k.ParamBytes), Memory: &heap{}}
	for _, tc := range []struct {
		name   string
		change func(c *LaunchConfig)
		want   string
	}{
		{"no threads", func(c *LaunchConfig) { c.Block[1] = 0 }, "a block of (256,0,1) threads"},
		{"too many threads", func(c *LaunchConfig) { c.Block[0] = 512 }, "512 threads, and the kernel allows 256"},
		{"no blocks", func(c *LaunchConfig) { c.Grid[0] = 0 }, "a grid of (0,1,1) blocks"},
		{"too many blocks", func(c *LaunchConfig) { c.Grid[1] = 1 << 16 }, "a grid of"},
		{"parameters", func(c *LaunchConfig) { c.Params = nil }, "0 bytes of parameters, and the kernel takes 20"},
		{"globals", func(c *LaunchConfig) { c.Globals = []uint64{1} }, "1 addresses of globals"},
		{"memory", func(c *LaunchConfig) { c.Memory = nil }, "no memory"},
	} {
		c := good
		tc.change(&c)
		if _, err := Launch(k, c); !errors.Is(err, ErrLaunch) || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: got %v, want %s", tc.name, err, tc.want)
		}
	}
}
