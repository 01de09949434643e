package nccl

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"cresset/internal/dl"
)

// load opens the stub library, which fails in one of its ways.
func load(t *testing.T, fail int) (*API, error) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("the stub library is built for Linux only")
	}
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("gcc, which compiles the stub library, is not here")
	}
	path := filepath.Join(t.TempDir(), "libnccl.so.2")
	if out, err := exec.Command(gcc, "-shared", "-fPIC", "-w", "-o", path, fmt.Sprintf("-DFAIL=%d", fail), "testdata/stub.c").CombinedOutput(); err != nil {
		t.Fatalf("gcc: %v\n%s", err, out)
	}
	return LoadFrom("/nowhere/libnccl.so.2", path)
}

var errLate = errors.New("late")

// patient ends a wait after so many looks.
func patient(looks int) Patience {
	return func() error {
		if looks--; looks < 0 {
			return errLate
		}
		return nil
	}
}

// join returns a communicator of one rank of the stub library.
func join(t *testing.T, fail int) (*Comm, error) {
	t.Helper()
	api, err := load(t, fail)
	if err != nil {
		t.Fatal(err)
	}
	id, err := api.NewID()
	if err != nil {
		t.Fatal(err)
	}
	return api.Join(id, 0, 1, patient(10))
}

// TestCalls checks that arguments arrive, the 128 bytes of an id by value among them.
func TestCalls(t *testing.T) {
	c, err := join(t, 0)
	if err != nil {
		t.Fatal(err)
	}
	if v := c.api.Version.String(); v != "2.23.4" {
		t.Errorf("version %s", v)
	}
	from, to, stream := dl.NewMemory(16), dl.NewMemory(16), dl.NewMemory(4)
	copy(from.Bytes, "sixteen bytes...")
	s := Issue{Comm: c, Stream: stream.Address(0), Wait: patient(10)}
	for name, call := range map[string]func() error{
		"AllReduce":     func() error { return s.AllReduce(to.Address(0), from.Address(0), 4, Float32, Min) },
		"Reduce":        func() error { return s.Reduce(to.Address(0), from.Address(0), 4, Float32, Min, 0) },
		"ReduceScatter": func() error { return s.ReduceScatter(to.Address(0), from.Address(0), 8, BFloat16, Min) },
		"Broadcast":     func() error { return s.Broadcast(to.Address(0), from.Address(0), 16, 0) },
		"AllGather":     func() error { return s.AllGather(to.Address(0), from.Address(0), 16) },
		"Exchange": func() error {
			return s.Exchange(Message{Peer: 0, At: from.Address(0), Bytes: 16}, Message{Peer: 0, At: to.Address(0), Bytes: 16, Receive: true})
		},
	} {
		clear(to.Bytes)
		clear(stream.Bytes)
		if err := call(); err != nil || !bytes.Equal(to.Bytes, from.Bytes) {
			t.Errorf("%s: %v, moved %q", name, err, to.Bytes)
		}
		want := uint32(1)
		if strings.Contains(name, "Reduce") {
			want += 100 * uint32(Min)
		}
		if got := binary.LittleEndian.Uint32(stream.Bytes); got != want {
			t.Errorf("%s: the stream has %d, want %d", name, got, want)
		}
	}
	part, err := c.Split(2, -1, patient(10))
	if err != nil || part.Size != 3 || part.Rank != 1 {
		t.Fatalf("split: %+v, %v", part, err)
	}
	for _, c := range []*Comm{part, c} {
		if err := c.Close(patient(10)); err != nil {
			t.Error(err)
		}
		if err := errors.Join(c.Close(patient(10)), c.Failed()); err != errClosed && !errors.Is(err, errClosed) {
			t.Errorf("closed: %v", err)
		}
	}
}

func TestFailures(t *testing.T) {
	if _, err := load(t, 1); err == nil || !strings.Contains(err.Error(), "is NCCL 2.17.3, and 2.18.0 or newer is needed") {
		t.Errorf("an old library: %v", err)
	}
	api, err := load(t, 2)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := api.NewID(); err == nil || err.Error() != "ncclGetUniqueId: ncclSystemError" {
		t.Errorf("no id: %v", err)
	}
	if _, err := api.Join(ID{1}, 0, 1, patient(10)); err == nil || err.Error() != "ncclCommInitRankConfig: ncclInvalidArgument" {
		t.Errorf("another id: %v", err)
	}
	if c, err := join(t, 3); err != errLate || c.Failed() != errLate {
		t.Errorf("ranks that do not come: %v", err)
	}
	c, err := join(t, 4)
	if r := Result(0); !errors.As(err, &r) || r != 6 {
		t.Errorf("another rank's failure: %v", err)
	}
	if err := (Issue{Comm: c, Wait: patient(10)}).AllGather(0, 0, 0); err == nil || !strings.HasSuffix(err.Error(), "ncclRemoteError") {
		t.Errorf("after it: %v", err)
	}
	if _, err := LoadFrom("/nowhere/libnccl.so.2"); err == nil || !strings.Contains(err.Error(), "found no NCCL:\nopen /nowhere") {
		t.Errorf("got %v", err)
	}
}

func TestAbort(t *testing.T) {
	c, err := join(t, 0)
	if err != nil {
		t.Fatal(err)
	}
	c.Abort(nil)
	c.Abort(errLate)
	if err := c.Failed(); err != ErrAborted {
		t.Errorf("got %v", err)
	}
	if err := c.Close(patient(1)); err != ErrAborted {
		t.Errorf("got %v", err)
	}
}
