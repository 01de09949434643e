package cuda_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"cresset/device"
	"cresset/tensor"
)

// TestOutOfMemoryTellsOfOthers has another process hold most of a GPU that both simulate.
func TestOutOfMemoryTellsOfOthers(t *testing.T) {
	const holds = "CRESSET_TEST_HOLDS"
	if os.Getenv(holds) != "" {
		x := tensor.On(device.CUDA(0)).Empty(3 << 28) // 3 GiB
		fmt.Println("holding")
		io.Copy(io.Discard, os.Stdin)
		x.Release()
		return
	}
	if os.Getenv(child) == "" {
		state := filepath.Join(t.TempDir(), "state")
		t.Setenv("CRESSET_SIM_STATE", state)
		t.Setenv("CRESSET_SIM", "gtx1050")
		pid := holder(t, holds)
		fresh(t, "CRESSET_SIM=gtx1050", "CRESSET_SIM_STATE="+state, "CRESSET_TEST_HOLDER="+strconv.Itoa(pid))
		return
	}
	err := tensor.Try(func() { tensor.On(device.CUDA(0)).Empty(1 << 28) })
	for _, want := range []string{
		"Tried to allocate 1024.00 MiB. GPU 0 has a total capacity of 3.95 GiB of which 970.00 MiB is free. ",
		" Process " + os.Getenv("CRESSET_TEST_HOLDER") + " has 3.00 GiB memory in use. ",
		" Including non-PyTorch memory, this process has 0 bytes memory in use. ",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
	x := tensor.On(device.CUDA(0)).Empty(1 << 27) // 512 MiB
	err = tensor.Try(func() { tensor.On(device.CUDA(0)).Empty(1 << 27) })
	if err == nil || !strings.Contains(err.Error(), "Including non-PyTorch memory, this process has 512.00 MiB memory in use. ") {
		t.Errorf("got %v", err)
	}
	x.Release()
}

// holder starts this test in another process, which holds memory until this one ends, and returns its number.
func holder(t *testing.T, variable string) int {
	t.Helper()
	c := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	c.Env = append(os.Environ(), variable+"=1")
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		io.Copy(io.Discard, out)
		c.Wait()
	})
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "holding\n" {
		t.Fatalf("the other process said %q, %v", line, err)
	}
	return c.Process.Pid
}
