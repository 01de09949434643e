package checkpoint

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"
)

// A sharded set is several files of tensors and an index that says which tensor is in which, in JSON:
// {"metadata": {"total_size": 48}, "weight_map": {"name": "model-00001-of-00002.safetensors", ...}}.

const indexSuffix = ".index.json"

// The most names and files of an index.
const (
	namesPerTensors = 4 // times Limits.Tensors, which is of one file
	maxShards       = 4096
)

// indexed says in which file a tensor is.
type indexed struct {
	name string
	file int32
}

// openIndex opens the files that an index names.
func openIndex(s *source) (*contents, error) {
	index := &index{source: s, numbers: map[string]int32{}}
	if err := index.read(); err != nil {
		return nil, err
	}
	c := &contents{metadata: map[string]string{}}
	for _, file := range slices.Sorted(maps.Keys(index.numbers)) {
		if err := c.add(s, file, index.in(file)); err != nil {
			c.close()
			return nil, err
		}
	}
	return c, nil
}

// index is an index as it is read.
type index struct {
	source  *source
	numbers map[string]int32 // of files
	tensors []indexed        // by file, then by name
}

func (x *index) read() error {
	s := x.source
	if s.size > s.limits.Header {
		return s.fault("", fmt.Sprintf("an index of at most %d bytes", s.limits.Header), "%d", s.size)
	}
	text := make([]byte, s.size)
	if _, err := s.ReadAt(text, 0); err != nil {
		return err
	}
	t, err := newText(s, "index", text)
	if err != nil {
		return err
	}
	x.tensors = make([]indexed, 0, min(bytes.Count(text, []byte{':'}), namesPerTensors*s.limits.Tensors))
	maps := 0
	err = t.object(func(key string) error {
		if key != "weight_map" {
			return t.skip()
		}
		maps++
		return t.object(func(name string) error { return x.tensor(t, name) })
	})
	if err == nil {
		err = t.end()
	}
	if err == nil && maps != 1 {
		err = s.fault("index", "one weight_map", "%d", maps)
	}
	if err != nil {
		return err
	}
	slices.SortFunc(x.tensors, func(a, b indexed) int { return cmp.Compare(a.name, b.name) })
	for i := 1; i < len(x.tensors); i++ {
		if name := x.tensors[i].name; name == x.tensors[i-1].name {
			return s.fault("weight_map", "each name once", "%q twice", name)
		}
	}
	slices.SortStableFunc(x.tensors, func(a, b indexed) int { return cmp.Compare(a.file, b.file) })
	return nil
}

// tensor passes the file of a tensor.
func (x *index) tensor(t *text, name string) error {
	file, err := t.str()
	if err != nil {
		return err
	}
	number, known := x.numbers[file]
	switch most := namesPerTensors * x.source.limits.Tensors; {
	case len(x.tensors) == most:
		return x.source.fault("weight_map", fmt.Sprintf("at most %d tensors", most), "more")
	case file == "" || strings.ContainsAny(file, "/\\:\x00") || strings.HasPrefix(file, "."):
		return x.source.fault("weight_map", "the name of a file in the same folder", "%q", file)
	case !known && len(x.numbers) == maxShards:
		return x.source.fault("weight_map", fmt.Sprintf("at most %d files", maxShards), "more")
	case !known:
		number = int32(len(x.numbers))
		x.numbers[file] = number
	}
	x.tensors = append(x.tensors, indexed{name, number})
	return nil
}

// in returns the tensors in a file, by name.
func (x *index) in(file string) []indexed {
	number := x.numbers[file]
	first := sort.Search(len(x.tensors), func(i int) bool { return x.tensors[i].file >= number })
	end := sort.Search(len(x.tensors), func(i int) bool { return x.tensors[i].file > number })
	return x.tensors[first:end]
}

// add opens a shard and takes the tensors that the index names there.
func (c *contents) add(s *source, file string, wanted []indexed) error {
	shard, err := openFile(filepath.Join(filepath.Dir(s.path), file), s.limits, shardReaders)
	if errors.Is(err, fs.ErrNotExist) {
		return &FormatError{File: s.path, Place: file, Expected: "the file that the index names", Err: fs.ErrNotExist}
	}
	if err != nil {
		return err
	}
	in := shard.within
	c.closers = append(c.closers, in.closers...)
	if c.format != "" && c.format != in.format {
		return s.fault(file, "a file of the format "+string(c.format), "%s", in.format)
	}
	for _, w := range wanted {
		if _, there := shard.names.find(in.entries, w.name); !there {
			return s.fault(file, fmt.Sprintf("the tensor %q", w.name), "none")
		}
	}
	c.format = in.format
	maps.Copy(c.metadata, in.metadata)
	first := len(c.stores)
	c.stores = append(c.stores, in.stores...)
	for _, e := range in.entries {
		_, isWanted := slices.BinarySearchFunc(wanted, e.Name, func(w indexed, name string) int { return cmp.Compare(w.name, name) })
		if isWanted {
			e.Storage += first
			c.entries = append(c.entries, e)
		}
	}
	return nil
}

// inFolder returns the file to open for a folder: as Hugging Face's programs look for it, safetensors before PyTorch's files, and
// a file before an index. Shards without an index are of a set that is half written, and nothing else is read in its place.
func inFolder(dir string) (string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	for _, suffix := range []string{".safetensors", ".bin", ".pt", ".pth"} {
		models, indexes, shards := modelsIn(entries, suffix)
		for _, found := range [][]string{models, indexes} {
			switch len(found) {
			case 0:
			case 1:
				return filepath.Join(dir, found[0]), nil
			default:
				return "", &FormatError{File: dir, Expected: "a folder with one model", Found: found[0] + " and " + found[1]}
			}
		}
		if len(shards) > 0 {
			return "", &FormatError{File: dir, Expected: "the index of " + shards[0], Found: "none"}
		}
	}
	return "", &FormatError{File: dir, Expected: "a folder with a .safetensors, .bin, .pt or .pth file, or an index of them", Found: "none"}
}

// modelsIn returns the files of a folder that end in a suffix, the indexes of such, and the files that an index should name.
func modelsIn(entries []fs.DirEntry, suffix string) (models, indexes, shards []string) {
	for _, e := range entries {
		switch name := e.Name(); {
		case strings.HasPrefix(name, "."):
		case strings.HasSuffix(name, suffix+indexSuffix):
			indexes = append(indexes, name)
		case strings.HasSuffix(name, suffix) && shardName.MatchString(name):
			shards = append(shards, name)
		case strings.HasSuffix(name, suffix):
			models = append(models, name)
		}
	}
	return models, indexes, shards
}

// shardName is what the files of a set are named.
var shardName = regexp.MustCompile(`-\d{5}-of-\d{5}\.[a-z]+$`)
