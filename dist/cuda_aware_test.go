package dist_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"cresset/device"
	"cresset/dist"
	"cresset/dtype"
	"cresset/internal/backend/cuda"
	"cresset/internal/dl"
	"cresset/internal/driver/sim"
	"cresset/internal/hardware"
	"cresset/internal/mpi/mpitest"
	"cresset/tensor"
)

// aware exchanges tensors of simulated GPUs whose memory C can read.
func aware() error {
	m, err := hardware.Preset("t4", 3)
	if err != nil {
		return err
	}
	giveBack := cuda.UseDriver(sim.New(m, sim.Options{HostAddresses: true}).API)
	defer giveBack()
	return inJobBy("mpi+cuda", func(g *dist.Group) error {
		home = device.CUDA(g.LocalRank())
		return errors.Join(handedOver(g), reductions(g), moves(g), messages(g), mixed(g))
	}, dist.CUDAAwareMPI(true))()
}

// handedOver wants MPI to have got what a GPU has just been asked to compute, and the address where it lies, for short messages and long ones.
func handedOver(g *dist.Group) error {
	stub, err := dl.Open(os.Getenv("CRESSET_MPI"))
	if err != nil {
		return err
	}
	last, ok := stub.Symbol("last_reduced")
	if !ok {
		return fmt.Errorf("%s has no last_reduced", stub.Path)
	}
	for _, n := range []int{100, 10_000} {
		x := tensor.On(home).Full([]int{n}, float64(g.Rank()+1))
		for range 5 {
			x = x.AddScalar(1)
		}
		if err := g.AllReduce(x, dist.Sum).Wait(ctx); err != nil {
			return err
		}
		total := g.Size()*(g.Size()+1)/2 + 5*g.Size()
		if err := same("the sum", x, tensor.Full([]int{n}, float64(total))); err != nil {
			return err
		}
		if got, want := dl.Call(last), dist.AddressOnGPU(x); got != want {
			return fmt.Errorf("MPI got what lies at %#x, and the tensor lies at %#x", got, want)
		}
	}
	return nil
}

// mixed gathers what is on the CPU to a GPU.
func mixed(g *dist.Group) error {
	all, want := tensor.On(home).Empty(2*g.Size()), make([]*tensor.Tensor, g.Size())
	if err := g.AllGather(all, numbers(2, g.Rank(), dtype.Float32)).Wait(ctx); err != nil {
		return err
	}
	for rank := range want {
		want[rank] = numbers(2, rank, dtype.Float32)
	}
	return same("all", all, tensor.Cat(want, 0))
}

// unlike has the last of two ranks alone ask for CUDA-aware MPI.
func unlike() error {
	last := os.Getenv("OMPI_COMM_WORLD_RANK") == "1" || os.Getenv("PMI_RANK") == "1"
	_, err := dist.Init(ctx, dist.CUDAAwareMPI(last))
	return err
}

// CUDA-aware MPI gets the addresses of tensors on GPUs; where the library is not, as Debian's are not, or another rank does not ask for it, that is an error on all ranks.
func TestCUDAAwareMPI(t *testing.T) {
	mpitest.Each(t, func(t *testing.T, l mpitest.Launcher) {
		for _, c := range []struct{ part, env, want string }{
			{"join", "CRESSET_CUDA_AWARE_MPI=1", "is not CUDA-aware, as its MPIX_"},
			{"unlike", "", "rank 1: CUDA-aware MPI is asked for, and "},
		} {
			if r := l.Run(t, 2, c.part, c.env); r.Code == 0 || !strings.Contains(r.Stderr, "CUDA-aware MPI is asked for, and ") || !strings.Contains(r.Stderr, c.want) {
				t.Errorf("%s: exit %d\n%s\n%s", c.part, r.Code, r.Stdout, r.Stderr)
			}
		}
		stub, linked := filepath.Join(t.TempDir(), "libmpi.so"), map[string]string{"openmpi": "-l:libmpi.so.40", "mpich": "-l:libmpich.so.12"}[l.Name]
		if out, err := exec.Command("gcc", "-shared", "-fPIC", "-o", stub, filepath.Join("testdata", "aware.c"), "-Wl,--no-as-needed", linked).CombinedOutput(); err != nil {
			t.Skipf("%v: %s", err, out)
		}
		library := "CRESSET_MPI=" + stub
		if r := l.Run(t, 3, "aware", library); r.Code != 0 {
			t.Errorf("exit %d\n%s\n%s", r.Code, r.Stdout, r.Stderr)
		}
		if r := l.Run(t, 2, "unlike", library); r.Code == 0 || !strings.Contains(r.Stderr, "rank 1: was started with CUDA-aware MPI, rank 0 without it: all ranks need the same") {
			t.Errorf("unlike: exit %d\n%s\n%s", r.Code, r.Stdout, r.Stderr)
		}
	})
}

// TestCUDAAwareWord: what is neither a yes nor a no is refused by Spawn too.
func TestCUDAAwareWord(t *testing.T) {
	t.Setenv("CRESSET_CUDA_AWARE_MPI", "true")
	err := dist.Spawn(1, func(*dist.Group) error { return nil })
	if err == nil || !strings.HasPrefix(err.Error(), "CRESSET_CUDA_AWARE_MPI=true: 1 hands") {
		t.Errorf("got %v", err)
	}
}

// TestCUDAAwareWithoutMPI: ranks that meet otherwise cannot have it.
func TestCUDAAwareWithoutMPI(t *testing.T) {
	t.Setenv("RANK", "0")
	t.Setenv("WORLD_SIZE", "2")
	t.Setenv("CRESSET_CUDA_AWARE_MPI", "1")
	if _, err := dist.Init(ctx); err == nil || !strings.HasPrefix(err.Error(), "CUDA-aware MPI is asked for, and these ranks meet without MPI") {
		t.Errorf("got %v", err)
	}
}
