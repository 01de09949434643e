package cuda

import (
	"os"
	"testing"
)

func TestSummaryLooksLikePyTorchs(t *testing.T) {
	golden, err := os.ReadFile("testdata/memory_summary_layout_torch26.txt")
	if err != nil {
		t.Fatal(err)
	}
	both := func(s Stat) PoolStat { return PoolStat{All: s, Small: s} }
	s := Stats{
		AllocatedBytes:     both(Stat{1024, 2048, 1000000, 998976}),
		ActiveBytes:        both(Stat{1024, 2048, 1000000, 998976}),
		RequestedBytes:     both(Stat{1000, 2000, 900000, 899000}),
		ReservedBytes:      both(Stat{2 << 20, 22 << 20, 22 << 20, 20 << 20}),
		InactiveSplitBytes: both(Stat{2096128, 2096128, 5000000, 2903872}),
		Allocation:         both(Stat{2, 4, 900002, 900000}),
		Active:             both(Stat{2, 4, 900002, 900000}),
		Segment:            both(Stat{1, 2, 2, 1}),
		InactiveSplit:      both(Stat{1, 1, 3, 2}),
		Retries:            1,
	}
	if got, want := s.Summary(0, false)+"\n"+s.Summary(0, true)+"\n", string(golden); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestStatsHavePyTorchsKeys(t *testing.T) {
	m := Stats{MaxSplitBytes: -1, AllocatedBytes: PoolStat{Large: {Peak: 7}}}.Map()
	if got, want := len(m), 9*3*4+2*4+6; got != want {
		t.Errorf("%d keys, want %d", got, want)
	}
	if got := m["allocated_bytes.large_pool.peak"]; got != 7 {
		t.Errorf("got %d, want 7", got)
	}
}

func TestBytesText(t *testing.T) {
	tests := []struct {
		n    int64
		want string
	}{
		{0, "0 bytes"}, {1024, "1024 bytes"}, {1025, "1.00 KiB"}, {1 << 20, "1024.00 KiB"},
		{20 << 20, "20.00 MiB"}, {1 << 30, "1024.00 MiB"}, {1<<30 + 1, "1.00 GiB"}, {800000000 << 30, "800000000.00 GiB"},
	}
	for _, tt := range tests {
		if got := bytesText(tt.n); got != tt.want {
			t.Errorf("%d: got %s, want %s", tt.n, got, tt.want)
		}
	}
}
