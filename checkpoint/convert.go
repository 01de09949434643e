package checkpoint

import "slices"

// Convert writes what a file of any format holds to another, a part of a tensor at a time. From one of PyTorch's formats to another
// it takes everything, to others the tensors alone, unless names change. Options are those of Open and Write.
func Convert(from, to string, opts ...ConvertOption) error {
	o := collect(opts)
	f, err := Open(from, o.limits)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.within.write(to, o)
}

// watch tells how much of the storages was read.
func (c *contents) watch(tell func(done, total int64)) {
	done, total := int64(0), c.size()
	c.stores = slices.Clone(c.stores)
	for i := range c.stores {
		c.stores[i].tell = func(bytes int) {
			done += int64(bytes)
			tell(min(done, total), total)
		}
	}
}
