package cli

import (
	"runtime"
	"testing"
	"testing/fstest"
)

func TestReadCPU(t *testing.T) {
	const hyperthreads = `processor	: 0
model name	: Some CPU @ 2.10GHz
physical id	: 0
core id		: 0

processor	: 1
model name	: Some CPU @ 2.10GHz
physical id	: 0
core id		: 0

processor	: 2
model name	: Some CPU @ 2.10GHz
physical id	: 1
core id		: 0
`
	const arm = "processor	: 0\nCPU implementer	: 0x41\n"
	for _, c := range []struct {
		name, info string
		want       string
		cores      int
	}{
		{"hyperthreads on two sockets", hyperthreads, "Some CPU @ 2.10GHz", 2},
		{"arm64", arm, runtime.GOARCH, runtime.NumCPU()},
		{"nothing", "", runtime.GOARCH, runtime.NumCPU()},
	} {
		got, cores := readCPU(fstest.MapFS{"proc/cpuinfo": {Data: []byte(c.info)}})
		if got != c.want || cores != c.cores {
			t.Errorf("%s: got %s with %d cores, want %s with %d", c.name, got, cores, c.want, c.cores)
		}
	}
	if got, _ := readCPU(fstest.MapFS{}); got != runtime.GOARCH {
		t.Errorf("no file: got %s", got)
	}
}
