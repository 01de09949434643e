package dist

import (
	"net"
	"syscall"
)

// peerOf returns the process at the other end of a socket, 0 where this one cannot see it.
func peerOf(conn net.Conn) (pid int) {
	socket, ok := conn.(*net.UnixConn)
	if !ok {
		return 0
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return 0
	}
	_ = raw.Control(func(fd uintptr) {
		if who, err := syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED); err == nil {
			pid = int(who.Pid)
		}
	})
	return pid
}
