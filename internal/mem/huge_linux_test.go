package mem

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestLargeBlocksWantLargePages looks a block's middle up among the mappings of this process.
func TestLargeBlocksWantLargePages(t *testing.T) {
	text, err := os.ReadFile("/proc/self/smaps")
	if err != nil || !strings.Contains(string(text), "VmFlags:") {
		t.Skip("the system does not tell about pages")
	}
	data := newBytes(5 * hugePage)
	if text, err = os.ReadFile("/proc/self/smaps"); err != nil {
		t.Fatal(err)
	}
	if flags := flagsAt(string(text), uintptr(data)+2*hugePage); !slices.Contains(flags, "hg") {
		t.Errorf("got flags %v, want hg among them", flags)
	}
}

// flagsAt returns the flags of the mapping that an address belongs to.
func flagsAt(smaps string, address uintptr) []string {
	inside := false
	for line := range strings.Lines(smaps) {
		var first, end uintptr
		if n, _ := fmt.Sscanf(line, "%x-%x ", &first, &end); n == 2 {
			inside = first <= address && address < end
		}
		if flags, ok := strings.CutPrefix(line, "VmFlags:"); ok && inside {
			return strings.Fields(flags)
		}
	}
	return nil
}
