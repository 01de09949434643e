package dist_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"cresset/dist"
	"cresset/internal/mpi/mpitest"
	"cresset/internal/race"
	"cresset/tensor"
)

// manyHosts is set where ranks are on several hosts.
const manyHosts = "CRESSET_TEST_HOSTS"

// hosts does on two hosts what every engine does.
func hosts(g *dist.Group) error {
	if here := g.Size() / 2; g.LocalSize() != here || g.LocalRank() != g.Rank()%here {
		return fmt.Errorf("%v is %d of %d here", g, g.LocalRank(), g.LocalSize())
	}
	return closing(g)
}

// cut breaks the network in the midst of the job; by the deadline ranks tell which others they miss.
func cut(g *dist.Group) error {
	for step := range 10 {
		if step == 5 && g.Rank() == 0 {
			command := strings.Fields(os.Getenv("CUT"))
			if out, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil {
				return fmt.Errorf("%w: %s", err, out)
			}
			dist.Limit(g, 5*time.Second)
		}
		err := g.AllReduce(tensor.Ones(1), dist.Sum).Wait(ctx)
		if late := (*dist.TimeoutError)(nil); errors.As(err, &late) && g.Rank() == 0 {
			fmt.Println(err)
			time.Sleep(time.Minute) // what a rank prints that aborts at once MPICH's mpirun may drop; the test ends the job
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// TestHosts has two ranks on each of two hosts, and cuts one from the other.
func TestHosts(t *testing.T) {
	if race.Enabled {
		t.Skip("what ranks do at once is the same on one host")
	}
	mpitest.Apart(t, func(t *testing.T, l mpitest.Launcher, h *mpitest.Hosts) {
		if r := l.Run(t, 4, "hosts", manyHosts+"=2"); r.Code != 0 {
			t.Errorf("exit %d\n%s\n%s", r.Code, r.Stdout, r.Stderr)
		}
		const want = "; rank 1 has not called it, or cannot be reached"
		exe, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		r := l.RunUntil(t, want, 2, append(h.OneCable(), mpitest.Variable+"=cut", "CUT="+strings.Join(h.Cut(), " ")), exe)
		if r.Code == 0 || !strings.Contains(r.Stdout, want) {
			t.Errorf("exit %d\n%s\n%s", r.Code, r.Stdout, r.Stderr)
		}
	})
}
