package cli

import (
	"fmt"
	"strconv"
	"strings"

	"cresset/checkpoint"
	"cresset/dtype"
	"cresset/nn"
)

type convertCommand struct {
	In         string `arg:"" name:"in" help:"A checkpoint of any format, the index of a sharded set, or the folder of one."`
	Out        string `arg:"" name:"out" help:"The file to write; its extension tells the format."`
	DType      string `name:"dtype" enum:",float64,float32,float16,bfloat16" default:"" placeholder:"TYPE" help:"Convert floating tensors: float64, float32, float16 or bfloat16."`
	Format     string `name:"format" enum:",safetensors,pytorch,pytorch-legacy,npy,npz,huggingface" default:"" placeholder:"FORMAT" help:"Format in place of the extension's: safetensors, pytorch, pytorch-legacy, npy, npz, or huggingface: the folder of a vit or gpt of cresset train."`
	ShardSize  string `name:"shard-size" placeholder:"SIZE" help:"Write several safetensors files of at most this size, such as 5GB or 512MiB, and their index."`
	Map        string `name:"map" placeholder:"FILE" help:"Change names: lines of an old and a new name; - leaves the tensor out, and a * at the end of both stands for any rest."`
	Quantize   string `name:"quantize" enum:",int8,int8-dynamic,int4,int4-64,int4-32" default:"" placeholder:"FORM" help:"Of a model's folder, or with --format huggingface, write a folder whose linear layers have weights of int8, int8 for inputs of int8 (int8-dynamic), or int4 in groups of 128 (int4), 64 or 32."`
	Compressed bool   `name:"compressed" help:"Deflate the arrays of an .npz file."`
}

// Help tells what the flags do not.
func (c *convertCommand) Help() string {
	return `Reads safetensors, PyTorch's .pt, .pth and .bin, .npy and .npz, and writes any of them. Between PyTorch's formats everything but
attributes of tensors is kept, in others the tensors alone. Of a folder of snapshots the newest that is whole is read.

Exit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted, 143 terminated; then the file that was there stays.`
}

// Run converts.
func (c *convertCommand) Run(s *session) error {
	opts, names, err := c.options(s)
	if err != nil {
		return err
	}
	if c.Quantize != "" && c.Format != "huggingface" {
		return c.quantizeFolder(s)
	}
	if c.In, err = s.wholeIn(c.In); err != nil {
		return err
	}
	if c.Format == "huggingface" {
		return c.publish(s)
	}
	lost, err := c.look(names)
	if err != nil {
		return err
	}
	bar := newFileBar(s.stderr, 0)
	defer bar.done()
	opts = append(opts, checkpoint.Progress(func(done, total int64) error {
		bar.at(done, total)
		return s.stopped()
	}))
	if err := checkpoint.Convert(c.In, c.Out, opts...); err != nil {
		return err
	}
	bar.done()
	c.tellLoss(s, lost)
	return nil
}

// publish writes the folder of a model.
func (c *convertCommand) publish(s *session) error {
	if c.ShardSize != "" || c.Map != "" || c.Compressed {
		return s.misused("--format huggingface leaves no choice of --shard-size, --map and --compressed", usageHint("convert"))
	}
	var opts []nn.Option
	if c.DType != "" {
		opts = append(opts, nn.As(dtype.MustParse(c.DType)))
	}
	return publish(c.In, c.Out, c.Quantize, opts...)
}

// beside is what a file holds beside tensors.
type beside struct {
	values   string // how many, in words; "" for none
	metadata int
}

// look reads what the file says before it may be written over: whether the names fit, and how much stands beside the tensors.
func (c *convertCommand) look(names *nameMap) (lost beside, err error) {
	f, err := checkpoint.Open(c.In)
	if err != nil {
		return lost, err
	}
	defer f.Close()
	if names != nil {
		if err := names.check(f, c.In); err != nil {
			return lost, err
		}
	}
	for key := range f.Metadata() {
		if key != "format" { // which every safetensors file has
			lost.metadata++
		}
	}
	w, err := otherValues(f)
	switch {
	case err != nil || w.visits > maxVisits: // elements of types that cresset lacks, or values without end
		lost.values = "the values"
	case w.found > 0:
		lost.values = plural(w.found, "value")
	}
	return lost, nil
}

// tellLoss says what beside the tensors was not written.
func (c *convertCommand) tellLoss(s *session, lost beside) {
	format := checkpoint.Safetensors // as a set of shards, which has no file of its own name
	if f, err := checkpoint.Open(c.Out); err == nil {
		format = f.Format()
		f.Close()
	}
	if lost.metadata > 0 && format != checkpoint.Safetensors {
		fmt.Fprintf(s.stderr, "cresset: left out %s of metadata, which safetensors alone can hold\n", plural(lost.metadata, "text"))
	}
	switch torch := format == checkpoint.PyTorch || format == checkpoint.PyTorchLegacy; {
	case lost.values == "" || torch && c.Map == "":
	case c.Map != "":
		fmt.Fprintf(s.stderr, "cresset: left out %s beside the tensors, whose names would no longer be true\n", lost.values)
	default:
		fmt.Fprintf(s.stderr, "cresset: left out %s beside the tensors, which PyTorch's formats alone can hold\n", lost.values)
	}
}

// options returns the flags as options.
func (c *convertCommand) options(s *session) (opts []checkpoint.ConvertOption, names *nameMap, err error) {
	if c.DType != "" {
		opts = append(opts, checkpoint.As(dtype.MustParse(c.DType)))
	}
	if c.Format != "" {
		opts = append(opts, checkpoint.Format(c.Format))
	}
	if c.ShardSize != "" {
		bytes, err := parseSize(c.ShardSize)
		if err != nil {
			return nil, nil, s.misused(err.Error(), usageHint("convert"))
		}
		opts = append(opts, checkpoint.ShardSize(bytes))
	}
	if c.Compressed {
		opts = append(opts, checkpoint.Compressed(true))
	}
	if c.Map != "" {
		if names, err = readNameMap(c.Map); err != nil {
			return nil, nil, err
		}
		opts = append(opts, checkpoint.Rename(names.rename))
	}
	return opts, names, nil
}

// units are those of sizes, the longer first.
var units = []struct {
	name  string
	bytes int64
}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"B", 1}, {"", 1}}

// parseSize reads a size such as 5GB.
func parseSize(text string) (int64, error) {
	for _, u := range units {
		number, ok := strings.CutSuffix(text, u.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(number), 10, 64)
		if err != nil || n <= 0 || n > (1<<62)/u.bytes {
			break
		}
		return n * u.bytes, nil
	}
	return 0, fmt.Errorf("--shard-size: expected a size such as 5GB or 512MiB but got %q", text)
}
