package cli

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"

	"cresset/checkpoint"
	"cresset/dtype"
)

type convertCommand struct {
	In         string `arg:"" name:"in" help:"A checkpoint of any format, the index of a sharded set, or the folder of one."`
	Out        string `arg:"" name:"out" help:"The file to write; its extension tells the format."`
	DType      string `name:"dtype" enum:",float64,float32,float16,bfloat16" default:"" placeholder:"TYPE" help:"Convert floating tensors: float64, float32, float16 or bfloat16."`
	Format     string `name:"format" enum:",safetensors,pytorch,pytorch-legacy,npy,npz" default:"" placeholder:"FORMAT" help:"Format in place of the extension's: safetensors, pytorch, pytorch-legacy, npy or npz."`
	ShardSize  string `name:"shard-size" placeholder:"SIZE" help:"Write several safetensors files of at most this size, such as 5GB or 512MiB, and their index."`
	Map        string `name:"map" placeholder:"FILE" help:"Change names: lines of an old and a new name; - leaves the tensor out, and a * at the end of both stands for any rest."`
	Compressed bool   `name:"compressed" help:"Deflate the arrays of an .npz file."`
}

// Help tells what the flags do not.
func (c *convertCommand) Help() string {
	return `Reads safetensors, PyTorch's .pt, .pth and .bin, .npy and .npz, and writes any of them. Between PyTorch's formats everything is
kept, but that a Parameter becomes a tensor; in others the tensors alone.

Exit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted.`
}

// Run converts.
func (c *convertCommand) Run(s *session) error {
	opts, err := c.options(s)
	if err != nil {
		return err
	}
	if c.In, err = s.wholeIn(c.In); err != nil {
		return err
	}
	bar := newFileBar(s.stderr, 0)
	defer bar.done()
	opts = append(opts, checkpoint.Progress(func(done, total int64) {
		bar.at(done, total)
	}))
	if err := checkpoint.Convert(c.In, c.Out, opts...); err != nil {
		return err
	}
	bar.done()
	return c.tellLoss(s)
}

// tellLoss says how much beside the tensors was not written.
func (c *convertCommand) tellLoss(s *session) error {
	var held [2]int
	for i, path := range []string{c.In, c.Out} {
		f, err := checkpoint.Open(path)
		if err != nil {
			continue // a set of shards has no file of its own name
		}
		values, _ := otherValues(f) // which a file with dtypes that cresset lacks does not tell
		f.Close()
		held[i] = len(values)
	}
	if lost := held[0] - held[1]; lost > 0 {
		fmt.Fprintf(s.stderr, "cresset: left out %s beside the tensors, which PyTorch's formats alone can hold\n", plural(lost, "value"))
	}
	return nil
}

// options returns the flags as options.
func (c *convertCommand) options(s *session) (opts []checkpoint.ConvertOption, err error) {
	if c.DType != "" {
		opts = append(opts, checkpoint.As(dtype.MustParse(c.DType)))
	}
	if c.Format != "" {
		opts = append(opts, checkpoint.Format(c.Format))
	}
	if c.ShardSize != "" {
		bytes, err := parseSize(c.ShardSize)
		if err != nil {
			return nil, s.misused(err.Error(), usageHint("convert"))
		}
		opts = append(opts, checkpoint.ShardSize(bytes))
	}
	if c.Compressed {
		opts = append(opts, checkpoint.Compressed(true))
	}
	if c.Map != "" {
		names, err := readNameMap(c.Map)
		if err != nil {
			return nil, err
		}
		opts = append(opts, checkpoint.Rename(names.rename))
	}
	return opts, nil
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

// nameMap says how names change.
type nameMap struct {
	exact    map[string]string
	prefixes []prefixRule // the first that fits counts
}

type prefixRule struct{ from, to string }

const leftOut = "-"

// readNameMap reads lines of an old and a new name. Empty lines and those that begin with # are left out.
func readNameMap(path string) (*nameMap, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	m := &nameMap{exact: map[string]string{}}
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		fields := strings.Fields(lines.Text())
		if len(fields) == 0 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		if len(fields) != 2 {
			return nil, fmt.Errorf("%s:%d: expected an old and a new name, but found %d words", path, n, len(fields))
		}
		from, any := strings.CutSuffix(fields[0], "*")
		to, anyTo := strings.CutSuffix(fields[1], "*")
		switch {
		case any != anyTo && fields[1] != leftOut:
			return nil, fmt.Errorf("%s:%d: expected a * at the end of both names or of none", path, n)
		case any:
			m.prefixes = append(m.prefixes, prefixRule{from, to})
		default:
			m.exact[from] = to
		}
	}
	return m, lines.Err()
}

// rename returns the new name, "" for a tensor that is left out. Names that no line is about stay.
func (m *nameMap) rename(name string) string {
	if to, ok := m.exact[name]; ok {
		return strings.TrimPrefix(to, leftOut)
	}
	for _, p := range m.prefixes {
		if rest, ok := strings.CutPrefix(name, p.from); ok {
			if p.to == leftOut {
				return ""
			}
			return p.to + rest
		}
	}
	return name
}
