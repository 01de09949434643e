// Package mpi passes messages between processes by an MPI library that is opened while the program runs, without cgo: Open MPI, the
// MPICH family, or one with the standard binary interface of MPI 5. One program runs under each of them. Constants are those of the libraries' mpi.h and of
// chapter 20 of the MPI 5.0 standard.
//
// Calls are made by whichever goroutine wants something, one at a time (MPI_THREAD_SERIALIZED), since handing a call to a thread of its own takes longer than a
// short message does. Memory of messages must neither move nor be freed until their Request is done.
package mpi

import (
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"cresset/internal/dl"
)

// Status is what functions of the library return.
type Status int32

// success is MPI_SUCCESS.
const success Status = 0

// Error is a call that the library refused or could not end.
type Error struct {
	Call string
	Code Status
	Text string // the library's
}

// Error returns the call and the library's text.
func (e *Error) Error() string { return fmt.Sprintf("%s: %s", e.Call, e.Text) }

// api is the library's functions, of integers and addresses.
type api struct {
	GetLibraryVersion  func(args ...uintptr) Status `mpi:"MPI_Get_library_version"`
	AbiGetVersion      func(args ...uintptr) Status `mpi:"MPI_Abi_get_version,optional"`
	InitThread         func(args ...uintptr) Status `mpi:"MPI_Init_thread"`
	Finalize           func(args ...uintptr) Status `mpi:"MPI_Finalize"`
	Abort              func(args ...uintptr) Status `mpi:"MPI_Abort"`
	ErrorString        func(args ...uintptr) Status `mpi:"MPI_Error_string"`
	GetProcessorName   func(args ...uintptr) Status `mpi:"MPI_Get_processor_name"`
	CommRank           func(args ...uintptr) Status `mpi:"MPI_Comm_rank"`
	CommSize           func(args ...uintptr) Status `mpi:"MPI_Comm_size"`
	CommDup            func(args ...uintptr) Status `mpi:"MPI_Comm_dup"`
	CommSplit          func(args ...uintptr) Status `mpi:"MPI_Comm_split"`
	CommFree           func(args ...uintptr) Status `mpi:"MPI_Comm_free"`
	CommSetErrhandler  func(args ...uintptr) Status `mpi:"MPI_Comm_set_errhandler"`
	Test               func(args ...uintptr) Status `mpi:"MPI_Test"`
	Cancel             func(args ...uintptr) Status `mpi:"MPI_Cancel"`
	GetCount           func(args ...uintptr) Status `mpi:"MPI_Get_count"`
	Isend              func(args ...uintptr) Status `mpi:"MPI_Isend"`
	Irecv              func(args ...uintptr) Status `mpi:"MPI_Irecv"`
	Ibarrier           func(args ...uintptr) Status `mpi:"MPI_Ibarrier"`
	Iallreduce         func(args ...uintptr) Status `mpi:"MPI_Iallreduce"`
	Ireduce            func(args ...uintptr) Status `mpi:"MPI_Ireduce"`
	Ibcast             func(args ...uintptr) Status `mpi:"MPI_Ibcast"`
	Iallgather         func(args ...uintptr) Status `mpi:"MPI_Iallgather"`
	IreduceScatter     func(args ...uintptr) Status `mpi:"MPI_Ireduce_scatter_block"`
	Ialltoall          func(args ...uintptr) Status `mpi:"MPI_Ialltoall"`
	Igather            func(args ...uintptr) Status `mpi:"MPI_Igather"`
	Iscatter           func(args ...uintptr) Status `mpi:"MPI_Iscatter"`
	Allreduce          func(args ...uintptr) Status `mpi:"MPI_Allreduce"`
	Reduce             func(args ...uintptr) Status `mpi:"MPI_Reduce"`
	Bcast              func(args ...uintptr) Status `mpi:"MPI_Bcast"`
	Allgather          func(args ...uintptr) Status `mpi:"MPI_Allgather"`
	ReduceScatterBlock func(args ...uintptr) Status `mpi:"MPI_Reduce_scatter_block"`
	Alltoall           func(args ...uintptr) Status `mpi:"MPI_Alltoall"`
	Gather             func(args ...uintptr) Status `mpi:"MPI_Gather"`
	Scatter            func(args ...uintptr) Status `mpi:"MPI_Scatter"`
}

// library is an open MPI library.
type library struct {
	api
	handles
	path, version string
}

// load opens the first of the candidates that is an MPI library whose constants are known.
func load(candidates ...string) (*library, error) {
	l, err := dl.OpenGlobal(candidates...) // its plugins look for its symbols
	if err != nil {
		return nil, fmt.Errorf("found no MPI library:\n%w", err)
	}
	lib := &library{path: l.Path}
	err = dl.Table{Struct: &lib.api, Key: "mpi"}.Each(func(symbols []string, optional bool, field reflect.Value) error {
		fn, ok := l.Symbol(symbols[0])
		switch {
		case ok:
			field.Set(reflect.ValueOf(func(args ...uintptr) Status { return Status(dl.Call(fn, args...)) }))
		case !optional:
			return fmt.Errorf("%s has no %s", l.Path, symbols[0])
		}
		return nil
	})
	if err == nil {
		lib.version = lib.libraryVersion()
		lib.handles, err = lib.handlesOf(l)
	}
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return lib, nil
}

// Probe opens an MPI library and returns its path and what it says of itself.
func Probe(candidate string) (path, version string, err error) {
	keepFromSignals()
	handlers := signalActions()
	defer handlers.restore()
	lib, err := load(candidate)
	if err != nil {
		return "", "", err
	}
	return lib.path, lib.version, nil // it stays open, since libraries keep threads
}

// maxText is room for any text of a library: MPICH tells its version in up to 8,192 bytes.
const maxText = 8192

func (l *library) libraryVersion() string {
	text := newText()
	l.GetLibraryVersion(text.call()...)
	line, _, _ := strings.Cut(text.String(), "\n")
	return strings.Trim(line, " \t\x00")
}

// err returns nil for success, else an error that says which call failed.
func (l *library) err(call string, s Status) error {
	if s == success {
		return nil
	}
	text := newText()
	found := l.ErrorString(append([]uintptr{uintptr(s)}, text.call()...)...) == success
	what := text.String()
	if !found {
		what = fmt.Sprintf("error %d", s)
	}
	return &Error{call, s, what}
}

// A text is where the library writes one, and an int32 before it that tells its length.
type text struct{ *dl.Memory }

func newText() text { return text{dl.NewMemory(textStart + maxText)} }

const textStart = 16

// call returns the arguments that stand for the text.
func (t text) call() []uintptr { return []uintptr{t.Address(textStart), t.Address(0)} }

// String returns the text, whose memory it frees.
func (t text) String() string {
	defer t.Free()
	n := int(int32(binary.NativeEndian.Uint32(t.Bytes)))
	return string(t.Bytes[textStart:][:min(max(n, 0), maxText)])
}
