package ptx

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// unit is PTX for one warp that loads fragments as they lie in memory, register after register of 32 lanes, runs an instruction on
// them and stores the result: in holds bytes of each input register, "b32" or "b64".
func unit(target, version, instruction string, reg string, in, out int) string {
	var s strings.Builder
	size := map[string]int{"b32": 4, "b64": 8}[reg]
	fmt.Fprintf(&s, `.version %s
.target %s
.address_size 64
.visible .entry unit(.param .u64 in, .param .u64 out)
{
	.reg .b32 %%t; .reg .b64 %%i; .reg .b64 %%o; .reg .b64 %%l; .reg .%s %%a<%d>; .reg .%s %%d<%d>;
	ld.param.u64 %%i, [in]; ld.param.u64 %%o, [out];
	mov.u32 %%t, %%ctaid.x; mul.wide.u32 %%l, %%t, %d; add.s64 %%i, %%i, %%l; mul.wide.u32 %%l, %%t, %d; add.s64 %%o, %%o, %%l;
	mov.u32 %%t, %%tid.x; mul.wide.u32 %%l, %%t, %d; add.s64 %%i, %%i, %%l; add.s64 %%o, %%o, %%l;
`, version, target, reg, in+1, reg, out+1, in*32*size, out*32*size, size)
	for k := range in {
		fmt.Fprintf(&s, "	ld.global.%s %%a%d, [%%i+%d];\n", reg, k, 32*size*k)
	}
	fmt.Fprintf(&s, "	%s\n", instruction)
	for k := range out {
		fmt.Fprintf(&s, "	st.global.%s [%%o+%d], %%d%d;\n", reg, 32*size*k, k)
	}
	s.WriteString("	ret;\n}\n")
	return s.String()
}

// registerList is {%a3, %a4}.
func registerList(name string, first, n int) string {
	var s []string
	for k := range n {
		s = append(s, fmt.Sprintf("%%%s%d", name, first+k))
	}
	return "{" + strings.Join(s, ", ") + "}"
}

// productCase is an mma instruction and what its operands are.
type productCase struct {
	shape, a, d string
	m, k        int
	regs        [3]int // of A, B and C
	target      int
}

var productCases = []productCase{
	{"m16n8k8", "f16", "f32", 16, 8, [3]int{2, 1, 4}, 75},
	{"m16n8k8", "f16", "f16", 16, 8, [3]int{2, 1, 2}, 75},
	{"m16n8k16", "f16", "f32", 16, 16, [3]int{4, 2, 4}, 80},
	{"m16n8k16", "f16", "f16", 16, 16, [3]int{4, 2, 2}, 80},
	{"m16n8k16", "bf16", "f32", 16, 16, [3]int{4, 2, 4}, 80},
	{"m16n8k8", "bf16", "f32", 16, 8, [3]int{2, 1, 4}, 80},
	{"m16n8k8", "tf32", "f32", 16, 8, [3]int{4, 2, 4}, 80},
	{"m16n8k4", "tf32", "f32", 16, 4, [3]int{2, 1, 4}, 80},
	{"m8n8k4", "f64", "f64", 8, 4, [3]int{1, 1, 2}, 80},
	{"m16n8k4", "f64", "f64", 16, 4, [3]int{2, 1, 4}, 90},
	{"m16n8k8", "f64", "f64", 16, 8, [3]int{4, 2, 4}, 90},
	{"m16n8k16", "f64", "f64", 16, 16, [3]int{8, 4, 4}, 90},
	{"m8n8k16", "s8", "s32", 8, 16, [3]int{1, 1, 2}, 75},
	{"m16n8k16", "s8", "s32", 16, 16, [3]int{2, 1, 4}, 80},
	{"m16n8k32", "s8", "s32", 16, 32, [3]int{4, 2, 4}, 80},
}

func (c *productCase) name() string {
	return fmt.Sprintf("%s.row.col.%s.%s.%s.%s", c.shape, c.d, c.a, c.a, c.d)
}

func (c *productCase) text() string {
	a, b, sum := c.regs[0], c.regs[1], c.regs[2]
	reg, version := "b32", "7.0"
	if c.a == "f64" {
		reg = "b64"
	}
	if c.target == 90 {
		version = "7.8"
	}
	return unit(fmt.Sprintf("sm_%d", c.target), version, fmt.Sprintf("mma.sync.aligned.%s %s, %s, %s, %s;", c.name(),
		registerList("d", 0, sum), registerList("a", 0, a), registerList("a", a, b), registerList("a", a+b, sum)), reg, a+b+sum, sum)
}

// format writes numbers as they lie in registers, several to one.
func (c *productCase) encode(kind string, v float64) uint64 {
	switch kind {
	case "f16":
		return uint64(formatF16.round(v))
	case "bf16":
		return uint64(formatBF16.round(v))
	case "tf32":
		return uint64(roundTF32(u32(float32(v)), "rn"))
	case "f32":
		return uint64(u32(float32(v)))
	case "s8": // from -128 to 127
		return uint64(uint8(int8(max(min(v, 127), -128))))
	case "s32":
		return uint64(uint32(int32(v)))
	}
	return u64(v)
}

func (c *productCase) decode(kind string, x uint64) float64 {
	switch kind {
	case "f16":
		return float64(f16ToF32(uint16(x)))
	case "bf16":
		return float64(formatBF16.value(uint16(x)))
	case "tf32", "f32":
		return float64(f32(uint32(x)))
	case "s8":
		return float64(int8(x))
	case "s32":
		return float64(int32(x))
	}
	return f64(x)
}

// TestMatrixFragments multiplies random matrices, whose elements stand in fragments as the PTX ISA says, written down here anew.
func TestMatrixFragments(t *testing.T) {
	for _, c := range productCases {
		t.Run(c.name(), func(t *testing.T) {
			m, err := Parse("unit", c.text())
			if err != nil {
				t.Fatal(err)
			}
			r := rand.New(rand.NewPCG(1, 2))
			A, B, C := make([]float64, c.m*c.k), make([]float64, c.k*8), make([]float64, c.m*8)
			for _, s := range []struct {
				v    []float64
				kind string
			}{{A, c.a}, {B, c.a}, {C, c.d}} {
				size := max(map[string]float64{"s8": 60, "s32": 1e6}[s.kind], 1)
				for i := range s.v {
					s.v[i] = c.decode(s.kind, c.encode(s.kind, r.NormFloat64()*size))
				}
			}
			in := make([]uint64, 32*(c.regs[0]+c.regs[1]+c.regs[2]))
			per := max(map[string]int{"f16": 2, "bf16": 2, "s8": 4}[c.a], 1)
			wide := 32 / per
			for lane := range 32 {
				g, q := lane/4, lane%4
				for j := range c.regs[0] {
					for e := range per {
						row, k := g+8*(j&1), per*q+e+4*per*(j>>1)
						if c.m == 8 {
							row, k = g, per*q+e
						}
						in[32*j+lane] |= c.encode(c.a, A[row*c.k+k]) << (wide * e)
					}
				}
				for j := range c.regs[1] {
					for e := range per {
						k := per*q + e + 4*per*j
						in[32*(c.regs[0]+j)+lane] |= c.encode(c.a, B[k*8+g]) << (wide * e)
					}
				}
				for i := range c.m / 4 {
					at, shift := i, 0
					if c.d == "f16" {
						at, shift = i/2, 16*(i%2)
					}
					in[32*(c.regs[0]+c.regs[1]+at)+lane] |= c.encode(c.d, C[(g+8*(i>>1))*8+2*q+i&1]) << shift
				}
			}
			var h heap
			out := make([]uint64, 32*c.regs[2])
			var src, dst uint64
			if c.a == "f64" {
				src, dst = put(&h, in), put(&h, out)
			} else {
				narrow := make([]uint32, len(in))
				for i := range in {
					narrow[i] = uint32(in[i])
				}
				src, dst = put(&h, narrow), put(&h, make([]uint32, len(out)))
			}
			k := m.Kernels["unit"]
			if _, err := Launch(k, LaunchConfig{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{32, 1, 1}, Params: pack(k, src, dst), Memory: &h}); err != nil {
				t.Fatal(err)
			}
			if c.a == "f64" {
				out = get[uint64](&h, dst)
			} else {
				for i, v := range get[uint32](&h, dst) {
					out[i] = uint64(v)
				}
			}
			tolerance := map[string]float64{"f16": 0x1p-9, "f32": 0x1p-20, "f64": 0x1p-48, "s32": 0}[c.d]
			for lane := range 32 {
				for i := range c.m / 4 {
					at, shift := i, 0
					if c.d == "f16" {
						at, shift = i/2, 16*(i%2)
					}
					row, col := lane/4+8*(i>>1), 2*(lane%4)+i&1
					want, size := C[row*8+col], math.Abs(C[row*8+col])
					chain := want
					for k := range c.k {
						chain = math.FMA(A[row*c.k+k], B[k*8+col], chain)
						want += A[row*c.k+k] * B[k*8+col]
						size += math.Abs(A[row*c.k+k] * B[k*8+col])
					}
					x := out[32*at+lane] >> shift
					if c.d == "f16" {
						x &= 0xffff
					}
					if got := c.decode(c.d, x); !(math.Abs(got-want) <= tolerance*size) {
						t.Fatalf("row %d, column %d: got %g, want %g", row, col, got, want)
					} else if c.a == "f64" && got != chain {
						t.Fatalf("row %d, column %d: got %x, want %x, added by fma in order of k", row, col, got, chain)
					}
				}
			}
		})
	}
}

// BenchmarkProduct is an mma.sync of 16 by 8 by 16 in a loop, whose 2048 multiplications are the rate.
func BenchmarkProduct(b *testing.B) {
	const rounds = 1000
	text := unit("sm_80", "7.0", `.reg .b32 %n; .reg .pred %p; mov.b32 %d0, 0; mov.b32 %d1, 0; mov.b32 %d2, 0; mov.b32 %d3, 0; mov.u32 %n, 0;
again:
	mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%d0,%d1,%d2,%d3}, {%a0,%a1,%a2,%a3}, {%a4,%a5}, {%d0,%d1,%d2,%d3};
	add.u32 %n, %n, 1; setp.lt.u32 %p, %n, 1000; @%p bra again;`, "b32", 6, 4)
	m, err := Parse("unit", text)
	if err != nil {
		b.Fatal(err)
	}
	k := m.Kernels["unit"]
	var h heap
	in := make([]uint32, 6*32)
	for i, v := range numbers(len(in)) {
		in[i] = uint32(formatBF16.round(float64(v))) * (1<<16 + 1)
	}
	src, dst := put(&h, in), put(&h, make([]uint32, 4*32))
	for b.Loop() {
		if _, err := Launch(k, LaunchConfig{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{32, 1, 1}, Params: pack(k, src, dst), Memory: &h, Workers: 1}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)*rounds*2048/b.Elapsed().Seconds()/1e9, "G_fma/s")
}
