package dtype_test

import (
	"os"
	"strings"
	"testing"

	"cresset/dtype"
)

// codes are the short names of testdata/promote_types_torch26.txt. Its complex types c4 and c8 do not exist here.
var codes = map[string]dtype.DType{
	"b1": dtype.Bool, "u1": dtype.Uint8, "i1": dtype.Int8, "i2": dtype.Int16, "i4": dtype.Int32, "i8": dtype.Int64,
	"f2": dtype.Float16, "bf": dtype.BFloat16, "f4": dtype.Float32, "f8": dtype.Float64,
}

func readGolden(t *testing.T, path string) []string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}

func TestPromoteGolden(t *testing.T) {
	lines := readGolden(t, "testdata/promote_types_torch26.txt")
	header := strings.Fields(lines[0])
	checked := 0
	for _, line := range lines[1:] {
		row := strings.Fields(line)
		for i, code := range row[1:] {
			a, okA := codes[row[0]]
			b, okB := codes[header[i+1]]
			if !okA || !okB {
				continue
			}
			if got := dtype.Promote(a, b); got != codes[code] {
				t.Errorf("Promote(%v, %v) = %v, want %v", a, b, got, codes[code])
			}
			checked++
		}
	}
	if checked != 100 {
		t.Errorf("checked %d pairs, want 100", checked)
	}
}

func TestPromoteLaws(t *testing.T) {
	for a := dtype.Undefined; a < dtype.Count; a++ {
		if dtype.Promote(a, a) != a {
			t.Errorf("Promote(%v, %v) = %v", a, a, dtype.Promote(a, a))
		}
		if got := dtype.Promote(a, dtype.Undefined); got != dtype.Undefined {
			t.Errorf("Promote(%v, Undefined) = %v", a, got)
		}
		for b := dtype.Undefined; b < dtype.Count; b++ {
			if dtype.Promote(a, b) != dtype.Promote(b, a) {
				t.Errorf("Promote(%v, %v) depends on the order", a, b)
			}
		}
	}
	if got := dtype.Promote(dtype.DType(200), dtype.Bool); got != dtype.Undefined {
		t.Errorf("Promote of no type = %v", got)
	}
}

type operand struct {
	tier  dtype.Tier
	dtype dtype.DType
}

// The operands of the golden's expressions.
var (
	tensorB = operand{dtype.Dimensioned, dtype.Bool}
	tensorU = operand{dtype.Dimensioned, dtype.Uint8}
	tensorC = operand{dtype.Dimensioned, dtype.Int8}
	tensorJ = operand{dtype.Dimensioned, dtype.Int32}
	tensorI = operand{dtype.Dimensioned, dtype.Int64}
	tensorH = operand{dtype.Dimensioned, dtype.Float16}
	tensorF = operand{dtype.Dimensioned, dtype.Float32}
	tensorD = operand{dtype.Dimensioned, dtype.Float64}
	zeroJ   = operand{dtype.ZeroDim, dtype.Int32}
	zeroI   = operand{dtype.ZeroDim, dtype.Int64}
	zeroF   = operand{dtype.ZeroDim, dtype.Float32}
	zeroD   = operand{dtype.ZeroDim, dtype.Float64}
	wrapB   = operand{dtype.Wrapped, dtype.Bool}
	wrapI   = operand{dtype.Wrapped, dtype.Int64}
	wrapF   = operand{dtype.Wrapped, dtype.Float64}
)

func TestPromotionGolden(t *testing.T) {
	want := make(map[string]dtype.DType)
	for _, line := range readGolden(t, "../tensor/testdata/promotion_torch26.txt") {
		if expression, result, ok := strings.Cut(line, " -> "); ok {
			want[expression] = printedDType(result)
		}
	}
	tests := []struct {
		expression string
		operands   []operand
	}{
		{"I+1", []operand{tensorI, wrapI}},
		{"I+1.5", []operand{tensorI, wrapF}},
		{"I+True", []operand{tensorI, wrapB}},
		{"I**2.0", []operand{tensorI, wrapF}},
		{"F+1", []operand{tensorF, wrapI}},
		{"F*I", []operand{tensorF, tensorI}},
		{"F+D", []operand{tensorF, tensorD}},
		{"H+1.5", []operand{tensorH, wrapF}},
		{"H+F", []operand{tensorH, tensorF}},
		{"H+I", []operand{tensorH, tensorI}},
		{"B+1", []operand{tensorB, wrapI}},
		{"B+1.5", []operand{tensorB, wrapF}},
		{"B+B", []operand{tensorB, tensorB}},
		{"U8+U8", []operand{tensorU, tensorU}},
		{"U8+1000", []operand{tensorU, wrapI}},
		{"U8+I8", []operand{tensorU, tensorC}},
		{"I32+I", []operand{tensorJ, tensorI}},
		{"I32+2**40", []operand{tensorJ, wrapI}},
		{"I+torch.tensor(1.5)", []operand{tensorI, zeroF}},
		{"I+torch.tensor(1.5,dtype=torch.float64)", []operand{tensorI, zeroD}},
		{"F+torch.tensor(1.5,dtype=torch.float64)", []operand{tensorF, zeroD}},
		{"I32+torch.tensor(5)", []operand{tensorJ, zeroI}},
		{"I32+torch.tensor(5.0)", []operand{tensorJ, zeroF}},
		{"B+torch.tensor(5)", []operand{tensorB, zeroI}},
		{"F+torch.tensor(5)", []operand{tensorF, zeroI}},
		{"H+torch.tensor(5.0)", []operand{tensorH, zeroF}},
		{"torch.tensor(1)+torch.tensor(1.5)", []operand{zeroI, zeroF}},
		{"torch.tensor(1,dtype=torch.int32)+torch.tensor(1)", []operand{zeroJ, zeroI}},
		{"torch.tensor(1.0)+torch.tensor(1.0,dtype=torch.float64)", []operand{zeroF, zeroD}},
		{"torch.tensor(1)+1.5", []operand{zeroI, wrapF}},
		{"torch.tensor(2**40)+I32", []operand{zeroI, tensorJ}},
		{"torch.where(B,I,F)", []operand{tensorI, tensorF}},
		{"torch.where(B,1,0)", []operand{wrapI, wrapI}},
		{"torch.where(B,1.5,0)", []operand{wrapF, wrapI}},
		{"torch.cat([I32,I])", []operand{tensorJ, tensorI}},
		{"I.clamp(0.5,1.5)", []operand{tensorI, wrapF, wrapF}},
		{"2.0**I", []operand{wrapF, tensorI}},
	}
	for _, test := range tests {
		var p dtype.Promotion
		for _, o := range test.operands {
			p.Add(o.tier, o.dtype)
		}
		if want, ok := want[test.expression]; !ok || p.Result() != want {
			t.Errorf("%s has dtype %v, want %v (in golden: %v)", test.expression, p.Result(), want, ok)
		}
	}
}

// printedDType reads the dtype off a printed tensor; those that a literal has by itself are not printed.
func printedDType(printed string) dtype.DType {
	if _, name, ok := strings.Cut(printed, "dtype="); ok {
		d, _ := dtype.Parse(strings.TrimSuffix(name, ")"))
		return d
	}
	values := strings.TrimPrefix(printed, "tensor")
	switch {
	case strings.Contains(values, "True"):
		return dtype.Bool
	case strings.ContainsAny(values, ".n"):
		return dtype.Float32
	}
	return dtype.Int64
}

func TestPromotionWithoutOperands(t *testing.T) {
	var p dtype.Promotion
	if p.Result() != dtype.Undefined {
		t.Errorf("result without operands = %v", p.Result())
	}
}

func TestPromotionAllocatesNothing(t *testing.T) {
	allocs := testing.AllocsPerRun(100, func() {
		var p dtype.Promotion
		p.Add(dtype.Dimensioned, dtype.Float32)
		p.Add(dtype.ZeroDim, dtype.Float64)
		p.Add(dtype.Wrapped, dtype.Int64)
		if p.Result() != dtype.Float32 {
			t.Fail()
		}
	})
	if allocs != 0 {
		t.Errorf("a promotion allocates %v times", allocs)
	}
}

func TestCanCast(t *testing.T) {
	// Rows are from, columns to; in the order of the constants: bool, uint8, int8 to int64, float16, bfloat16, float32,
	// float64.
	want := []string{
		"yyyyyyyyyy",
		"nyyyyyyyyy",
		"nyyyyyyyyy",
		"nyyyyyyyyy",
		"nyyyyyyyyy",
		"nyyyyyyyyy",
		"nnnnnnyyyy",
		"nnnnnnyyyy",
		"nnnnnnyyyy",
		"nnnnnnyyyy",
	}
	for i, row := range want {
		for j, c := range row {
			from, to := dtype.Bool+dtype.DType(i), dtype.Bool+dtype.DType(j)
			if got := dtype.CanCast(from, to); got != (c == 'y') {
				t.Errorf("CanCast(%v, %v) = %v", from, to, got)
			}
		}
	}
}

func BenchmarkPromotion(b *testing.B) {
	for b.Loop() {
		var p dtype.Promotion
		p.Add(dtype.Dimensioned, dtype.Float32)
		p.Add(dtype.Wrapped, dtype.Int64)
		if p.Result() != dtype.Float32 {
			b.Fail()
		}
	}
}
