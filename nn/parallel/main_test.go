package parallel_test

import (
	"fmt"
	"os"
	"testing"

	"cresset/internal/hardware"
	"cresset/internal/tenants"
)

// TestMain gives the tests eight simulated GPUs of their own, unless CRESSET_SIM says what there is.
func TestMain(m *testing.M) {
	for name, value := range map[string]string{hardware.Variable: "8", tenants.Variable: "off"} {
		if _, set := os.LookupEnv(name); set {
			continue
		}
		if err := os.Setenv(name, value); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}
