package checkpoint

import (
	"encoding/binary"
	"encoding/json"
	"io"
	"maps"
	"slices"

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
		if _, known := safetensorsTypes[name]; !known || e.Name == metadataKey {
			return nil, &DTypeError{File: path, Tensor: e.Name, DType: e.DType}
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
	return header, nil
}

func appendJSON(to []byte, v any) ([]byte, error) {
	text, err := json.Marshal(v)
	return append(to, text...), err
}
