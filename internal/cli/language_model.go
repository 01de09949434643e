package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"cresset/checkpoint"
	"cresset/device"
	"cresset/dtype"
	"cresset/internal/statedict"
	"cresset/models"
	"cresset/models/bert"
	"cresset/nn"
	"cresset/nn/quant"
	"cresset/tensor"
	"cresset/text/generation"
	"cresset/text/tokenizer"
)

// languageModel is a model that writes text, with what it comes with.
type languageModel struct {
	path    string
	model   models.Decoder
	words   *tokenizer.Tokenizer
	usual   generation.Options // as its folder says
	trained bool               // by cresset train
}

// languageModel reads a folder of Hugging Face, a snapshot of cresset train --model gpt, or the best of a folder of them. A dtype of nil is the files' own.
func (s *session) languageModel(path string, dev device.Device, dt *dtype.DType, form string) (*languageModel, error) {
	_, err := os.Stat(filepath.Join(path, "config.json"))
	if err == nil {
		return hubModel(path, dev, dt, form)
	}
	file, err := s.wholeIn(path, checkpoint.KeepLowest(true))
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		return nil, &advice{fmt.Errorf("%s has neither a config.json nor snapshots", path), "folders of Hugging Face have the one, those of cresset train --save the others"}
	}
	opts := []nn.Option{nn.On(dev)}
	if dt != nil {
		opts = append(opts, nn.As(*dt))
	}
	m, words, err := readTrained(file, opts...)
	if err == nil {
		err = quantize(m, form)
	}
	if err != nil {
		return nil, err
	}
	d, writes := m.(models.Decoder)
	if !writes {
		return nil, &advice{fmt.Errorf("%s holds a model of pictures", file), "cresset predict reads it"}
	}
	return &languageModel{file, d, words, generation.Options{Sampler: generation.Sampler{Temperature: usualTemperature}}, true}, nil
}

// quantize makes linear layers of a form, of "" none.
func quantize(m models.Model, form string) error {
	config := quant.Named(form)
	if config == nil {
		return nil
	}
	return tensor.Try(func() { quant.Quantize(m, config) })
}

// hubModel reads a folder of Hugging Face whose model writes text.
func hubModel(path string, dev device.Device, dt *dtype.DType, form string) (*languageModel, error) {
	usual, err := generation.ReadOptions(path)
	if err != nil {
		return nil, err
	}
	m, words, err := readHub(path, dev, dt, form)
	if err != nil {
		return nil, err
	}
	d, writes := m.(models.Decoder)
	if !writes {
		return nil, fmt.Errorf("%s: a %T does not write text", path, m)
	}
	return &languageModel{path, d, words, usual, false}, nil
}

// readHub reads the model and the tokenizer of a folder of Hugging Face. A model of pictures has none.
func readHub(path string, dev device.Device, dt *dtype.DType, form string) (models.Model, *tokenizer.Tokenizer, error) {
	words, missing := tokenizer.Load(path)
	if missing != nil && !errors.Is(missing, fs.ErrNotExist) {
		return nil, nil, missing
	}
	opts := []models.LoadOption{models.On(dev)}
	if dt != nil {
		opts = append(opts, models.As(*dt))
	}
	if config := quant.Named(form); config != nil {
		opts = append(opts, models.Quantize(config))
	}
	m, err := models.Load(path, opts...)
	if err == nil && readsText(m) {
		err = missing
	}
	return m, words, err
}

// readsText tells whether a model takes tokens.
func readsText(m models.Model) bool {
	switch m.(type) {
	case models.Decoder, *bert.Model:
		return true
	}
	return false
}

// readTrained reads the vit or gpt of a snapshot, in evaluation mode, and the tokenizer of the latter.
func readTrained(path string, opts ...nn.Option) (models.Model, *tokenizer.Tokenizer, error) {
	state, err := readSnapshot(path)
	if err != nil {
		return nil, nil, err
	}
	f, ok := readForm(state.Dict("config"))
	if !ok {
		return nil, nil, untold(path)
	}
	m, err := f.published(nn.On(device.Meta))
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	if held, err := heldBytes(path); err != nil || int64(nn.CountParameters(m)) > held/4 { // before memory is taken
		return nil, nil, cmp.Or(err, untold(path))
	}
	if m, err = f.published(opts...); err != nil {
		return nil, nil, err
	}
	if err := checkpoint.Load(path, m, checkpoint.Prefix("model.")); err != nil {
		return nil, nil, err
	}
	nn.Eval(m)
	if f.model != "gpt" {
		return m, nil, nil
	}
	text, _ := state.Value("tokenizer").(string)
	words, err := tokenizer.Parse([]byte(text))
	return m, words, err
}

// published returns a model that transformers has a name for.
func (f form) published(opts ...nn.Option) (m models.Model, err error) {
	bad := tensor.Try(func() {
		switch f.model {
		case "gpt":
			m, err = f.gpt(opts...)
		case "vit":
			m, err = f.vit(opts...)
		default:
			err = fmt.Errorf("%s is a model that Hugging Face has no name for", f.model)
		}
	})
	return m, cmp.Or(bad, err)
}

// heldBytes returns the size of the tensors in a file.
func heldBytes(path string) (n int64, err error) {
	file, err := checkpoint.Open(path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	for _, e := range file.Entries() {
		n += e.Bytes
	}
	return n, nil
}

// readSnapshot returns what a file holds by names.
func readSnapshot(path string) (*statedict.Dict, error) {
	f, err := checkpoint.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	v, err := f.Value()
	if err != nil {
		return nil, err
	}
	state, _ := v.(map[string]any)
	return statedict.Read(state), nil
}

// publish writes the vit or gpt of a snapshot as a folder that transformers reads.
func publish(from, to, form string, opts ...nn.Option) error {
	m, words, err := readTrained(from, opts...)
	if err == nil {
		err = quantize(m, form)
	}
	if err != nil {
		return err
	}
	if info, err := os.Stat(to); err == nil && !info.IsDir() {
		return &fs.PathError{Op: "mkdir", Path: to, Err: fs.ErrExist}
	}
	if err := models.Save(to, m); err != nil || words == nil {
		return err
	}
	if err := words.Save(to); err != nil {
		return err
	}
	for name, text := range map[string]string{
		"tokenizer_config.json":  `{"tokenizer_class": "PreTrainedTokenizerFast", "clean_up_tokenization_spaces": false}`,
		"generation_config.json": fmt.Sprintf(`{"do_sample": true, "temperature": %v, "top_k": 0}`, usualTemperature),
	} {
		if err := os.WriteFile(filepath.Join(to, name), []byte(text+"\n"), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// unknown returns the characters of a text for which the model has no token, each once.
func (l *languageModel) unknown(text string) string {
	if !l.trained { // other tokenizers change what they read
		return ""
	}
	var missing strings.Builder
	for _, r := range text {
		if e, err := l.words.Encode(string(r)); err == nil && e.Len() == 0 && !strings.ContainsRune(missing.String(), r) {
			missing.WriteRune(r)
		}
	}
	return missing.String()
}
