package checkpoint

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
)

// contents is what a file holds, in terms that all formats share: a function for each format reads it (openSafetensors, openTorch)
// and one writes it. Elements stay where they are until they are asked for.
type contents struct {
	format   Format
	metadata map[string]string
	entries  []Entry // in the file's order
	stores   []store
	tree     any     // PyTorch's formats: the nested values, with a ref in place of each tensor; nil for tensors by name alone
	moved    []int32 // the entries of the refs where entries were left out
	closers  []io.Closer
}

// ref stands for a tensor in contents.tree.
type ref int

// entryOf returns the number of a ref's entry: the ref's own, unless entries were left out.
func (c *contents) entryOf(r ref) int {
	if c.moved == nil {
		return int(r)
	}
	return int(c.moved[r])
}

// names finds entries by name: their numbers in the order of the names.
type names []int32

// find returns the number of the entry of a name.
func (n names) find(entries []Entry, name string) (int, bool) {
	at, ok := slices.BinarySearchFunc(n, name, func(i int32, name string) int { return cmp.Compare(entries[i].Name, name) })
	if !ok {
		return 0, false
	}
	return int(n[at]), true
}

// check holds what a file says to what all formats share: each name once, and every element inside its storage.
func (c *contents) check(s *source) (names, error) {
	var total int64
	for i := range c.stores {
		bytes := c.stores[i].bytes
		if bytes < 0 || bytes > s.limits.Bytes-total {
			return nil, s.fault("", fmt.Sprintf("at most %d bytes of tensors", s.limits.Bytes), "%d and more", total+max(bytes, 0))
		}
		total += bytes
	}
	var all int64 // bytes of elements
	for i := range c.entries {
		e := &c.entries[i]
		if e.Type.Size() == 0 {
			continue // nobody will read it
		}
		stored := c.stores[e.Storage].bytes
		if fault := e.fault(e.Type.Size(), stored); fault != "" {
			return nil, s.fault(fmt.Sprintf("tensor %q", e.Name), "elements inside the storage", "%s", fault)
		}
		if all += e.Bytes; s.limits.excess(e.Bytes, stored) || s.limits.excess(all, total) {
			return nil, s.fault(fmt.Sprintf("tensor %q", e.Name), fmt.Sprintf("at most %d bytes of elements for each stored one", s.limits.Ratio),
				"shape %v and strides %v in a storage of %d bytes", e.Shape, e.strides(), stored)
		}
	}
	return sortNames(s, c.entries)
}

// sortNames returns the names of entries, each of which may come once.
func sortNames(s *source, entries []Entry) (names, error) {
	byName := make(names, len(entries))
	for i := range byName {
		byName[i] = int32(i)
	}
	slices.SortFunc(byName, func(i, j int32) int { return cmp.Compare(entries[i].Name, entries[j].Name) })
	for k := 1; k < len(byName); k++ {
		if name := entries[byName[k]].Name; name == entries[byName[k-1]].Name {
			return nil, s.fault("", "each name once", "%q twice", name)
		}
	}
	return byName, nil
}

// close closes the files.
func (c *contents) close() error {
	var failed []error
	for _, f := range c.closers {
		failed = append(failed, f.Close())
	}
	return errors.Join(failed...)
}
