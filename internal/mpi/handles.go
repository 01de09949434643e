package mpi

import (
	"encoding/binary"
	"fmt"
	"strings"

	"cresset/internal/dl"
)

// A Type is that of a message's elements.
type Type int

// The types that every MPI library reduces.
const (
	Uint8 Type = iota
	Int8
	Int16
	Int32
	Int64
	Float32
	Float64
	types
)

// sizes are the bytes of an element of each type.
var sizes = [types]int{1, 1, 2, 4, 8, 4, 8}

// An Op is how a reduction joins elements.
type Op int

// The operations.
const (
	Sum Op = iota
	Product
	Min
	Max
	ops
)

// handles are a library's constants: addresses of objects in Open MPI, numbers elsewhere.
type handles struct {
	family       string
	world, self  uintptr
	types        [types]uintptr
	ops          [ops]uintptr
	errorsReturn uintptr
	inPlace      uintptr
	serialized   uintptr // the level of threads
}

var mpich = handles{
	family: "MPICH", world: 0x44000000, self: 0x44000001,
	types: [types]uintptr{0x4c00013b, 0x4c000137, 0x4c000238, 0x4c000439, 0x4c00083a, 0x4c00040a, 0x4c00080b},
	ops:   [ops]uintptr{0x58000003, 0x58000004, 0x58000002, 0x58000001}, errorsReturn: 0x54000001, inPlace: ^uintptr(0), serialized: 2,
}

var standard = handles{
	family: "MPI 5", world: 0x101, self: 0x102,
	types: [types]uintptr{0x241, 0x240, 0x248, 0x250, 0x258, 0x210, 0x214},
	ops:   [ops]uintptr{0x21, 0x24, 0x23, 0x22}, errorsReturn: 0x143, inPlace: 1, serialized: 2048,
}

// openMPI returns Open MPI's handles, or false where the library is another.
func openMPI(l *dl.Library) (h handles, ok bool) {
	h = handles{family: "Open MPI", inPlace: 1, serialized: 2}
	ok = true
	symbol := func(name string) uintptr {
		at, found := l.Symbol(name)
		ok = ok && found
		return at
	}
	h.world, h.self, h.errorsReturn = symbol("ompi_mpi_comm_world"), symbol("ompi_mpi_comm_self"), symbol("ompi_mpi_errors_return")
	for i, name := range [types]string{"uint8_t", "int8_t", "int16_t", "int32_t", "int64_t", "float", "double"} {
		h.types[i] = symbol("ompi_mpi_" + name)
	}
	for i, name := range [ops]string{"sum", "prod", "min", "max"} {
		h.ops[i] = symbol("ompi_mpi_op_" + name)
	}
	return h, ok
}

// relatives are what libraries that share MPICH's binary interface call themselves.
var relatives = []string{"MPICH", "Intel(R) MPI", "MVAPICH"}

// handlesOf tells which family a library is of.
func (l *library) handlesOf(library *dl.Library) (handles, error) {
	if h, ok := openMPI(library); ok {
		return h, nil
	}
	if l.AbiGetVersion != 0 {
		version := dl.NewMemory(8) // major and minor
		defer version.Free()
		if l.AbiGetVersion.call(version.Address(0), version.Address(4)) == success && int32(binary.NativeEndian.Uint32(version.Bytes)) >= 1 {
			return standard, nil
		}
	}
	for _, name := range relatives {
		if strings.Contains(strings.ToUpper(l.version), strings.ToUpper(name)) {
			return mpich, nil
		}
	}
	return handles{}, fmt.Errorf("%s is %q: neither Open MPI nor of the MPICH family, and without MPI 5's binary interface", l.path, l.version)
}
