package vec

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"cresset/dtype"
)

// eachTileLevel runs f with every level that has tiles.
func eachTileLevel(t *testing.T, f func(t *testing.T)) {
	defer Use(Current())
	for _, l := range Available() {
		Use(l)
		if TileRows() == 0 {
			continue
		}
		t.Run(l.String(), f)
	}
}

// microKernels returns the numbers by which the generated function of a family chooses among micro-kernels, for the
// current level.
func microKernels(t *testing.T, family, elem string) (numbers []int) {
	t.Helper()
	name := family + elem + strings.ToUpper(current.String())
	file, err := parser.ParseFile(token.NewFileSet(), "tiles_"+runtime.GOARCH+"_gen.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); !ok || f.Name.Name != name {
			continue
		}
		ast.Inspect(d, func(n ast.Node) bool {
			if c, ok := n.(*ast.CaseClause); ok && c.List != nil {
				v, err := types.Eval(token.NewFileSet(), nil, token.NoPos, types.ExprString(c.List[0]))
				if err != nil {
					t.Fatal(err)
				}
				number, err := strconv.Atoi(v.Value.ExactString())
				if err != nil {
					t.Fatal(err)
				}
				numbers = append(numbers, number)
			}
			return true
		})
	}
	if len(numbers) == 0 {
		t.Fatalf("there is no %s that chooses among micro-kernels", name)
	}
	return numbers
}

// elemName is a type's part of a micro-kernel's name.
func elemName[T dtype.Float]() string {
	if isDouble[T]() {
		return "F64"
	}
	return "F32"
}

// families are the kinds of micro-kernels, each with the test that runs all of its shapes.
var families = map[string]string{
	"tile": "TestTiles, TestPairTiles, TestHalfTiles, TestAMXTiles", "sums": "TestAMXTiles, TestByteTiles", "results": "TestInt8LinearIsTheDotProduct of package kern", "tap": "TestTaps", "pixels": "TestPixels, TestPixelsToPlanes, TestAMXPixels", "phases": "TestPixelsToPlanes", "dot": "TestDots, TestHalfTiles",
	"panels": "TestPairPanels", "channels": "TestChannelLines", "halves": "TestHalfLines", "gather": "TestPacking, TestPairPacking, TestAMXPacking", "transpose": "TestPacking, TestPairPacking",
	"largest": "TestWindows", "largestAt": "TestWindows", "mean": "TestWindows",
	"lines": "TestLines, TestAMXPacking", "addRows": "TestAddRows", "triples": "TestPairMax",
	"combine": "TestCombine", "resample": "TestColumns", "scan": "TestScansOfRowsSideBySide of package kern",
	"depthwise": "TestDepthwise", "depthSums": "TestDepthwise", "depthSpread": "TestDepthwise",
	"winogradIn": "TestWinograd", "winogradOut": "TestWinograd", "winogradWeights": "TestWinograd",
	"slide": "TestSlides", "correlate": "TestCorrelations", "zip": "TestInterleave",
	"sumBytes": "TestInt8LinearIsTheDotProduct of package kern", "dotNibbles": "TestInt4LinearIsTheDotProduct of package kern", "squareNibbles": "the same",
	"streamBytes": "the same", "eights": "TestFixedPairsAreTheNearest of package kern", "digits": "TestFixedNumbersAreTheNearest of package kern", "digitPairs": "TestFixedPairsAreTheNearest of package kern",
	"add": halfArithmetics, "sub": halfArithmetics, "mul": halfArithmetics, "div": halfArithmetics, "sqrt": halfArithmetics, "features": halfArithmetics,
	"peak": "computes nothing: bench measures it",
}

const halfArithmetics = "TestHalfArithmetic and TestHalfLoops of package kern"

var kernelName = regexp.MustCompile(`^([a-z][A-Za-z]*?)[0-9x]*(F32|F64|I32|B?F16|B?F16F32)(AMX|AVX512|AVXVNNI|AVX2|NEON|NEONDOT)$`)

// TestEveryMicroKernelHasATest finds kinds of micro-kernels that the generator writes and no test runs.
func TestEveryMicroKernelHasATest(t *testing.T) {
	for _, arch := range []string{"amd64", "arm64"} {
		text, err := os.ReadFile("tile_stubs_" + arch + "_gen.go")
		if err != nil {
			t.Fatal(err)
		}
		file, err := parser.ParseFile(token.NewFileSet(), "", text, 0)
		if err != nil {
			t.Fatal(err)
		}
		var unknown []string
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			parts := kernelName.FindStringSubmatch(f.Name.Name)
			if parts == nil || families[parts[1]] == "" {
				unknown = append(unknown, f.Name.Name)
			}
		}
		if slices.Sort(unknown); len(unknown) > 0 {
			t.Errorf("%s: no test runs the kind of %v", arch, unknown)
		}
	}
}
