// Package ranktest runs tests whose ranks are processes, which start the test binary again.
package ranktest

import (
	"context"
	"io"
	"os"
	"testing"

	"cresset/dist"
	"cresset/internal/hardware"
	"cresset/internal/mpi/mpitest"
	"cresset/internal/race"
	"cresset/internal/tenants"
)

// Main runs the tests with simulated GPUs, unless CRESSET_SIM says what there is, and returns the code to exit with. In a process that a launcher of MPI has
// started it runs, between Init and Close, the part that the test has named.
func Main(m *testing.M, errs io.Writer, gpus string, parts map[string]func(g *dist.Group) error) int {
	for name, value := range map[string]string{hardware.Variable: gpus, tenants.Variable: "off"} {
		if _, set := os.LookupEnv(name); !set {
			os.Setenv(name, value)
		}
	}
	joined := map[string]func() error{}
	for name, part := range parts {
		joined[name] = func() error {
			ctx := context.Background()
			g, err := dist.Init(ctx)
			if err != nil {
				return err
			}
			if err := part(g); err != nil {
				return err
			}
			return g.Close(ctx)
		}
	}
	return mpitest.Main(m, errs, joined)
}

// UnderMPI runs a part as three processes of every launcher of MPI that is found. The race detector leaves it out: it watches the goroutines behind it in the
// tests of dist and of nn/ddp.
func UnderMPI(t *testing.T, part string) {
	t.Helper()
	if race.Enabled {
		t.Skip("the tests of dist and of nn/ddp have the same goroutines")
	}
	mpitest.Each(t, func(t *testing.T, l mpitest.Launcher) {
		if r := l.Run(t, 3, part); r.Code != 0 {
			t.Errorf("exit %d\n%s\n%s", r.Code, r.Stdout, r.Stderr)
		}
	})
}
