package checkpoint

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"cresset/tensor"
)

// Write writes tensors to a file of the format that its extension names: .safetensors, .pt, .pth, .bin, .npy or .npz. They come in
// the order of their names. Tensors that share memory share it in PyTorch's formats, and are written each for itself in others.
func Write(path string, tensors map[string]*tensor.Tensor, opts ...WriteOption) error {
	list := make([]named, 0, len(tensors))
	for _, name := range slices.Sorted(maps.Keys(tensors)) {
		list = append(list, named{name, tensors[name]})
	}
	return write(path, list, collect(opts))
}

// named is a tensor and its name.
type named struct {
	name   string
	tensor *tensor.Tensor
}

// write writes tensors in the order given.
func write(path string, list []named, o options) error {
	c, err := hold(path, list)
	if err != nil {
		return err
	}
	return c.write(path, o)
}

// writers write contents in each format.
var writers = map[Format]func(w io.Writer, path string, c *contents, o options) error{
	Safetensors:   writeSafetensors,
	PyTorch:       writeTorch,
	PyTorchLegacy: writeTorchLegacy,
	NPY:           writeNPY,
	NPZ:           writeNPZ,
}

// write writes a file, or a set of them.
func (c *contents) write(path string, o options) error {
	format := o.format
	if format == "" {
		format = formatOf(path)
	}
	writer := writers[format]
	switch {
	case format == "":
		return fmt.Errorf("write %s: the name ends in none of .safetensors, .pt, .pth, .bin, .npy and .npz", path)
	case writer == nil:
		return fmt.Errorf("write %s: there is no format %q", path, format)
	case o.compressed && format != NPZ:
		return fmt.Errorf("write %s: only NPZ files are compressed", path)
	}
	c, err := c.changed(path, o)
	if err == nil && o.progress != nil {
		c.watch(o.progress)
	}
	switch {
	case err != nil:
		return err
	case o.shard < 0:
		return fmt.Errorf("write %s: a shard of %d bytes", path, o.shard)
	case o.shard == 0 || c.size() <= o.shard:
		return replace(o.disk, path, func(w io.Writer) error { return writer(w, path, c, o) })
	case format != Safetensors:
		return fmt.Errorf("write %s: only safetensors files come in shards", path)
	default:
		return c.writeShards(path, o)
	}
}

// hold returns contents whose storages are those of tensors.
func hold(path string, list []named) (*contents, error) {
	c := &contents{}
	stores := map[any]int{}
	for _, item := range list {
		if item.tensor == nil {
			return nil, fmt.Errorf("write %s: %w", path, mistake("save", "the tensor %q is nil", item.name))
		}
		x := item.tensor.Detach()
		key := tensors.StorageOf(x)
		at, ok := stores[key]
		if !ok {
			at = len(c.stores)
			stores[key] = at
			all := tensors.EntireStorage(x)
			c.stores = append(c.stores, store{bytes: int64(all.NumEl() * all.DType().Size()), at: &memory{all}})
		}
		c.entries = append(c.entries, Entry{Name: item.name, DType: x.DType().Name(), Type: x.DType(), Shape: x.Shape(), Stride: x.Stride(),
			Storage: at, Offset: x.StorageOffset(), Bytes: int64(x.NumEl() * x.DType().Size())})
	}
	return c, nil
}

// memory reads the bytes of a tensor of one axis, little-endian.
type memory struct{ tensor *tensor.Tensor }

func (m *memory) ReadAt(p []byte, offset int64) (n int, err error) {
	err = m.look(offset, int64(len(p)), func(bytes []byte) error {
		n = copy(p, bytes)
		return nil
	})
	return n, err
}

// look passes n bytes to see, which may not keep them; those of a tensor on the CPU are its own.
func (m *memory) look(offset, n int64, see func(bytes []byte) error) error {
	return try(func() error {
		size := int64(m.tensor.DType().Size())
		first, last := offset/size, (offset+n+size-1)/size
		part := m.tensor.Narrow(0, int(first), int(last-first)).CPU()
		return tensors.ReadMemory(part, func(bytes []byte) error { return see(bytes[offset-first*size:][:n]) })
	})
}

// write writes n bytes from where they are, and tells of each part.
func (m *memory) write(w io.Writer, offset, n int64, tell func(bytes int) error) error {
	for end := offset + n; offset < end; {
		part := min(end-offset, stagingBytes)
		err := m.look(offset, part, func(bytes []byte) error {
			_, err := w.Write(bytes)
			return err
		})
		if err == nil {
			err = tell(int(part))
		}
		if err != nil {
			return err
		}
		offset += part
	}
	return nil
}
