package recipe

import (
	"go/format"
	"strings"
	"testing"
)

// A reduction that somebody adds in a hurry is refused with the name of what is missing.
func TestCheckReductionsNamesWhatIsMissing(t *testing.T) {
	add := func(b *builder, acc, a float) float { return b.Add(acc, a) }
	for want, rows := range map[string][]*Reduction{
		"Doc is empty":              {{Op: "SumSquares", Name: "sum_squares", Combine: add}},
		"Combine is empty":          {{Op: "SumSquares", Name: "sum_squares", Doc: "Σ a²"}},
		"from a row above":          {{Op: "Parity", Name: "parity", Doc: "whether a sum is odd", As: "Sum"}},
		"Term is a func":            {{Op: "SumSquares", Name: "sum_squares", Doc: "Σ a²", Combine: add, Term: func(a float) float { return a }}},
		"Finish is a func":          {{Op: "Root", Name: "root", Doc: "√Σ a", Combine: add, Finish: func(b *builder, acc float) float { return b.Sqrt(acc) }}},
		`"SumSquares" has two rows`: {{Op: "SumSquares", Name: "a", Doc: "Σ a²", Combine: add}, {Op: "SumSquares", Name: "b", Doc: "Σ a²", Combine: add}},
	} {
		if err := CheckReductions(rows); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// The generator writes terms, scans and finishes of every kind.
func TestReductionsOfEveryKindAreWritten(t *testing.T) {
	rows := append(Reductions(), &Reduction{
		Op: "SumSquares", Name: "sum_squares", Doc: "Σ a²", Scan: "CumSquares", ScanName: "cumsquares",
		Term:    func(b *builder, a float) float { return b.Mul(a, a) },
		Combine: func(b *builder, acc, a float) float { return b.Add(acc, a) },
	}, &Reduction{
		Op: "RootMeanSquare", Name: "rms", Doc: "√(Σ a² / n)", As: "SumSquares", Floats: true,
		Finish: func(b *builder, acc, n float) float { return b.Sqrt(b.Div(acc, n)) },
	})
	if err := CheckReductions(rows); err != nil {
		t.Fatal(err)
	}
	loops, err := GoReductions(rows)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range [][]byte{loops, CPUReductions(rows), CUDAReductionTable(rows)} {
		if _, err := format.Source(text); err != nil {
			t.Error(err)
		}
	}
	for _, want := range []string{"struct SumSquares : Number<Wide>", "struct RootMeanSquare : SumSquares", "K(cumsquares, SumSquares)"} {
		if text := string(CUDAReductions(rows)); !strings.Contains(text, want) {
			t.Errorf("the kernels lack %q", want)
		}
	}
}
