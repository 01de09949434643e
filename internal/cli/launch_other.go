//go:build !linux

package cli

import (
	"os"
	"os/exec"
)

// Elsewhere a rank is ended by force alone, and its exit code tells of signals.
var terminate = os.Kill

func apart(*exec.Cmd) {}

// tell sends a signal to a rank; an interrupt of the terminal has reached it already.
func tell(p *os.Process, sig os.Signal) {
	if sig == os.Kill {
		_ = p.Kill() // it may have ended
	}
}

func numberOf(os.Signal) int { return 0 }

func signalOf(*os.ProcessState) int { return 0 }
