package checkpoint

import (
	"errors"
	"fmt"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/friend"
	"cresset/tensor"
)

var tensors = friend.Of[*tensor.Tensor]()

// reading makes tensors of entries; those that share memory in the file share it, if one reading makes them.
type reading struct {
	file   *File
	device device.Device
	dtype  dtype.DType // of floating tensors; Undefined for their own
	users  []int       // of each storage: how many entries lie in it; nil where one entry is read
	whole  map[storage]*tensor.Tensor
	tell   func(bytes int) error // of what is read; nil where nobody asks
}

// try runs f and returns its error, or the one that tensors panicked with: memory ran out, a device does not exist.
func try(f func() error) (err error) {
	if panicked := tensor.Try(func() { err = f() }); panicked != nil {
		return panicked
	}
	return err
}

// storage is memory that a reading keeps for the entries to come.
type storage struct {
	store int
	dtype dtype.DType // in the file
}

// newReading returns a reading of one entry, which tells of its progress up to so many bytes.
func (f *File) newReading(o options, total int64) *reading {
	r := &reading{file: f, device: o.device, dtype: o.dtype, whole: map[storage]*tensor.Tensor{}}
	if o.progress != nil {
		r.tell = (&meter{total: total, tell: o.progress}).add
	}
	return r
}

// store returns a storage that tells of what is read.
func (r *reading) store(i int) *store {
	s := r.file.within.stores[i]
	if r.tell != nil {
		s.tell = r.tell
	}
	return &s
}

// ofAll says that the entries to come may be any of the file.
func (r *reading) ofAll() *reading {
	r.users = make([]int, len(r.file.within.stores))
	for _, e := range r.file.within.entries {
		r.users[e.Storage]++
	}
	return r
}

// into reads entry i into a tensor of the same shape.
func (r *reading) into(x *tensor.Tensor, i int) error {
	e := &r.file.within.entries[i]
	s := r.store(e.Storage)
	if e.Type == dtype.Undefined || !e.contiguous() || !x.IsContiguous() {
		from, err := r.tensor(i)
		if err == nil {
			x.CopyInPlace(from)
		}
		return err
	}
	return fill(x.View(-1), s, int64(e.Offset)*int64(e.Type.Size()), e.Type)
}

// tensor reads entry i.
func (r *reading) tensor(i int) (x *tensor.Tensor, err error) {
	e := &r.file.within.entries[i]
	if e.Type == dtype.Undefined {
		return nil, &DTypeError{File: r.file.path, Tensor: e.Name, DType: e.DType}
	}
	err = try(func() error {
		flat, first, err := r.memory(e)
		if err == nil {
			x = tensors.Strided(flat, e.Shape, e.strides(), e.Offset-first)
		}
		return err
	})
	if mistaken := new(tensor.Error); errors.As(err, &mistaken) {
		err = fmt.Errorf("%s: tensor %q: %w", r.file.path, e.Name, err)
	}
	return x, err
}

// memory returns the elements that entry e lies among, as a tensor of one axis, and the index of the first in the storage.
func (r *reading) memory(e *Entry) (flat *tensor.Tensor, first int, err error) {
	key, size := storage{e.Storage, e.Type}, e.Type.Size()
	if x := r.whole[key]; x != nil {
		return x, 0, nil
	}
	s := r.store(e.Storage)
	n := e.span()
	first = e.Offset
	if r.users != nil && r.users[e.Storage] > 1 {
		first, n = 0, int(s.bytes)/size
	}
	dt := e.Type
	if r.dtype != dtype.Undefined && dt.IsFloat() {
		if dt = r.dtype; !dt.IsFloat() {
			return nil, 0, mistake("to", "floating tensors cannot become %s", dt)
		}
	}
	flat = tensor.On(r.device).As(dt).Empty(n)
	if err := fill(flat, s, int64(first)*int64(size), e.Type); err != nil {
		return nil, 0, err
	}
	if first == 0 && n == int(s.bytes)/size {
		r.whole[key] = flat
	}
	return flat, first, nil
}

// stagingBytes is how much of a file is on the way to another device or dtype at a time.
const stagingBytes = 8 << 20

// fill reads elements of the given dtype into a tensor of one axis, from a byte of a storage on. A tensor of another device or
// dtype is filled part by part.
func fill(x *tensor.Tensor, s *store, offset int64, dt dtype.DType) error {
	n, size := x.NumEl(), dt.Size()
	if n == 0 || x.Device().IsMeta() {
		return nil
	}
	in, err := s.from(offset)
	if err != nil {
		return err
	}
	defer in.Close()
	if x.Device().IsCPU() && x.DType() == dt {
		return fillMemory(x, in, s.big)
	}
	staging := tensor.Place{}.As(dt).Empty(min(n, stagingBytes/size))
	for at := 0; at < n; at += staging.NumEl() {
		part := staging.Narrow(0, 0, min(n-at, staging.NumEl()))
		if err := fillMemory(part, in, s.big); err != nil {
			return err
		}
		x.Narrow(0, at, part.NumEl()).CopyInPlace(part)
	}
	return nil
}

// fillMemory reads the elements of a tensor on the CPU.
func fillMemory(x *tensor.Tensor, in *input, big bool) error {
	return tensors.WriteMemory(x, func(memory []byte) error {
		if err := in.next(memory); err != nil {
			return err
		}
		if big {
			swapBytes(memory, x.DType().Size())
		}
		if x.DType() == dtype.Bool {
			makeBool(memory)
		}
		return nil
	})
}
