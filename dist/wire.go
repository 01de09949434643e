package dist

import (
	"bufio"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"cresset/dtype"
)

// A frame is what two processes of one machine tell each other, and after it so many bytes of elements. A rank asks rank 0's process for an operation, or tells that it
// leaves; the answer has the same number.
type frame struct {
	ID       int
	Part     int // the group: 0 for all ranks, or the number of the frame that has made it
	Kind     kind
	Op       ReduceOp
	Peer     int
	Tag      int
	Site     string
	DType    dtype.DType
	In, Out  int // elements; none where there is no tensor
	Bytes    int // that follow
	Color    int // of what divides, with Key; in the answer the rank and the size in the part
	Key      int
	Missing  []int
	Why      string // the error of an answer, or why a rank leaves
	Gone     int    // 1 more than the rank of a RankError
	Mismatch *MismatchError
}

// What a frame asks for beside operations.
const (
	leaves  kind = "leave"
	divides kind = "divide"  // to be in a part of the ranks, which have all come to a split
	missing kind = "missing" // which ranks have not come to the operation of the same number
)

const none = -1 // for frame.In and Out

// setErr notes an error for the other process.
func (f *frame) setErr(err error) {
	if err == nil {
		return
	}
	f.Why = err.Error()
	if gone := (*RankError)(nil); errors.As(err, &gone) {
		f.Gone, f.Why = gone.Rank+1, gone.Err.Error()
	}
	errors.As(err, &f.Mismatch)
}

// err returns the error that the other process has noted.
func (f *frame) err() error {
	switch {
	case f.Mismatch != nil:
		return f.Mismatch
	case f.Gone > 0:
		return &RankError{f.Gone - 1, errors.New(f.Why)}
	case f.Why != "":
		return errors.New(f.Why)
	}
	return nil
}

// A line is the connection of two processes.
type line struct {
	conn net.Conn
	peer int           // the process at its other end, 0 where that is unknown
	in   *bufio.Reader // which gob reads no further than a frame
	read *gob.Decoder

	mu    sync.Mutex // held while a frame is written
	out   *bufio.Writer
	write *gob.Encoder
}

func newLine(conn net.Conn) *line {
	l := &line{conn: conn, peer: peerOf(conn), in: bufio.NewReader(conn), out: bufio.NewWriter(conn)}
	l.read, l.write = gob.NewDecoder(l.in), gob.NewEncoder(l.out)
	return l
}

// send writes a frame and the bytes that belong to it.
func (l *line) send(f frame, payload []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	f.Bytes = len(payload)
	err := l.write.Encode(f)
	if err == nil {
		_, err = l.out.Write(payload)
	}
	if err == nil {
		err = l.out.Flush()
	}
	return err
}

// lost waits for the end of the process at the other end, whose files the system closes before: who has started the processes hears of it first then, and of those that miss it later. It
// does not wait for long, as for a process that goes on without its line.
func (l *line) lost() {
	for begun := time.Now(); l.peer != 0 && !ended(l.peer) && time.Since(begun) < time.Second; {
		time.Sleep(time.Millisecond)
	}
}

// next reads a frame, whose bytes are still to be read.
func (l *line) next() (f frame, err error) {
	err = l.read.Decode(&f)
	return f, err
}

// fill reads the bytes of a frame, which has to have as many as there is room.
func (l *line) fill(f frame, to []byte) error {
	if f.Bytes != len(to) {
		return fmt.Errorf("%s: %d bytes came, %d were expected", f.Kind, f.Bytes, len(to))
	}
	_, err := io.ReadFull(l.in, to)
	return err
}
