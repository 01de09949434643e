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
var settingNames = []string{"model", "optimizer", "lr", "batch", "seed", "samples", "height", "width", "classes", "pictures"}

// StateDict returns the settings.
func (s settings) StateDict() map[string]any { return s }

// LoadStateDict refuses other settings. It names all that differ, but for what follows from those.
func (s settings) LoadStateDict(state map[string]any) error {
	var differ []string
	for _, name := range settingNames {
		found, want := fmt.Sprint(state[name]), fmt.Sprint(s[name])
		switch {
		case found == want || name == "lr" && state["optimizer"] != s["optimizer"]: // each has its usual one
		case name != "pictures":
			differ = append(differ, fmt.Sprintf("%s %s, not %s", name, found, want))
		case differ == nil:
			differ = append(differ, "other pictures or classes of them")
		}
	}
	if differ == nil {
		return nil
	}
	return &advice{fmt.Errorf("the snapshot was trained with %s", strings.Join(differ, "; ")),
		"--resume wants the flags of the training that it goes on with"}
}

// checksum tells data sets from others.
func checksum(sets ...*data.Images) int {
	sum, table := uint32(0), crc32.MakeTable(crc32.Castagnoli)
	for _, set := range sets {
		sum = crc32.Update(crc32.Update(sum, table, set.Pixels), table, set.Labels)
	}
	return int(sum)
}
