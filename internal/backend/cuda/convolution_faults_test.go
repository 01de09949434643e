package cuda

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"

	"cresset/dtype"
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/driver"
	"cresset/internal/driver/sim"
	"cresset/internal/hardware"
	"cresset/internal/kern"
	"cresset/internal/op"
	"cresset/internal/ptx"
)

// plantedFault is a change of a kernel's PTX, which has to be found: old is a pattern, whose first match becomes new.
type plantedFault struct {
	name, old, new string
	want           string // a kind of fault, or differs
	tells          string // what the fault says too
}

const differs = "differs from the CPU"

// Parts of the kernel's text.
const (
	loadPixels  = `(cp\.async\.bulk\.tensor\.4d\S+ \[%r\d+\], \[%rd\d+, \{)(%r\d+), (%r\d+), (%r\d+), (%r\d+)(\}\], \[%r\d+\];)`
	loadWeights = `(cp\.async\.bulk\.tensor\.3d\S+ \[%r\d+\], \[%rd\d+, \{)(%r\d+), (%r\d+), (%r\d+)(\}\], \[%r\d+\], %rs\d+;)`
	fullWait    = `(mbarrier\.try_wait\S+ p, \[%r\d+\], )(%r\d+)(;[^}]+}[^}]{0,700}wgmma\.fence)`
	emptyWait   = `(mbarrier\.try_wait\S+ p, \[%r\d+\], )(%r\d+)(;[^}]+}[^}]{0,700}arrive\.expect_tx)`
	arrival     = `(mbarrier\.arrive\.shared::cluster\S+ _, \[%r\d+\];)`
	announced   = `(mbarrier\.arrive\.expect_tx\S+ _, \[%r\d+\], )(%r\d+);`
	multicast   = `(mov\.b16\s+%rs\d+, )3;(\s+cp\.async\.bulk\.tensor\.3d)`
	arrivals    = `(mov\.b32\s+%r\d+, )16;(\s+mbarrier\.init)`
	clusterMeet = `barrier\.cluster\.arrive\.release\.aligned;\s+barrier\.cluster\.wait\.acquire\.aligned;`
	groupsMeet  = `bar\.sync\s+1, 256;`
	secondStep  = `(or\.b64\s+%rd\d+, %rd\d+, 46116862933388492)82;`
)

// having is an instruction behind one that writes a register of its own, called moved.
func having(first, then string) string { return "{\n.reg .b32 moved;\n" + first + "\n" + then + "\n}" }

var convolutionFaults = []plantedFault{
	{"a box is a pixel to the right", loadPixels, having("add.s32 moved, $3, 1;", "${1}$2, moved, $4, $5$6"), differs, ""},
	{"a box is a line above", loadPixels, having("sub.s32 moved, $4, 1;", "${1}$2, $3, moved, $5$6"), differs, ""},
	{"a box is of the next image", loadPixels, having("add.s32 moved, $5, 1;", "${1}$2, $3, $4, moved$6"), differs, ""},
	{"a box is of the channels behind", loadPixels, having("add.s32 moved, $2, 64;", "${1}moved, $3, $4, $5$6"), differs, ""},
	{"a box starts inside of a chunk", loadPixels, having("add.s32 moved, $2, 4;", "${1}moved, $3, $4, $5$6"), "illegal instruction", "the first coordinate"},
	{"the padding repeats the edge", loadPixels, having("max.s32 moved, $3, 0;", "${1}$2, moved, $4, $5$6"), differs, ""},
	{"the padding above repeats the edge", loadPixels, having("max.s32 moved, $4, 0;", "${1}$2, $3, moved, $5$6"), differs, ""},
	{"weights are of the tap behind", loadWeights, having("add.s32 moved, $3, 1;", "${1}$2, moved, $4$5"), differs, ""},
	{"weights are of the next row", loadWeights, having("add.s32 moved, $4, 1;", "${1}$2, $3, moved$5"), differs, ""},
	{"weights are shared with the first block alone", multicast, "${1}1;$2", "deadlock", "bytes missing"},
	{"weights are shared with the second block alone", multicast, "${1}2;$2", "deadlock", "bytes missing"},
	{"weights are shared with a block that is not there", multicast, "${1}7;$2", "out-of-bounds access", ""},
	{"more bytes are announced", announced, having("add.s32 moved, $2, 128;", "${1}moved;"), "deadlock", "128 bytes missing"},
	{"fewer bytes are announced", announced, having("sub.s32 moved, $2, 128;", "${1}moved;"), "deadlock", "-128 bytes missing"},
	{"a stage is read before it has come", fullWait, "setp.eq.b32 p, $2, $2$3", "data race", "asynchronous"},
	{"a stage is read at the wrong parity", fullWait, ".reg .b32 moved;\nxor.b32 moved, $2, 1;\n${1}moved$3", "data race", "asynchronous"},
	{"a stage is filled while it is read", emptyWait, "setp.eq.b32 p, $2, $2$3", "misuse", "bytes missing"},
	{"a stage is filled at the wrong parity", emptyWait, ".reg .b32 moved;\nxor.b32 moved, $2, 1;\n${1}moved$3", "deadlock", "waits for the end of a phase"},
	{"a stage is given back while it is multiplied", `wgmma\.wait_group\.sync\.aligned 1;`, "", "data race", "an asynchronous instruction still reads it"},
	{"a stage is given back by half of the warps", arrivals, "${1}8;$2", "data race", ""},
	{"a stage wants one more warp", arrivals, "${1}17;$2", "deadlock", "of 17 arrivals"},
	{"no stage is given back in the loop", arrival, "", "deadlock", "arrivals"},
	{"no fence behind the barriers' first values", `fence\.mbarrier_init\.release\.cluster;`, "", "data race", "no fence.mbarrier_init"},
	{"the cluster does not wait for the barriers' first values", clusterMeet, "", "misuse", "has not been initialised"},
	{"the kernel ahead is not waited for", `griddepcontrol\.wait;`, "", "data race", "no griddepcontrol.wait"},
	{"no fence before the products", `wgmma\.fence\.sync\.aligned;`, "", "misuse", "no wgmma.fence"},
	{"sums are read while they are added to", `wgmma\.wait_group\.sync\.aligned 0;`, "", "data race", "a register of the product"},
	{"sums overwrite what the other group multiplies", groupsMeet, "", "data race", ""},
	{"sums are read before the other group wrote them", `(` + groupsMeet + `(?s:.*?))` + groupsMeet, "$1", "data race", ""},
	{"the second step is one chunk further", secondStep, "${1}81;", differs, ""},
}

// TestConvolutionsByWarpgroupsAreWatched plants what can go wrong between a convolution's producer, the TMA and its warpgroups, and wants the interpreter or the
// comparison with the CPU to see it, which see nothing without.
func TestConvolutionsByWarpgroupsAreWatched(t *testing.T) {
	slowUnderRace(t)
	shape := kern.ConvShape{N: 5, C: 60, H: 7, W: 6, K: 40, R: 3, S: 3, StrideH: 1, StrideW: 1, PadH: 1, PadW: 1}
	watchFaults(t, convolutionFaults, func(t *testing.T, f *plantedFault) string { return planted(t, op.Conv, shape, f) })
}

// watchFaults wants each fault seen by planted, which sees nothing without.
func watchFaults(t *testing.T, faults []plantedFault, planted func(*testing.T, *plantedFault) string) {
	t.Helper()
	if seen := planted(t, nil); seen != "" {
		t.Fatal(seen)
	}
	for _, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			if seen := planted(t, &f); !strings.HasPrefix(seen, f.want) || !strings.Contains(seen, f.tells) {
				t.Errorf("got %q, want %s: %s", seen, f.want, f.tells)
			}
		})
	}
}

// planted convolves by a kernel with a fault, in a ring of stages that goes round twice, and returns what is seen of it.
func planted(t *testing.T, o op.Op, shape kern.ConvShape, f *plantedFault) string {
	t.Helper()
	kind := kernels.Outputs
	if o == op.ConvGradWeight {
		kind = kernels.Weights
	}
	tile := slices.IndexFunc(kernels.ConvolutionTiles[:], func(c kernels.ConvolutionTile) bool { return c.Mapped })
	return seen(t, "h100", kernels.ConvolutionTiles[tile].Kernel(kind)+"_bf16", f, func(dev *Device) error {
		v := newConvolver(dtype.BFloat16)
		return convolutionError(t, dev, dtype.BFloat16, shape, o, described(dev, func(s *scratch, n *convolution) error {
			plan, _ := kernels.PlanConvolution(n.TiledConvolution, kind == kernels.Weights, 1<<tile, 1)
			done, err := v.convolveMapped(s, n, &plan, dtype.BFloat16)
			if !done && err == nil {
				t.Error("not by the TMA")
			}
			return err
		}))
	})
}

// seen has run use a kernel with a fault on a card, and compare, and returns what is seen of it.
func seen(t *testing.T, preset, kernel string, f *plantedFault, run func(*Device) error) string {
	t.Helper()
	entry := ".entry " + kernel + "("
	m, err := hardware.Preset(preset, 1)
	if err != nil {
		t.Fatal(err)
	}
	var failed error
	d := sim.New(m, sim.Options{LookupEnv: func(string) (string, bool) { return "", false }, Compile: func(name, text string) (*sim.Code, error) {
		if at := strings.Index(text, entry); f != nil && at >= 0 {
			text = text[:at] + f.plant(t, text[at:])
		}
		code, err := sim.CompilePTX(name, text)
		if err != nil {
			t.Errorf("the interpreter refuses: %v", err)
			return nil, err
		}
		for _, k := range code.Kernels {
			run := k.Run
			k.Run = func(l *sim.Launch) (done sim.Work, err error) {
				if done, err = run(l); err != nil {
					failed = err
				}
				return done, err
			}
		}
		return code, nil
	}})
	dev, err := (&machine{open: func() (*driver.API, error) { return d.API, nil }}).at(0)
	if err != nil {
		t.Fatal(err)
	}
	err = run(dev)
	switch fault, ok := errors.AsType[*ptx.Fault](failed); {
	case ok:
		return fault.Error()
	case err != nil:
		return differs + ": " + err.Error()
	}
	return ""
}

// plant returns the text with the fault.
func (f *plantedFault) plant(t *testing.T, text string) string {
	t.Helper()
	old := regexp.MustCompile(f.old)
	at := old.FindStringSubmatchIndex(text)
	if at == nil {
		t.Fatal("nothing to replace")
	}
	return string(old.ExpandString([]byte(text[:at[0]]), f.new, text, at)) + text[at[1]:]
}
