package checkpoint

import (
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"cresset/internal/pickle"
)

const (
	torchFolder    = "archive/"
	torchVersion   = "3\n"
	torchAlignment = 64     // bytes: storages begin at multiples of it, as torch.save has them
	torchPadding   = 0x4246 // the extra field that makes room
)

// writeTorch writes the zip form of PyTorch's files.
func writeTorch(w io.Writer, path string, c *contents, _ options) error {
	t := newTorchPickler(path, c, PyTorch)
	text, err := t.encode()
	if err != nil {
		return err
	}
	z := newTorchArchive(w)
	if err := errors.Join(z.text(torchPickle, string(text)), z.text("byteorder", "little")); err != nil {
		return err
	}
	for key, s := range t.order {
		m, err := z.create("data/" + strconv.Itoa(key))
		if err == nil {
			err = c.copyStorage(m, s)
		}
		if err != nil {
			return err
		}
	}
	return errors.Join(z.text("version", torchVersion), z.zip.Close())
}

// writeTorchLegacy writes the form of PyTorch's files before 1.6.
func writeTorchLegacy(w io.Writer, path string, c *contents, _ options) error {
	t := newTorchPickler(path, c, PyTorchLegacy)
	values, err := t.encode()
	if err != nil {
		return err
	}
	keys, machine := new(pickle.List), new(pickle.Dict)
	for key := range t.order {
		keys.Items = append(keys.Items, strconv.Itoa(key))
	}
	if err := errors.Join(machine.Set("protocol_version", torchLegacyVersion), machine.Set("little_endian", true)); err != nil {
		return err
	}
	var texts [][]byte
	for _, v := range []any{torchMagic, torchLegacyVersion, machine, keys} {
		text, err := pickle.Encode(v, nil)
		if err != nil {
			return err
		}
		texts = append(texts, text)
	}
	for _, text := range slices.Insert(texts, 3, values) {
		if _, err := w.Write(text); err != nil {
			return err
		}
	}
	for _, s := range t.order {
		numel := c.stores[s.store].bytes / int64(s.kind.unit())
		if _, err := w.Write(little.AppendUint64(nil, uint64(numel))); err != nil {
			return err
		}
		if err := c.copyStorage(w, s); err != nil {
			return err
		}
	}
	return nil
}

// copyStorage writes the bytes of a storage, little-endian.
func (c *contents) copyStorage(w io.Writer, s torchOutgoing) error {
	from, size := &c.stores[s.store], s.kind.bytes
	if strings.HasPrefix(s.kind.name, "complex") {
		size /= 2 // two numbers
	}
	if from.bytes == 0 {
		return nil
	}
	return from.copy(w, 0, from.bytes, size)
}
