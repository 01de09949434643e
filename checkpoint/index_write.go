package checkpoint

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// writeShards writes a set of files of at most o.shard bytes of tensors each, but for a tensor that is larger, and their index.
// They get their names when all are written, the index last; a file of the set's own name, which readers would prefer, goes.
func (c *contents) writeShards(path string, o options) error {
	shards := c.divide(o.shard)
	stem := strings.TrimSuffix(path, filepath.Ext(path))
	index := map[string]string{}
	var drafts []*draft
	discard := func() {
		for _, d := range drafts {
			d.discard()
		}
	}
	for i, shard := range shards {
		file := fmt.Sprintf("%s-%05d-of-%05d%s", stem, i+1, len(shards), filepath.Ext(path))
		d, err := newDraft(o.disk, file, func(w io.Writer) error { return writeSafetensors(w, file, shard, o) })
		if err != nil {
			discard()
			return err
		}
		drafts = append(drafts, d)
		for _, e := range shard.entries {
			index[e.Name] = filepath.Base(file)
		}
	}
	d, err := newDraft(o.disk, path+indexSuffix, func(w io.Writer) error { return c.writeIndex(w, index) })
	if err != nil {
		discard()
		return err
	}
	if err := commit(o.disk, append(drafts, d)...); err != nil {
		return err
	}
	if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
		return err
	}
	return nil
}

// divide returns the entries in groups of at most so many bytes, in order.
func (c *contents) divide(most int64) (groups []*contents) {
	var left int64
	for _, e := range c.entries {
		if len(groups) == 0 || e.Bytes > left {
			groups, left = append(groups, &contents{metadata: c.metadata, stores: c.stores}), most
		}
		g := groups[len(groups)-1]
		g.entries = append(g.entries, e)
		left -= e.Bytes
	}
	return groups
}

// writeIndex writes the index.
func (c *contents) writeIndex(w io.Writer, files map[string]string) error {
	var index struct {
		Metadata struct {
			TotalSize int64 `json:"total_size"`
		} `json:"metadata"`
		WeightMap map[string]string `json:"weight_map"`
	}
	index.Metadata.TotalSize, index.WeightMap = c.size(), files
	text, err := json.MarshalIndent(index, "", "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, '\n'))
	return err
}

// size returns the bytes of all tensors' elements.
func (c *contents) size() (total int64) {
	for i := range c.entries {
		total += c.entries[i].Bytes
	}
	return total
}
