package checkpoint

// Limits bound what a file may make a reader do before it is refused; a field that is not positive is the default. It is an option of Open and Load.
type Limits struct {
	Header  int64 // bytes of a header, a pickle or a directory: 100,000,000, which safetensors itself has
	Tensors int   // of one file: 65,536; an index may name four times as many
	Bytes   int64 // of all tensors together, decompressed: no limit, as nothing is decompressed before it is asked for
	Ratio   int64 // of decompressed to compressed bytes, and of elements beyond 16 MiB to those stored: 1,100, what deflate can reach
	Values  int64 // bytes of memory for what a pickle holds besides elements: 15 MiB, the file's size, and 2 KiB for each storage in it
	Depth   int   // of values in one another: 1,000
	Ops     int64 // operations of a pickle: 100,000,000
}

// orDefault returns the limits with the default in place of each zero.
func (l Limits) orDefault() Limits {
	set(&l.Header, 100_000_000)
	set(&l.Tensors, 65_536)
	set(&l.Bytes, 1<<62)
	set(&l.Ratio, 1_100)
	set(&l.Depth, 1_000)
	set(&l.Ops, 100_000_000)
	return l
}

// freeBytes is how much tensors may have whose elements stand for one another, as those of an expanded one do, however few are stored.
const freeBytes = 16 << 20

// excess reports whether tensors of so many bytes are too large for what is stored of them.
func (l Limits) excess(bytes, stored int64) bool { return bytes > freeBytes && bytes/l.Ratio > stored }

// set gives a field without a bound its default.
func set[T int | int64](field *T, value T) {
	if *field <= 0 {
		*field = value
	}
}
