package checkpoint

// Convert writes what a file of any format holds to another, a part of a tensor at a time. From one of PyTorch's formats to another
// it takes everything but attributes of tensors, to others the tensors alone, unless names change. Options are those of Open and Write.
func Convert(from, to string, opts ...ConvertOption) error {
	o := collect(opts)
	f, err := Open(from, o.limits)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.within.write(to, o)
}
