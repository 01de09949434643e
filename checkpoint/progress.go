package checkpoint

import "slices"

// Progress tells how many bytes of the tensors' elements were read or written, and of how many, after each part of a few megabytes.
// An error that it returns ends the call, which returns it; of a file that was being written nothing is left.
func Progress(tell func(done, total int64) error) ProgressOption {
	return option(func(o *options) { o.progress = tell })
}

// meter counts bytes and tells of them.
type meter struct {
	done, total int64
	tell        func(done, total int64) error
}

// add counts what was read; none to ask whether to go on.
func (m *meter) add(bytes int) error {
	m.done += int64(bytes)
	return m.tell(min(m.done, m.total), m.total) // parts of a storage may be read twice
}

// watch tells how much of the storages was read.
func (c *contents) watch(tell func(done, total int64) error) {
	m := &meter{total: c.size(), tell: tell}
	c.stores = slices.Clone(c.stores)
	for i := range c.stores {
		c.stores[i].tell = m.add
	}
}
