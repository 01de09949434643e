package asm

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"cresset/internal/kgen/recipe"
)

// toy is a machine of few registers that computes while it is written, in float32.
type toy struct {
	size   int
	inputs []float32
	regs   []float32
	stack  map[int]float32
	result float32
}

func (m *toy) registers(c class) int                { return m.size * (1 - int(c)) }
func (m *toy) maskClass() class                     { return vectors }
func (m *toy) scales() bool                         { return false }
func (m *toy) bytes() int                           { return 16 }
func (m *toy) extremes(recipe.Op, recipe.Elem) bool { return false }
func (m *toy) trial() machine                       { return m }

func (m *toy) prepares([]uint32) bool     { return false }
func (m *toy) pieces([]uint32) [][]uint32 { return nil }

func (m *toy) load(p *placer, in *inst)  { m.regs[p.out(in.dst)] = m.inputs[in.operand-1] }
func (m *toy) store(p *placer, in *inst) { m.result = m.regs[p.in(in.args[0])] }
func (m *toy) fold(*placer, *inst)       {}
func (m *toy) prepare(*placer, *inst)    {}

func (m *toy) compute(p *placer, in *inst) {
	switch in.op {
	case recipe.FMA:
		x, y := p.in(in.args[0]), p.in(in.args[1])
		product := m.regs[x] * m.regs[y]
		dst := p.over(in.dst, in.args[2])
		m.regs[dst] += product
	default:
		x, y := m.regs[p.in(in.args[0])], m.regs[p.in(in.args[1])]
		t := p.scratch(vectors)
		m.regs[t] = float32(math.NaN()) // nothing that is needed may be there
		m.regs[p.out(in.dst)] = map[recipe.Op]float32{recipe.Add: x + y, recipe.Mul: x * y}[in.op]
	}
}

func (m *toy) fetch(p *placer, v, r int) {
	if p.values[v].shared == constant {
		m.regs[r] = math.Float32frombits(uint32(p.values[v].bits))
		return
	}
	m.regs[r] = m.stack[p.slot[v]]
}

func (m *toy) spill(p *placer, v, r int)             { m.stack[p.slot[v]] = m.regs[r] }
func (m *toy) move(_ *placer, _ class, from, to int) { m.regs[to] = m.regs[from] }

// crowded is a loop that keeps 8 sums alive before it adds them all: of (a+k)·(b+k) + (a+k) for k below 8.
func crowded() *recipe.Loop {
	l := &recipe.Loop{Name: "Crowded", Elems: []recipe.Elem{recipe.F32}, Dst: []recipe.Operand{{Name: "dst"}}, Src: []recipe.Operand{{Name: "a"}, {Name: "b"}}}
	step := func(op recipe.Op, bits uint64, args ...recipe.Ref) recipe.Ref {
		l.Steps = append(l.Steps, recipe.Step{Op: op, Bits: bits, Args: args})
		return recipe.Ref(len(l.Steps) - 1)
	}
	a, b := step(recipe.Param, 0), step(recipe.Param, 1)
	var terms []recipe.Ref
	for k := range 8 {
		c := step(recipe.ConstFloat, math.Float64bits(float64(k)))
		x, y := step(recipe.Add, 0, a, c), step(recipe.Add, 0, b, c)
		terms = append(terms, step(recipe.FMA, 0, x, y, x))
	}
	sum := terms[0]
	for _, t := range terms[1:] {
		sum = step(recipe.Add, 0, sum, t)
	}
	l.Results = []recipe.Ref{sum}
	return l
}

func TestPlacerKeepsValues(t *testing.T) {
	want := float32(0)
	for k := range 8 {
		x, y := 2+float32(k), 3+float32(k)
		want += x*y + x
	}
	for size := 4; size <= 16; size++ {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			m := &toy{size: size, inputs: []float32{2, 3}, regs: make([]float32, size), stack: map[int]float32{}}
			p := newPlacer(m, lower(m, crowded(), recipe.F32, 0, 1), &Func{})
			p.write()
			if m.result != want {
				t.Errorf("got %v, want %v", m.result, want)
			}
			if spilled := p.spills > 0; spilled != (size < 11) {
				t.Errorf("%d spills with %d registers", p.spills, size)
			}
		})
	}
}

func TestPlanKeepsTablesFirst(t *testing.T) {
	for _, r := range recipe.Ops() {
		if r.Op != "GELU" {
			continue
		}
		kept := newPlan(half, r.Loops()[0], recipe.F32).kept
		if len(kept) == 0 {
			t.Fatal("nothing is kept in registers")
		}
		for i, v := range kept {
			if v.shared != table {
				t.Errorf("register %d keeps %+v, while tables are loaded for each pick", i, v)
			}
		}
	}
}

func TestFunctionName(t *testing.T) {
	for name, want := range map[string]string{
		"Add": "addF32X", "GELUTanh": "geluTanhF32X", "SiLU": "siLUF32X", "ReLUGrad": "reLUGradF32X", "SGD": "sgdF32X", "Log1p": "log1pF32X",
	} {
		if got := functionName(&recipe.Loop{Name: name}, recipe.F32, "X"); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

func TestPoolHoldsEachConstantOnce(t *testing.T) {
	var p pool
	a, b := p.Words(1), p.Words(2, 2)
	if again := p.Words(1); again != a || a == b {
		t.Errorf("got %s, %s, then %s", a, b, again)
	}
	if text := string(p.text()); !strings.Contains(text, "$16\n") || strings.Count(text, "DATA c") != 2 {
		t.Errorf("got\n%s", text)
	}
}
