package cli

import (
	"testing"
	"testing/fstest"

	"cresset/device"
	"cresset/internal/hardware"
	"cresset/internal/tenants"
)

func TestEnvironmentOfReports(t *testing.T) {
	t.Setenv(hardware.Variable, "t4:2")
	t.Setenv(tenants.Variable, "off")
	e := environmentOf(diagnosis{Driver: "libcuda.so.1", Compiler: "libnvidia-ptxjitcompiler.so.1"})
	e.versions, e.System, e.Host = versions{Version: "1.2.3", Go: "go1.26", Platform: "linux/amd64", CPU: "avx2", Driver: e.Driver}, "Debian 12", "Xeon"
	want := "cresset  1.2.3 (built without its commit), go1.26\nsystem   linux/amd64, Debian 12\ncpu      Xeon, avx2\ndriver   libcuda.so.1\n" +
		"compiler libnvidia-ptxjitcompiler.so.1\nnvml     driver 550.127.05, 2 GPUs\n"
	if got := e.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if e := environmentOf(diagnosis{CompilerProblem: "it is missing"}); e.Compiler != "it is missing" {
		t.Errorf("of a compiler that is missing the report says %q", e.Compiler)
	}
}

func TestSystemName(t *testing.T) {
	root := fstest.MapFS{"etc/os-release": {Data: []byte("ID=debian\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n")}}
	if got := systemName(root); got != "Debian GNU/Linux 12 (bookworm)" {
		t.Errorf("got %q", got)
	}
	if got := systemName(fstest.MapFS{}); got != "" {
		t.Errorf("of a system without a name got %q", got)
	}
}

func TestVerdictOfSelfTest(t *testing.T) {
	r := selfTestReport{Seconds: 150, JIT: &jitRow{Loading: 31.5}, NotReached: []string{"40 checks of layers", "the time of mm/4096"}}
	want := "cuda:0 passed what was reached in 150 s, of which the driver's compiler took 31.5s\nnot reached within 2m0s: 40 checks of layers, the time of mm/4096"
	if got := r.verdict(device.CUDA(0)); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
