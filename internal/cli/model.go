package cli

import (
	"encoding/json"
	"fmt"
	"strconv"

	"cresset/data"
	"cresset/device"
	"cresset/internal/statedict"
	"cresset/models/gpt2"
	"cresset/models/vit"
	"cresset/nn"
)

// form is what a model is built from; a snapshot keeps it in its settings.
type form struct {
	model string

	height, width, classes int // of pictures
	vocabulary, context    int // of text
	layers, heads, size    int // of vit and gpt
	patch                  int
	dropout                float64

	checkpointing bool // changes no number, so that snapshots do not tell
}

// form returns that of the model that was asked for; pictures are nil for gpt, which learns the rest from its text.
func (c *trainCommand) form(pictures *data.Images) (form, error) {
	f := form{model: c.Model}
	if pictures != nil {
		f.height, f.width, f.classes = pictures.Height, pictures.Width, pictures.Classes
	}
	if c.Model == "vit" || c.Model == "gpt" {
		t := &c.Transformer
		f.layers, f.heads, f.size = or(t.Layers, c.usualLayers()), or(t.Heads, usualHeads), or(t.Width, c.usualWidth())
		f.dropout, f.checkpointing = or(t.Dropout, 0), t.GradientCheckpointing
	}
	if c.Model == "vit" {
		f.patch = or(c.Transformer.Patch, max(1, f.width/4))
		if f.height != f.width || f.patch > f.width {
			return f, &advice{fmt.Errorf("vit cuts square pictures into patches: %dx%d with --patch %d is not possible", f.height, f.width, f.patch), "--model mlp takes images of any size"}
		}
	}
	return f, nil
}

// note writes the form into the settings of a snapshot.
func (f form) note(of settings) {
	if f.model == "gpt" {
		of["vocabulary"], of["context"] = f.vocabulary, f.context
	} else {
		of["height"], of["width"], of["classes"] = f.height, f.width, f.classes
	}
	if f.layers > 0 {
		of["layers"], of["heads"], of["layer_width"], of["dropout"] = f.layers, f.heads, f.size, f.dropout
	}
	if f.patch > 0 {
		of["patch"] = f.patch
	}
}

// readForm reads what note has written. It reports whether that tells how a model is made, within what a file may ask memory for.
func readForm(of *statedict.Dict) (f form, ok bool) {
	f.model, _ = of.Value("model").(string)
	within := func(name string, most int) int {
		n := of.Int(name)
		if n < 1 || n > most {
			of.Refuse("%s %d", name, n)
		}
		return n
	}
	switch f.model {
	case "mlp", "cnn", "vit":
		f.height, f.width, f.classes = within("height", 4096), within("width", 4096), within("classes", 256)
	case "gpt":
		f.vocabulary, f.context = within("vocabulary", 1<<24), within("context", 1<<20)
	default:
		return f, false
	}
	if f.model == "vit" || f.model == "gpt" {
		f.layers, f.heads, f.size, f.dropout = within("layers", 1024), within("heads", 1024), within("layer_width", 1<<16), of.Float("dropout")
	}
	if f.model == "vit" {
		f.patch = within("patch", f.width)
	}
	return f, of.Err() == nil
}

// build returns a model with new weights.
func (f form) build(dev device.Device) (nn.Module, error) {
	h, w := f.height, f.width
	switch f.model {
	case "mlp":
		return nn.NewSequential(
			nn.NewFlatten(),
			nn.NewLinear(h*w, 128, nn.On(dev)),
			nn.NewReLU(),
			nn.NewLinear(128, f.classes, nn.On(dev)),
		), nil
	case "gpt":
		return f.gpt(nn.On(dev))
	case "vit":
		return f.vit(nn.On(dev))
	}
	if h < 4 || w < 4 {
		return nil, &advice{fmt.Errorf("the cnn needs images of at least 4x4, not %dx%d", h, w), "--model mlp takes images of any size"}
	}
	return nn.NewSequential(
		nn.NewConv2D(1, 8, 3, nn.Padding(1), nn.On(dev)),
		nn.NewReLU(),
		nn.NewMaxPool2D(2),
		nn.NewConv2D(8, 16, 3, nn.Padding(1), nn.On(dev)),
		nn.NewReLU(),
		nn.NewMaxPool2D(2),
		nn.NewFlatten(),
		nn.NewLinear(16*(h/4)*(w/4), f.classes, nn.On(dev)),
	), nil
}

func (f form) gpt(opts ...nn.Option) (*gpt2.Model, error) {
	m, err := gpt2.New(gpt2.Config{
		Vocabulary: f.vocabulary, Positions: f.context, Width: f.size, Layers: f.layers, Heads: f.heads,
		EmbedDropout: f.dropout, AttentionDropout: f.dropout, ResidualDropout: f.dropout,
		Rest: noEnd,
	}, opts...)
	if err == nil {
		m.Body.GradientCheckpointing = f.checkpointing
	}
	return m, err
}

func (f form) vit(opts ...nn.Option) (*vit.Model, error) {
	c := vit.Config{
		ImageSize: f.width, PatchSize: f.patch, Channels: 1, Width: f.size, Hidden: 4 * f.size, Layers: f.layers, Heads: f.heads,
		HiddenDropout: f.dropout, AttentionDropout: f.dropout, Labels: make(map[string]string),
	}
	for i := range f.classes {
		c.Labels[strconv.Itoa(i)] = strconv.Itoa(i)
	}
	m, err := vit.New(c, opts...)
	if err == nil {
		m.Body.GradientCheckpointing = f.checkpointing
	}
	return m, err
}

// noEnd says that no token begins or ends a text.
var noEnd = map[string]json.RawMessage{"bos_token_id": json.RawMessage("null"), "eos_token_id": json.RawMessage("null")}
