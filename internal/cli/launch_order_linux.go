package cli

import (
	"os"

	"golang.org/x/sys/unix"
)

// order tells in which order ranks have ended. The kernel knows: goroutines that wait for them hear of it in another order where the cores are busy, and then a rank that only missed another
// would be taken for the one that failed.
type order struct {
	queue   int // epoll's
	watched []int
}

func newOrder() *order {
	queue, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		queue = -1 // then nothing is told
	}
	return &order{queue: queue}
}

// watch has the end of a rank's process be told. It is called before anybody waits for the process.
func (o *order) watch(p *os.Process, rank int) {
	fd, err := unix.PidfdOpen(p.Pid, 0)
	if err != nil {
		return // an old kernel
	}
	o.watched = append(o.watched, fd)
	_ = unix.EpollCtl(o.queue, unix.EPOLL_CTL_ADD, fd, &unix.EpollEvent{Events: unix.EPOLLIN | unix.EPOLLET, Fd: int32(rank)})
}

// next returns the ranks that have ended since it was asked last, the first one first.
func (o *order) next() (ranks []int) {
	events := make([]unix.EpollEvent, len(o.watched)+1)
	n, _ := unix.EpollWait(o.queue, events, 0)
	for _, e := range events[:max(n, 0)] {
		ranks = append(ranks, int(e.Fd))
	}
	return ranks
}

func (o *order) close() {
	for _, fd := range append(o.watched, o.queue) {
		_ = unix.Close(fd)
	}
}
