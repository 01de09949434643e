package cli

import (
	"fmt"
	"hash/crc32"
	"strings"

	"cresset/data"
)

// settings are what a training was asked for, by flag, and what its model expects. A snapshot keeps them; a training with others
// cannot go on from it. The device is not among them: a training may move.
type settings map[string]any

// settingNames are the settings in the order in which they are told.
var settingNames = []string{"model", "optimizer", "lr", "batch", "seed", "weight_decay", "schedule", "warmup", "clip", "accumulate", "amp", "layers", "heads",
	"layer_width", "dropout", "patch", "tokenizer", "vocabulary", "context", "judge_every", "samples", "height", "width", "classes", "pictures", "text"}

// settings returns what the flags of all models say; of those that change nothing unless they are given, the given ones.
func (c *trainCommand) settings(t *training) settings {
	of := settings{"model": c.Model, "optimizer": c.optimizerName(), "lr": t.optimizer.Groups()[0].InitialLR(), "batch": c.batch(), "seed": c.Seed}
	if c.Step.WeightDecay != nil {
		of["weight_decay"] = *c.Step.WeightDecay
	}
	if c.Step.Schedule != "" {
		of["schedule"] = c.Step.Schedule
	}
	if c.Step.Warmup != nil {
		of["warmup"] = *c.Step.Warmup
	}
	if c.Step.Clip != nil {
		of["clip"] = *c.Step.Clip
	}
	if c.Step.AMP != "" {
		of["amp"] = c.Step.AMP
	}
	if t.accumulate > 1 {
		of["accumulate"] = t.accumulate
	}
	return of
}

// StateDict returns the settings.
func (s settings) StateDict() map[string]any { return s }

// LoadStateDict refuses other settings. It names all that differ, but for what follows from those.
func (s settings) LoadStateDict(state map[string]any) error {
	var differ []string
	for _, name := range settingNames {
		found, want := settingText(state[name]), settingText(s[name])
		switch {
		case found == want || name == "lr" && state["optimizer"] != s["optimizer"]: // each has its usual one
		case name != "pictures" && name != "text":
			differ = append(differ, fmt.Sprintf("%s %s, not %s", strings.ReplaceAll(name, "_", " "), found, want))
		case differ != nil:
		case name == "text":
			differ = append(differ, "another text")
		default:
			differ = append(differ, "other pictures or classes of them")
		}
	}
	if differ == nil {
		return nil
	}
	return &advice{fmt.Errorf("the snapshot was trained with %s", strings.Join(differ, "; ")),
		"--resume wants the flags of the training that it goes on with"}
}

// settingText writes a setting.
func settingText(v any) string {
	if v == nil {
		return "none"
	}
	return fmt.Sprint(v)
}

// checksum tells data sets from others.
func checksum(sets ...*data.Images) int {
	sum, table := uint32(0), crc32.MakeTable(crc32.Castagnoli)
	for _, set := range sets {
		sum = crc32.Update(crc32.Update(sum, table, set.Pixels), table, set.Labels)
	}
	return int(sum)
}
