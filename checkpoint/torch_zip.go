package checkpoint

import (
	"fmt"
	"hash/crc32"
	"io"
	"path"
	"strconv"
	"strings"
)

// The zip form of PyTorch's files is a folder of any name: data.pkl holds the values, data/KEY the bytes of a storage, as they are
// in memory, byteorder their order, version the version of the form.

// torchPickle is the member that holds the values.
const torchPickle = "data.pkl"

// Versions of the form that PyTorch reads.
const (
	oldestTorchVersion = 1
	newestTorchVersion = 10
)

// smallMember is how long a member of one word may be.
const smallMember = 64

// openTorch reads the zip form of PyTorch's files.
func openTorch(s *source, members []member) (*contents, error) {
	z := &torchZip{source: s, members: members}
	z.skipSums()
	if err := z.findFolder(); err != nil {
		return nil, err
	}
	if err := z.checkVersion(); err != nil {
		return nil, err
	}
	t, err := z.read()
	if err != nil {
		return nil, err
	}
	return t.contents, z.place(t)
}

// torchZip is the archive.
type torchZip struct {
	*source
	members []member
	folder  string // with the slash behind it
}

// skipSums says of a file whose CRCs are all 0 that it has none: PyTorch writes such with set_crc32_options(False), and reads them.
func (z *torchZip) skipSums() {
	for _, m := range z.members {
		if m.sum != 0 || m.method != stored {
			return
		}
	}
	for i := range z.members {
		z.members[i].noSum = true
	}
}

// findFolder finds the folder in which all is.
func (z *torchZip) findFolder() error {
	for i := range z.members {
		folder, file := path.Split(z.members[i].name)
		if file != torchPickle || strings.Count(folder, "/") != 1 {
			continue
		}
		if z.folder != "" {
			return z.fault("", "values in one folder", "two, %q and %q", z.folder, folder)
		}
		z.folder = folder
	}
	switch {
	case z.folder == "":
		return z.fault("", torchPickle+" in a folder", "none")
	case z.find("constants.pkl") != nil:
		return z.fault("", "a file of torch.save", "a program of TorchScript, which torch.jit.save wrote")
	}
	return nil
}

// find returns a member of the folder, nil where there is none.
func (z *torchZip) find(name string) *member {
	for i := range z.members {
		if in, ok := strings.CutPrefix(z.members[i].name, z.folder); ok && in == name {
			return &z.members[i]
		}
	}
	return nil
}

// word returns what a member of one word says; "" where there is no such member.
func (z *torchZip) word(name string) (string, error) {
	m := z.find(name)
	if m == nil {
		return "", nil
	}
	text, err := m.bytes(z.source, smallMember)
	return strings.TrimSuffix(string(text), "\n"), err
}

func (z *torchZip) checkVersion() error {
	text, err := z.word("version")
	if err != nil {
		return err
	}
	if v, err := strconv.Atoi(text); err != nil || v < oldestTorchVersion || v > newestTorchVersion {
		found := strconv.Quote(text)
		if z.find("version") == nil {
			found = "no such member"
		}
		return z.fault(fmt.Sprintf("member %q", z.folder+"version"), fmt.Sprintf("a version from %d to %d", oldestTorchVersion, newestTorchVersion), "%s", found)
	}
	return nil
}

// read reads the values.
func (z *torchZip) read() (*torchFile, error) {
	m := z.find(torchPickle)
	place := fmt.Sprintf("member %q", m.name)
	switch {
	case m.method != stored:
		return nil, z.deflated(m)
	case m.size > z.limits.Header:
		return nil, z.fault(place, fmt.Sprintf("at most %d bytes", z.limits.Header), "%d", m.size)
	}
	sum := crc32.NewIEEE()
	in := io.TeeReader(m.open(z.source), sum)
	t := newTorchFile(z.source, PyTorch, place, in, len(z.members))
	tree, err := t.decode()
	if err != nil {
		return nil, err
	}
	if _, err := io.Copy(io.Discard, in); err != nil {
		return nil, err
	}
	switch n := t.decoder.Offset(); {
	case n != m.size:
		return nil, z.fault(place, fmt.Sprintf("a pickle of %d bytes", m.size), "one of %d", n)
	case sum.Sum32() != m.sum && !m.noSum:
		return nil, z.fault(place, fmt.Sprintf("bytes with the CRC-32 %08x", m.sum), "%08x", sum.Sum32())
	}
	return t, t.setTree(tree)
}

// deflated is the error of a file that was compressed behind PyTorch's back.
func (z *torchZip) deflated(m *member) error {
	return z.fault(fmt.Sprintf("member %q", m.name), "bytes without compression, as torch.save writes them", "deflated ones")
}

// place finds the bytes of each storage.
func (z *torchZip) place(t *torchFile) error {
	order, err := z.word("byteorder")
	if err != nil {
		return err
	}
	if order != "" && order != "little" && order != "big" {
		return z.fault(fmt.Sprintf("member %q", z.folder+"byteorder"), "little or big", "%q", order)
	}
	placed := 0
	for i := range z.members {
		m := &z.members[i]
		key, ok := strings.CutPrefix(m.name, z.folder+"data/")
		storage := t.storages[key]
		if !ok || storage == nil {
			continue
		}
		at := &t.contents.stores[storage.number]
		switch {
		case m.method != stored:
			return z.deflated(m)
		case m.size != at.bytes:
			return z.fault(fmt.Sprintf("member %q", m.name), fmt.Sprintf("%d elements of %s, %d bytes", storage.numel, storage.kind.name, at.bytes), "%d bytes", m.size)
		}
		*at = m.store(z.source, nil)
		at.big = order == "big"
		placed++
	}
	if placed == len(t.order) {
		return nil
	}
	for _, storage := range t.order {
		if t.contents.stores[storage.number].at == nil {
			return z.fault("", fmt.Sprintf("the bytes of storage %q", storage.key), "no such member")
		}
	}
	return nil
}
