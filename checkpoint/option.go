package checkpoint

import (
	"cresset/device"
	"cresset/dtype"
	"cresset/tensor"
)

// The options of each function are values of an interface of its own; what a function does not take does not compile.
type (
	// OpenOption is an option of Open: Limits.
	OpenOption interface {
		LoadOption
		ConvertOption
		open()
	}
	// ReadOption is an option of File.Tensor, File.Tensors and File.Value: On, As, Progress.
	ReadOption interface {
		LoadOption
		read()
	}
	// LoadOption is an option of Load: On, As, Strict, Prefix, Rename, Limits, Progress, Reading.
	LoadOption interface {
		setter
		load()
	}
	// WriteOption is an option of Write, WriteValue and Save: a Format, As, Metadata, ShardSize, Compressed, Prefix, Rename,
	// Progress.
	WriteOption interface {
		ConvertOption
		write()
	}
	// ConvertOption is an option of Convert: what Open and Write take.
	ConvertOption interface {
		setter
		convert()
	}
	// NameOption is what Prefix and Rename return.
	NameOption interface {
		LoadOption
		WriteOption
	}
	// AsOption is what As returns.
	AsOption interface {
		ReadOption
		WriteOption
	}
	// ProgressOption is what Progress returns.
	ProgressOption interface {
		ReadOption
		WriteOption
	}
)

// options are the keyword arguments of all functions.
type options struct {
	limits     Limits
	device     device.Device
	targets    []tensor.Target // device and dtype, as nn.To takes them
	dtype      dtype.DType     // of floating tensors; Undefined for their own
	lax        bool            // not strict
	prefix     string
	rename     func(string) string
	format     Format
	metadata   map[string]string
	shard      int64 // the most bytes of a file; 0 for no limit
	compressed bool
	progress   func(done, total int64) error
	disk       disk
	reading    func(name string, x *tensor.Tensor, read func(to *tensor.Tensor) error) error
}

type setter interface{ set(*options) }

// option sets a keyword argument. It satisfies every interface; which functions take it, the result type of its constructor says.
type option func(*options)

func (f option) set(o *options) { f(o) }
func (option) open()            {}
func (option) read()            {}
func (option) load()            {}
func (option) write()           {}
func (option) convert()         {}

func (l Limits) set(o *options) { o.limits = l }
func (Limits) open()            {}
func (Limits) load()            {}
func (Limits) convert()         {}

func (f Format) set(o *options) { o.format = f }
func (Format) write()           {}
func (Format) convert()         {}

// collect returns the defaults, changed by the options that are given.
func collect[O setter](opts []O) options {
	o := options{disk: system{}}
	for _, opt := range opts {
		if any(opt) != nil {
			opt.set(&o)
		}
	}
	o.limits = o.limits.orDefault()
	return o
}

// On reads tensors to a device, as map_location does; the CPU unless given. Load moves the model there first.
func On(dev device.Device) ReadOption {
	return option(func(o *options) { o.device, o.targets = dev, append(o.targets, dev) })
}

// As converts floating tensors to a floating dtype on the way; the others keep theirs. Load converts the model first.
func As(dt dtype.DType) AsOption {
	return option(func(o *options) { o.dtype, o.targets = dt, append(o.targets, dt) })
}

// Strict says whether Load refuses a file that lacks tensors of the model, or has others, as it does unless told otherwise. A
// shape that differs is always an error.
func Strict(on bool) LoadOption { return option(func(o *options) { o.lax = !on }) }

// Prefix is what names in the file have before those of the model, such as "module." or "state_dict.": Load leaves out names
// without it.
func Prefix(prefix string) NameOption { return option(func(o *options) { o.prefix = prefix }) }

// Rename gives each name in the file another, which Load looks for in the model and Write writes; "" leaves the tensor out.
func Rename(name func(string) string) NameOption {
	return option(func(o *options) { o.rename = name })
}

// Reading has Load call f for each tensor of a model instead of reading it: f calls read with the tensor that the elements go to, which is x or has its shape. So what a
// program makes of a tensor can take its place before the next one is read.
func Reading(f func(name string, x *tensor.Tensor, read func(to *tensor.Tensor) error) error) LoadOption {
	return option(func(o *options) { o.reading = f })
}

// Metadata are texts that safetensors files keep beside the tensors.
func Metadata(texts map[string]string) WriteOption {
	return option(func(o *options) { o.metadata = texts })
}

// ShardSize is the most bytes of tensors in one safetensors file: where they are more, there are several, and an index.
func ShardSize(bytes int64) WriteOption { return option(func(o *options) { o.shard = bytes }) }

// Compressed makes an NPZ file smaller and slower; other formats refuse it.
func Compressed(on bool) WriteOption { return option(func(o *options) { o.compressed = on }) }
