package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"cresset/dtype"
	"cresset/models"
	"cresset/nn/quant"
)

// quantizeFolder writes the folder of a quantized model, beside what the folder has that are no weights.
func (c *convertCommand) quantizeFolder(s *session) error {
	if _, err := os.Stat(filepath.Join(c.In, "config.json")); err != nil {
		return s.misused("--quantize wants the folder of a model, which has a config.json, or --format huggingface", usageHint("convert"))
	}
	if c.ShardSize != "" || c.Map != "" || c.Compressed || c.Format != "" {
		return s.misused("--quantize of a folder leaves no choice of --format, --shard-size, --map and --compressed", usageHint("convert"))
	}
	bar := newFileBar(s.stderr, 0)
	defer bar.done()
	opts := []models.LoadOption{models.Quantize(quant.Named(c.Quantize)), models.Progress(func(done, total int64) error {
		bar.at(done, total)
		return s.stopped()
	})}
	if c.DType != "" {
		opts = append(opts, models.As(dtype.MustParse(c.DType)))
	}
	m, err := models.Load(c.In, opts...)
	if err != nil {
		return err
	}
	if err := models.Save(c.Out, m); err != nil {
		return err
	}
	return copyBeside(c.In, c.Out)
}

// copyBeside copies the texts of a model's folder that the other lacks: its tokenizer, and how it generates.
func copyBeside(from, to string) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, e := range entries {
		text := slices.Contains([]string{".json", ".txt", ".model", ".jinja"}, filepath.Ext(e.Name()))
		target := filepath.Join(to, e.Name())
		if _, err := os.Stat(target); err == nil || !text || !e.Type().IsRegular() || strings.HasSuffix(e.Name(), ".index.json") {
			continue
		}
		content, err := os.ReadFile(filepath.Join(from, e.Name()))
		if err != nil {
			return err
		}
		if err := os.WriteFile(target, content, 0o666); err != nil {
			return err
		}
	}
	return nil
}
