package ptx

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// tileProduct is what testdata/sm_80/gemm.cu multiplies: bfloat16 matrices in tiles of 64 by 64.
type tileProduct struct {
	m, n, k int
	a, b    []float64
}

func newTileProduct(m, n, k int) *tileProduct {
	p := &tileProduct{m: m, n: n, k: k}
	for _, v := range numbers(m * k) {
		p.a = append(p.a, float64(formatBF16.value(formatBF16.round(float64(v)))))
	}
	for _, v := range numbers(k * n) {
		p.b = append(p.b, float64(formatBF16.value(formatBF16.round(float64(v)))))
	}
	return p
}

// run launches a kernel of the text and returns its result.
func (p *tileProduct) run(t testing.TB, text, kernel string, change func(*LaunchConfig)) ([]float32, Counters, error) {
	t.Helper()
	m, err := Parse("gemm.ptx", text)
	if err != nil {
		t.Fatal(err)
	}
	half := func(s []float64) (out []uint16) {
		for _, v := range s {
			out = append(out, formatBF16.round(v))
		}
		return out
	}
	var h heap
	c := put(&h, make([]float32, p.m*p.n))
	a, b := put(&h, half(p.a)), put(&h, half(p.b))
	k := m.Kernels[kernel]
	cfg := LaunchConfig{Grid: [3]uint32{uint32(p.n+63) / 64, uint32(p.m+63) / 64, 1}, Block: [3]uint32{128, 1, 1}, Memory: &h,
		Params: pack(k, c, a, b, uint32(p.m), uint32(p.n), uint32(p.k)), Shared: 3 * (64 + 64) * 32 * 2, Profile: true}
	if change != nil {
		change(&cfg)
	}
	count, err := Launch(k, cfg)
	return get[float32](&h, c), count, err
}

// check compares with sums in float64. Tensor cores cut each of the terms, so the bound grows with their number.
func (p *tileProduct) check(t testing.TB, got []float32) {
	t.Helper()
	for i, g := range got {
		want, size := 0.0, 0.0
		for q := range p.k {
			v := p.a[i/p.n*p.k+q] * p.b[q*p.n+i%p.n]
			want += v
			size += math.Abs(v)
		}
		if d := math.Abs(float64(g) - want); !(d <= size*0x1p-22) {
			t.Fatalf("row %d, column %d: got %g, want %g, off by %g of %g", i/p.n, i%p.n, g, want, d, size)
		}
	}
}

func text(t testing.TB, name string) string {
	t.Helper()
	s, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(s)
}

func TestTensorCoreProducts(t *testing.T) {
	ptx := text(t, "sm_80/gemm.ptx")
	for _, s := range [][3]int{{64, 64, 32}, {72, 88, 40}, {128, 64, 200}, {8, 8, 8}} {
		p := newTileProduct(s[0], s[1], s[2])
		for _, capability := range []int{80, 90} {
			for _, toNearest := range []bool{false, true} {
				got, count, err := p.run(t, ptx, "gemm", func(c *LaunchConfig) { c.Capability, c.Nearest = capability, toNearest })
				if err != nil {
					t.Fatal(err)
				}
				p.check(t, got)
				blocks := uint64((s[0]+63)/64*((s[1]+63)/64)) * uint64((s[2]+31)/32)
				if count.BankConflicts != 0 || count.Tensor16 != blocks*64*64*32 {
					t.Errorf("%v: %d bank conflicts and %d products, want 0 and %d", s, count.BankConflicts, count.Tensor16, blocks*64*64*32)
				}
			}
		}
	}
}

// TestAsynchronousCopyFaults plants what a kernel of asynchronous copies can do wrong.
func TestAsynchronousCopyFaults(t *testing.T) {
	good := text(t, "sm_80/gemm.ptx")
	start := strings.Index(good, ".entry gemm(")
	edit := func(old, new string) string {
		i := start + strings.Index(good[start:], old)
		return good[:i] + new + good[i+len(old):]
	}
	p := newTileProduct(64, 64, 256)
	for _, tc := range []struct {
		name, kernel, text string
		kind               FaultKind
		want               string
	}{
		{"one group too few is waited for", "gemm", edit("cp.async.wait_group 1", "cp.async.wait_group 2"), DataRace, "an asynchronous copy into it has not been waited for"},
		{"no barrier behind the wait", "gemm", edit("bar.sync \t0;", ""), DataRace, "stands between this and the"},
		{"a stage that is still read", "overwrites_stage", good, DataRace, ""},
		{"a destination that is not aligned", "gemm", regexp.MustCompile(`(L2::128B \[%r\d+)\]`).ReplaceAllString(good, "$1+2]"), Misaligned, "at 0x2 of shared memory"},
		{"a source that is not aligned", "gemm", regexp.MustCompile(`(L2::128B \[%r\d+\], \[%rd\d+)\]`).ReplaceAllString(good, "$1+2]"), Misaligned, "of global memory"},
		{"beyond shared memory", "gemm", regexp.MustCompile(`(L2::128B \[%r\d+)\]`).ReplaceAllString(good, "$1+65536]"), OutOfBounds, "the block has 24576 bytes"},
		{"just before shared memory", "gemm", regexp.MustCompile(`(L2::128B \[%r\d+)\]`).ReplaceAllString(good, "$1-16]"), OutOfBounds, "the block has 24576 bytes"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, _, err := p.run(t, tc.text, tc.kernel, nil)
			var f *Fault
			if !errors.As(err, &f) || f.Kind != tc.kind || !strings.Contains(f.Error(), tc.want) {
				t.Errorf("got %v, want a %v with %q", err, tc.kind, tc.want)
			}
		})
	}
}

// TestMatricesBeforeSharedMemory: the end of such a row is past the largest address, which is 0 again.
func TestMatricesBeforeSharedMemory(t *testing.T) {
	_, _, err := runSnippet(t, 75, "mov.u32 %r3, 0; ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r9}, [%r3-16];")
	faultOf(t, err, OutOfBounds, "of shared memory")
}

// TestBankConflictsOfMatrixLoads wants the conflicts that rows of 64 and 128 bytes without swizzling have.
func TestBankConflictsOfMatrixLoads(t *testing.T) {
	p := newTileProduct(64, 64, 64)
	got, count, err := p.run(t, text(t, "sm_80/gemm.ptx"), "no_swizzle", nil)
	if err != nil {
		t.Fatal(err)
	}
	p.check(t, got)
	// Two blocks of k, in each two steps of four warps: of A 2 loads of 4 matrices whose 8 rows lie in 4 of the bank groups, 3 passes
	// too many each; of B 2 loads of 4 matrices in one bank group, 7 too many. Copies to shared memory have none.
	if want := uint64(2 * 2 * 4 * (2*4*3 + 2*4*7)); count.BankConflicts != want {
		t.Errorf("%d conflicts, want %d", count.BankConflicts, want)
	}
}
