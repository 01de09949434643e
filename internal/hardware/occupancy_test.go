package hardware

import "testing"

// TestResident has what limits each of these kernels in its name.
func TestResident(t *testing.T) {
	for _, c := range []struct {
		name, preset       string
		threads, registers int
		shared             uint64
		want               int
	}{
		{"threads", "a100", 256, 32, 0, 8},
		{"threads of Turing", "t4", 256, 32, 0, 4},
		{"threads of Ada", "rtx4090", 256, 32, 0, 6},
		{"blocks", "a100", 32, 32, 0, 32},
		{"blocks of Turing", "t4", 32, 32, 0, 16},
		{"blocks of Ada", "rtx4090", 32, 32, 0, 24},
		{"whole warps", "a100", 33, 16, 0, 32},
		{"registers of a tile", "a100", 256, 128, 16896, 2},
		{"registers by the partition", "a100", 128, 168, 0, 3},
		{"registers of three warpgroups", "h100", 384, 168, 0, 1},
		{"registers, which come in eights", "h100", 256, 41, 0, 5},
		{"too many registers", "h100", 1024, 80, 0, 0},
		{"shared memory, a part reserved", "h100", 128, 32, 113 << 10, 2},
		{"shared memory, not quite", "h100", 128, 32, 113<<10 + 1, 1},
		{"shared memory, none reserved", "gtx1070", 128, 32, 48 << 10, 2},
	} {
		m, err := Preset(c.preset, 1)
		if err != nil {
			t.Fatal(err)
		}
		if got := m.GPUs[0].Resident(c.threads, c.registers, c.shared); got != c.want {
			t.Errorf("%s: %d threads, %d registers, %d bytes on %s: got %d blocks, want %d", c.name, c.threads, c.registers, c.shared, c.preset, got, c.want)
		}
	}
}
