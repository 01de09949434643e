package checkpoint

import (
	"bytes"
	"fmt"
	"io"
	"math/big"
	"slices"

	"cresset/internal/pickle"
)

// The legacy form of PyTorch's files is five pickles, a magic number, the version of the form, the machine that wrote it, the
// values, and the list of the storages' keys, and then for each storage the number of its elements in eight bytes and the
// elements. All numbers are little-endian, whatever the machine.

var torchMagic, _ = new(big.Int).SetString("1950a86a20f9469cfc6c", 16)

const torchLegacyVersion = 1001

// startsTorchLegacy reports whether a file begins with a pickle of the magic number, of any protocol.
func startsTorchLegacy(head []byte) bool {
	const proto, frame, long1 = 0x80, 0x95, 0x8a
	if len(head) < headBytes || head[0] != proto {
		return false
	}
	rest := head[2:]
	if rest[0] == frame { // and eight bytes of its length
		rest = rest[9:]
	}
	digits := torchMagic.Bytes()
	slices.Reverse(digits)
	return rest[0] == long1 && int(rest[1]) == len(digits) && bytes.HasPrefix(digits, rest[2:min(len(rest), 2+len(digits))])
}

// startsTorchTar reports whether a file begins with a member of the form that PyTorch wrote before 0.1.10.
func startsTorchTar(head []byte) bool {
	name, _, ok := bytes.Cut(head, []byte{0})
	return ok && slices.Contains([]string{"sys_info", "pickle", "tensors", "storages"}, string(name))
}

func refuseTorchTar(s *source) (*contents, error) {
	return nil, s.fault("", "PyTorch's zip form or the legacy form", "the tar form of before PyTorch 0.1.10; PyTorch can load it and save it anew")
}

// openTorchLegacy reads the form of PyTorch's files before 1.6.
func openTorchLegacy(s *source) (*contents, error) {
	t := newTorchFile(s, PyTorchLegacy, "", io.NewSectionReader(s, 0, s.size), 0)
	var values [5]any
	for i, place := range []string{"magic number", "version", "machine", "values", "keys of storages"} {
		t.place = place
		var err error
		if values[i], err = t.decode(); err != nil {
			return nil, err
		}
	}
	magic, _ := values[0].(*big.Int)
	_, described := values[2].(*pickle.Dict)
	keys, listed := values[4].(*pickle.List)
	switch {
	case magic == nil || magic.Cmp(torchMagic) != 0:
		return nil, s.fault("magic number", torchMagic.String(), "another")
	case values[1] != int64(torchLegacyVersion):
		return nil, s.fault("version", fmt.Sprint(torchLegacyVersion), "another")
	case !described:
		return nil, s.fault("machine", "a dict", "%T", values[2])
	case !listed || len(keys.Items) != len(t.order):
		return nil, s.fault("keys of storages", fmt.Sprintf("a list of %d", len(t.order)), "another")
	}
	t.place = "values"
	if err := t.setTree(values[3]); err != nil {
		return nil, err
	}
	return t.contents, t.placeLegacy(keys.Items)
}

// placeLegacy finds the bytes of each storage, which come in the order of the keys.
func (t *torchFile) placeLegacy(keys []any) error {
	at := t.decoder.Offset()
	for _, key := range keys {
		name, _ := key.(string)
		storage := t.storages[name]
		if storage == nil || t.contents.stores[storage.number].at != nil {
			return t.fault("keys of storages", "the key of each storage once", "%q", name)
		}
		place := fmt.Sprintf("storage %q", name)
		var count [8]byte
		if err := readAt(t.source, count[:], at); err != nil {
			return err
		}
		at += int64(len(count))
		if n := little.Uint64(count[:]); n != uint64(storage.numel) {
			return t.fault(place, fmt.Sprintf("%d elements", storage.numel), "%d", n)
		}
		s := &t.contents.stores[storage.number]
		if s.bytes > t.size-at {
			return t.fault(place, fmt.Sprintf("%d bytes", s.bytes), "%d up to the end of the file", t.size-at)
		}
		s.at, s.first = t.source, at
		at += s.bytes
	}
	return nil
}
