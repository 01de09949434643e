package dist_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"cresset/dist"
	"cresset/internal/hardware"
	"cresset/internal/mpi/mpitest"
	"cresset/internal/race"
	"cresset/internal/tenants"
)

var ctx = context.Background()

// suite is what every engine has to do, from the view of one rank.
var suite = map[string]func(g *dist.Group) error{
	"reductions": reductions, "shapes": shapes, "moves": moves, "messages": messages, "bytes": exchangeBytes, "split": split, "gpu": onGPU, "leaves": leaves, "mistakes": mistakes,
	"neighbours": neighbours, "overlaps": overlaps, "nans": nans, "sent": sent,
}

// TestMain gives each rank two simulated GPUs, unless CRESSET_SIM says what there is.
func TestMain(m *testing.M) {
	for name, value := range map[string]string{hardware.Variable: "2", tenants.Variable: "off"} {
		if _, set := os.LookupEnv(name); !set {
			os.Setenv(name, value)
		}
	}
	os.Exit(mpitest.Main(m, os.Stderr, map[string]func() error{
		"suite": inJob(closing), "mismatch": inJob(mismatch, dist.Debug(true)), "split or barrier": inJob(splitOrBarrier, dist.Debug(true)), "debug": inJob(debugged, dist.Debug(true)), "late": inJob(late), "fails": inJob(fails), "gone": inJob(gone), "missed": inJob(missed),
		"late in debug": inJob(lateInDebug, dist.Debug(true)), "slow": inJob(slow), "hosts": inJob(hosts), "speed": inJob(speed), "cut": inJob(cut),
		"processes": inJob(whole), "dies": inJob(dies), "hangs": inJob(hangs), "brief": inJob(whole, dist.Timeout(time.Second/2)), "allocations": inJob(allocations),
		"aware": aware, "unlike": unlike, "alone in init": aloneInInit, "one debugs": oneDebugs, "twice": inJob(twice), "join": inJob(func(*dist.Group) error { return nil }),
	}))
}

// spoken is a variable that makes a rank one of another version, whose protocol it names.
const spoken = "CRESSET_DIST_TEST_PROTOCOL"

// inJob runs a part between Init and Close.
func inJob(part func(g *dist.Group) error, opts ...dist.Option) func() error {
	return inJobBy(map[bool]string{true: "local", false: "mpi"}[os.Getenv("TORCHELASTIC_RUN_ID") != ""], part, opts...)
}

// inJobBy is inJob where the engine is another.
func inJobBy(engine string, part func(g *dist.Group) error, opts ...dist.Option) func() error {
	return func() error {
		if version, err := strconv.Atoi(os.Getenv(spoken)); err == nil {
			dist.SpeakProtocol(version)
		}
		g, err := dist.Init(ctx, opts...)
		if err != nil {
			return err
		}
		if g.Engine() != engine {
			return fmt.Errorf("the engine is %s", g.Engine())
		}
		if err := part(g); err != nil {
			return err
		}
		return g.Close(ctx)
	}
}

// whole runs the suite in an order that all ranks have in common.
func whole(g *dist.Group) error {
	for _, name := range slices.Sorted(maps.Keys(suite)) {
		if name == "neighbours" && os.Getenv(manyHosts) != "" {
			continue
		}
		if err := suite[name](g); err != nil {
			return fmt.Errorf("%s, %v: %w", name, g, err)
		}
	}
	return nil
}

// closing runs the suite and closes.
func closing(g *dist.Group) error { return errors.Join(whole(g), closes(g)) }

// debugged runs what Debug has a part in, and at last what it is for.
func debugged(g *dist.Group) error {
	for _, part := range []func(g *dist.Group) error{moves, messages, exchangeBytes, split, mismatch} {
		if err := part(g); err != nil {
			return err
		}
	}
	return nil
}

func TestLocal(t *testing.T) {
	for name, part := range suite {
		t.Run(name, func(t *testing.T) {
			for _, n := range []int{1, 2, 3} {
				if err := dist.Spawn(n, part); err != nil {
					t.Errorf("%d ranks: %v", n, err)
				}
			}
		})
	}
}

// TestMPI runs all that engines have in common with one rank and with three; two are those of TestLocal, and of nn/ddp under MPI.
func TestMPI(t *testing.T) {
	mpitest.Each(t, func(t *testing.T, l mpitest.Launcher) {
		for _, c := range []struct {
			part string
			n    int
		}{{"suite", 1}, {"suite", 3}, {"debug", 3}} {
			if race.Enabled && c.n < 3 {
				continue // what ranks do is the same
			}
			if r := l.Run(t, c.n, c.part); r.Code != 0 {
				t.Errorf("%s, %d ranks: exit %d\n%s\n%s", c.part, c.n, r.Code, r.Stdout, r.Stderr)
			}
		}
	})
}

var errOwn = errors.New("its own fault")
