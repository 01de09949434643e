package cuda_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// child is set in the process that fresh starts.
const child = "CRESSET_TEST_CHILD"

// fresh runs the rest of the test in a process of its own, where no GPU was used yet, with the given environment. It returns
// false in the process that waits for it.
func fresh(t *testing.T, env ...string) bool {
	t.Helper()
	if os.Getenv(child) == t.Name() {
		return true
	}
	c := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "CUDA_") && !strings.HasPrefix(v, "CRESSET_SIM=") {
			c.Env = append(c.Env, v)
		}
	}
	c.Env = append(append(c.Env, child+"="+t.Name(), "CRESSET_SIM_STATE=off"), env...)
	out, err := c.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "PASS: "+t.Name()) {
		t.Errorf("%v\n%s", err, out)
	}
	return false
}
