package cli

import (
	"os"
	"os/exec"
	"syscall"
)

const terminate = syscall.SIGTERM

// apart gives a rank a process group, so that signals of the terminal reach it once, and has it end with the launcher.
func apart(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// tell sends a signal to a rank and to what it has started.
func tell(p *os.Process, sig os.Signal) {
	_ = syscall.Kill(-p.Pid, syscall.Signal(numberOf(sig))) // it may have ended
}

func numberOf(sig os.Signal) int {
	n, _ := sig.(syscall.Signal)
	return int(n)
}

// signalOf returns the signal that has ended a process, 0 where none has.
func signalOf(state *os.ProcessState) int {
	if w, ok := state.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return int(w.Signal())
	}
	return 0
}
