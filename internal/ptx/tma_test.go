package ptx

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// rowsMap is a map of rows of float32.
func rowsMap(addr uint64, cols, rows, boxCols, boxRows int, swizzle uint32) [128]byte {
	m := TensorMap{Type: 7, Rank: 2, Address: addr, Extents: [5]uint64{uint64(cols), uint64(rows), 1, 1, 1}, Strides: [4]uint64{uint64(4 * cols)},
		Box: [5]uint32{uint32(boxCols), uint32(boxRows), 1, 1, 1}, Steps: [5]uint32{1, 1, 1, 1, 1}, Swizzle: swizzle}
	return m.Encode()
}

// faultOf wants an error that is a fault of a kind, whose text contains all of some words.
func faultOf(t *testing.T, err error, kind FaultKind, want ...string) {
	t.Helper()
	var f *Fault
	if !errors.As(err, &f) || f.Kind != kind {
		t.Fatalf("got %v, want a %v", err, kind)
	}
	for _, w := range want {
		if !strings.Contains(f.Error(), w) {
			t.Errorf("got %v, want %q", f, w)
		}
	}
}

func runPipeline(t *testing.T, kernel string, tiles int, shuffle uint64) ([]float32, []float32, error) {
	t.Helper()
	m, err := Parse("pipeline.ptx", text(t, "sm_90/pipeline.ptx"))
	if err != nil {
		t.Fatal(err)
	}
	var h heap
	data := numbers(16 * 32 * tiles)
	in, out := put(&h, data), put(&h, make([]float32, len(data)))
	k := m.Kernels[kernel]
	_, err = Launch(k, LaunchConfig{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{96, 1, 1}, Memory: &h, Shared: 8192, Shuffle: shuffle,
		Params: pack(k, rowsMap(in, 32, 16*tiles, 32, 16, 0), rowsMap(out, 32, 16*tiles, 32, 16, 0), uint32(tiles))})
	return data, get[float32](&h, out), err
}

func TestPipelineOfCopiesByMaps(t *testing.T) {
	for i, tiles := range []int{1, 2, 7, 7, 7} {
		in, out, err := runPipeline(t, "pipeline", tiles, uint64(tiles*i))
		if err != nil {
			t.Fatal(err)
		}
		for i := range out {
			if out[i] != 2*in[i] {
				t.Fatalf("%d tiles, element %d: got %g, want %g", tiles, i, out[i], 2*in[i])
			}
		}
	}
}

// TestPipelineFaults plants the mistakes of producers and consumers.
func TestPipelineFaults(t *testing.T) {
	for _, tc := range []struct {
		kernel string
		kind   FaultKind
		want   []string
	}{
		{"no_proxy_fence", DataRace, []string{"no fence.proxy.async stands between the write by warp 1 and this read"}},
		{"no_empty_wait", Misuse, []string{"1 arrivals at the barrier at 0x1800: phase 0, 0 of 1 arrivals and 4096 bytes missing"}},
		{"wrong_parity", Deadlock, []string{"warp 0 of block (0,0,0) waits for the end of a phase of parity 0 of the barrier at 0x1810: phase 0, 2 of 2 arrivals and 0 bytes missing"}},
		{"announces_too_much", Deadlock, []string{"warp 1 of block (0,0,0) waits", "0 of 1 arrivals and 128 bytes missing"}},
		{"announces_too_little", Deadlock, []string{"0 of 1 arrivals and -128 bytes missing"}},
		{"no_init_fence", DataRace, []string{"no fence.mbarrier_init behind mbarrier.init at 0x1800"}},
		{"no_store_wait", DataRace, []string{"an asynchronous instruction still reads it"}},
		{"arrives_early", DataRace, []string{"cp.async.bulk.tensor", "no barrier stands between this and the read by warp 1"}},
		{"no_barrier_after_init", DataRace, []string{"no barrier stands between this and mbarrier.init by warp 0"}},
	} {
		t.Run(tc.kernel, func(t *testing.T) {
			_, _, err := runPipeline(t, tc.kernel, 5, 0)
			faultOf(t, err, tc.kind, tc.want...)
		})
	}
	t.Run("ends before its store has read", func(t *testing.T) {
		_, _, err := runPipeline(t, "no_store_wait", 1, 0) // of one tile, whose stage nobody writes again
		faultOf(t, err, DataRace, "the thread ends and has not waited until this copy has read shared memory")
	})
}

func runCluster(t *testing.T, kernel string, threads uint32, h *heap, out uint64, args ...any) error {
	t.Helper()
	m, err := Parse("cluster.ptx", text(t, "sm_90/cluster.ptx"))
	if err != nil {
		t.Fatal(err)
	}
	k := m.Kernels[kernel]
	_, err = Launch(k, LaunchConfig{Grid: [3]uint32{4, 1, 1}, Block: [3]uint32{threads, 1, 1}, Cluster: [3]uint32{2, 1, 1}, Memory: h, Shared: 4096, Params: pack(k, args...)})
	return err
}

func TestClusters(t *testing.T) {
	const rounds = 3
	for kernel, want := range map[string]string{
		"share": "", "leaves_early": "of the cluster has ended", "local_arrivals": "an asynchronous copy into it has not been waited for",
	} {
		var h heap
		data := numbers(rounds * 1024)
		in, out := put(&h, data), put(&h, make([]float32, 4*len(data)))
		err := runCluster(t, kernel, 64, &h, out, rowsMap(in, 32, 32*rounds, 32, 16, 0), out, uint32(rounds))
		if want != "" {
			faultOf(t, err, map[bool]FaultKind{true: Misuse, false: DataRace}[kernel == "leaves_early"], want)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		got := get[float32](&h, out)
		for b := range 4 {
			if !slices.Equal(got[b*len(data):][:len(data)], data) {
				t.Errorf("block %d got other rows", b)
			}
		}
	}
	for _, tc := range []struct {
		kernel string
		want   func(block, lane int) uint32
		args   []any
		fault  string
	}{
		{"neighbour", func(b, l int) uint32 { return uint32(100*(b&1^1) + l) }, []any{uint32(0)}, ""},
		{"neighbour", nil, []any{uint32(1)}, "block (1,0,0) of the cluster has ended"},
		{"neighbour", nil, []any{uint32(2)}, "nothing keeps block (0,0,0), whose shared memory this accesses, from ending before"},
		{"message", func(b, l int) uint32 { return uint32(1000*(b&1^1) + l) }, nil, ""},
	} {
		var h heap
		out := put(&h, make([]uint32, 4*32))
		err := runCluster(t, tc.kernel, 32, &h, out, append([]any{out}, tc.args...)...)
		if tc.fault != "" {
			faultOf(t, err, map[bool]FaultKind{true: DataRace, false: Misuse}[tc.args[0] == uint32(2)], tc.fault)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		for i, got := range get[uint32](&h, out) {
			if want := tc.want(i/32, i%32); got != want {
				t.Fatalf("%s, block %d, lane %d: got %d, want %d", tc.kernel, i/32, i%32, got, want)
			}
		}
	}
}

// TestBarriersOfClusters: a warp waits once for each of its arrivals, and not before them.
func TestBarriersOfClusters(t *testing.T) {
	const arrive, wait = "barrier.cluster.arrive.aligned; ", "barrier.cluster.wait.aligned; "
	for code, want := range map[string]string{
		arrive + wait + arrive + wait: "", arrive + arrive + wait: "the warp has arrived already and not waited", wait: "the warp has not arrived",
	} {
		m, err := Parse("k", ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n"+code+"ret;\n}")
		if err != nil {
			t.Fatal(err)
		}
		_, err = Launch(m.Kernels["k"], LaunchConfig{Grid: [3]uint32{4, 1, 1}, Block: [3]uint32{64, 1, 1}, Cluster: [3]uint32{2, 1, 1}, Memory: &heap{}})
		if want != "" {
			faultOf(t, err, Misuse, want)
		} else if err != nil {
			t.Errorf("%s: %v", code, err)
		}
	}
}
