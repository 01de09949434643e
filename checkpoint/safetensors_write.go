package checkpoint

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"unicode/utf8"

	"cresset/dtype"
)

// safetensorsNames are the names of the dtypes that cresset has.
var safetensorsNames = func() (names [dtype.Count]string) {
	for name, kind := range safetensorsTypes {
		if kind.dtype != dtype.Undefined {
			names[kind.dtype] = name
		}
	}
	return names
}()

// safetensorsInfo is what a header says of a tensor.
type safetensorsInfo struct {
	DType   string   `json:"dtype"`
	Shape   []int    `json:"shape"`
	Offsets [2]int64 `json:"data_offsets"`
}

// safetensorsAlignment is the multiple of bytes at which the elements begin: the header is padded with spaces.
const safetensorsAlignment = 8

// writeSafetensors writes the largest dtypes first, as Hugging Face's writer does, so that every element is aligned.
func writeSafetensors(w io.Writer, path string, c *contents, _ options) error {
	order := make([]int, len(c.entries))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return c.entries[j].elementBytes() - c.entries[i].elementBytes() })
	header, err := safetensorsText(path, c, order)
	if err != nil {
		return err
	}
	if _, err := w.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(header)))); err != nil {
		return err
	}
	if _, err := w.Write(header); err != nil {
		return err
	}
	for _, i := range order {
		if err := c.copyElements(w, i); err != nil {
			return err
		}
	}
	return nil
}

// safetensorsText returns the header of entries in the given order, padded.
func safetensorsText(path string, c *contents, order []int) ([]byte, error) {
	texts := map[string]string{"format": "pt"} // without which transformers refuses to read
	maps.Copy(texts, c.metadata)
	for key, text := range c.metadata {
		if !utf8.ValidString(key) || !utf8.ValidString(text) {
			return nil, fmt.Errorf("write %s: the metadata %.99q is not UTF-8", path, key)
		}
	}
	header := []byte(`{"` + metadataKey + `":`)
	header, err := appendJSON(header, texts)
	if err != nil {
		return nil, err
	}
	var end int64
	for _, i := range order {
		e := &c.entries[i]
		name := e.DType
		if e.Type != dtype.Undefined {
			name = safetensorsNames[e.Type]
		}
		if _, known := safetensorsTypes[name]; !known {
			return nil, &DTypeError{File: path, Tensor: e.Name, DType: e.DType}
		}
		if e.Name == metadataKey || !utf8.ValidString(e.Name) {
			return nil, fmt.Errorf("write %s: a tensor in safetensors cannot have the name %.99q", path, e.Name)
		}
		if header, err = appendJSON(append(header, ','), e.Name); err != nil {
			return nil, err
		}
		info := safetensorsInfo{name, append([]int{}, e.Shape...), [2]int64{end, end + e.Bytes}}
		if header, err = appendJSON(append(header, ':'), info); err != nil {
			return nil, err
		}
		end += e.Bytes
	}
	header = append(header, '}')
	for len(header)%safetensorsAlignment != 0 {
		header = append(header, ' ')
	}
	return header, checkHeader(path, len(header))
}

// checkHeader refuses a header that no reader takes.
func checkHeader(path string, bytes int) error {
	if most := (Limits{}).orDefault().Header; int64(bytes) > most {
		return fmt.Errorf("write %s: names and metadata take %d bytes, and a header at most %d", path, bytes, most)
	}
	return nil
}

func appendJSON(to []byte, v any) ([]byte, error) {
	text, err := json.Marshal(v)
	return append(to, text...), err
}
