package checkpoint

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"
)

// writeShards writes a set of files of at most o.shard bytes of tensors each, but for a tensor that is larger, and their index.
func (c *contents) writeShards(path string, o options) error {
	if _, err := modeFor(path); err != nil { // which has to go
		return err
	}
	shards := c.divide(o.shard)
	stem := strings.TrimSuffix(path, filepath.Ext(path))
	files := map[string]string{} // of the tensors
	var drafts []*draft
	defer func() {
		for _, d := range drafts {
			d.discard()
		}
	}()
	for i, shard := range shards {
		file := fmt.Sprintf("%s-%05d-of-%05d%s", stem, i+1, len(shards), filepath.Ext(path))
		d, err := newDraft(o.disk, file, func(w io.Writer) error { return writeSafetensors(w, file, shard, o) })
		if err != nil {
			return err
		}
		drafts = append(drafts, d)
		for _, e := range shard.entries {
			files[e.Name] = filepath.Base(file)
		}
	}
	index, err := newDraft(o.disk, path+indexSuffix, func(w io.Writer) error { return c.writeIndex(w, files) })
	if err != nil {
		return err
	}
	drafts = append(drafts, index)
	return commitSet(o.disk, path, drafts[:len(shards)], index)
}

// commitSet gives a set its names when all of it is written. The shards may replace those of an older set, which the old index must
// not mix: it goes first, the new index comes last, and each step outlasts a crash before the next begins. In between there is no
// set. A single file at path, which readers prefer, goes at the end.
func commitSet(on disk, path string, shards []*draft, index *draft) error {
	if err := removeSynced(on, index.real); err != nil {
		return asked(index.path, err)
	}
	if err := commit(on, shards...); err != nil {
		return err
	}
	if err := commit(on, index); err != nil {
		return err
	}
	return removeSynced(on, path)
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
