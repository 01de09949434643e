package ptx

import "strings"

// need is the lowest capability whose modules may contain an instruction, by the first words of its name. Exact capabilities are those of
// targets such as sm_90a.
type need struct {
	words      string
	capability int
	exact      bool
}

// needs lists the longest words first.
var needs = []need{
	{"mma.sync.aligned.m16n8k4.row.col.f64", 90, false}, {"mma.sync.aligned.m16n8k8.row.col.f64", 90, false}, {"mma.sync.aligned.m16n8k16.row.col.f64", 90, false},
	{"mma.sync.aligned.m16n8k8.row.col.f32.f16", 75, false}, {"mma.sync.aligned.m16n8k8.row.col.f16", 75, false}, {"mma.sync.aligned.m8n8k16", 75, false}, {"mma", 80, false},
	{"ldmatrix", 75, false}, {"movmatrix", 75, false}, {"stmatrix", 90, false},
	{"cp.async.bulk", 90, false}, {"cp.reduce", 90, false}, {"cp.async", 80, false},
	{"mbarrier.try_wait", 90, false}, {"mbarrier.arrive.expect_tx", 90, false}, {"mbarrier", 80, false},
	{"mapa", 90, false}, {"barrier.cluster", 90, false}, {"fence.proxy", 90, false}, {"fence.mbarrier_init", 90, false}, {"elect", 90, false},
	{"st.async", 90, false}, {"griddepcontrol", 90, false}, {"wgmma", 90, true}, {"setmaxnreg", 90, true}, {"tcgen05", 100, true},
	{"redux", 80, false}, {"createpolicy", 80, false}, {"cvt.rn.bf16x2", 80, false}, {"cvt.rn.f16x2", 80, false}, {"cvt.rna.tf32", 80, false},
	{"fma.rn.bf16", 80, false}, {"add.rn.bf16", 90, false}, {"add.rn.f32.f16", 100, false}, {"mul.rn.bf16", 90, false}, {"sub.rn.bf16", 90, false},
	{"dp4a", 61, false}, {"tanh.approx", 75, false}, {"ex2.approx.f16", 75, false}, {"ex2.approx.ftz.bf16", 90, false},
}

// needsOf is needs by their first word.
var needsOf = func() map[string][]need {
	of := map[string][]need{}
	for _, n := range needs {
		first, _, _ := strings.Cut(n.words, ".")
		of[first] = append(of[first], n)
	}
	return of
}()

// targeted ends parsing where the module's target lacks an instruction, as NVIDIA's assembler does.
func (b *body) targeted(name, first string) {
	for _, n := range needsOf[first] {
		rest, ok := strings.CutPrefix(name, n.words)
		if !ok || rest != "" && rest[0] != '.' && rest[0] != 'x' {
			continue
		}
		switch have := b.m.Capability; {
		case have < n.capability, n.exact && !b.m.exact:
			suffix := ""
			if n.exact {
				suffix = "a"
			}
			b.failHere("%s needs .target sm_%d%s", name, n.capability, suffix)
		}
		return
	}
}
