package resnet

import (
	"encoding/json"
	"strconv"

	"cresset/internal/hub"
)

// Config are the sizes of a model.
type Config struct {
	Kind    string                     `json:"architecture"` // Basic or Bottleneck
	Blocks  [4]int                     `json:"blocks"`       // of each of the four layers
	Widths  [4]int                     `json:"widths"`       // channels of each of the four layers, within a bottleneck
	Classes int                        `json:"num_classes" hub:"size"`
	Rest    map[string]json.RawMessage `json:"-"` // what else a config.json says; models.Save writes it again
}

// What blocks a model has: two convolutions of 3x3, or one between two of 1x1, of which the last makes four times as many channels.
const (
	Basic      = "torchvision ResNet of BasicBlock"
	Bottleneck = "torchvision ResNet of Bottleneck"
)

// Depth returns the sizes of the model with 18, 34, 50, 101 or 152 layers; for others it returns those of none, which New refuses.
func Depth(layers, classes int) Config {
	c := Config{Kind: Bottleneck, Widths: [4]int{64, 128, 256, 512}, Classes: classes}
	switch layers {
	case 18:
		c.Kind, c.Blocks = Basic, [4]int{2, 2, 2, 2}
	case 34:
		c.Kind, c.Blocks = Basic, [4]int{3, 4, 6, 3}
	case 50:
		c.Blocks = [4]int{3, 4, 6, 3}
	case 101:
		c.Blocks = [4]int{3, 4, 23, 3}
	case 152:
		c.Blocks = [4]int{3, 8, 36, 3}
	}
	return c
}

// ReadConfig returns the settings of a config.json.
func ReadConfig(text []byte) (Config, error) {
	from, err := hub.Parse(text)
	if err != nil {
		return Config{}, err
	}
	var c Config
	return c, from.Decode(&c)
}

// expansion returns how many times as many channels a block makes as its width says.
func (c Config) expansion() int {
	if c.Kind == Bottleneck {
		return 4
	}
	return 1
}

// check refuses sizes that no model has.
func (c Config) check() error {
	if c.Kind != Basic && c.Kind != Bottleneck {
		return hub.Unsupported("architecture", strconv.Quote(c.Kind), Basic, Bottleneck)
	}
	for i := range c.Blocks {
		if c.Blocks[i] < 1 || c.Blocks[i] > 1<<10 || c.Widths[i] < 1 || c.Widths[i] > 1<<16 {
			return hub.Unsupported("blocks", c.Blocks[i], "1 to 1024 blocks of 1 to 65536 channels")
		}
	}
	return hub.CheckSizes(c)
}
