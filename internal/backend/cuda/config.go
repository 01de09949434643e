package cuda

import (
	"fmt"
	"math"
	"math/bits"
	"os"
	"strconv"
	"strings"
	"sync"
)

// config is what PYTORCH_CUDA_ALLOC_CONF sets.
type config struct {
	maxSplit            int64 // blocks from this size on are never split
	maxNonSplitRounding int64 // what an oversize request may waste
	gcThreshold         float64
	divisions           [16]int64 // of the powers of two from 1 MiB on: steps that requests are rounded up to
}

const (
	unlimited = math.MaxInt64
	mebibyte  = 1 << 20
)

// configVariables are where the settings come from; the first that is set counts.
var configVariables = [...]string{"PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_ALLOC_CONF"}

func defaultConfig() config {
	return config{maxSplit: unlimited, maxNonSplitRounding: largeSegment}
}

// round returns the size of the block for a request.
func (c *config) round(bytes int64) int64 {
	if bytes < minBlock {
		return minBlock
	}
	if d := c.divisionsOf(bytes); d > 1 && bytes > minBlock*d {
		return roundPower2(bytes, d)
	}
	return (bytes + minBlock - 1) / minBlock * minBlock
}

// divisionsOf returns the divisions for the power of two that bytes lies under; 0 for none.
func (c *config) divisionsOf(bytes int64) int64 {
	k := bits.Len64(uint64(bytes)) - 1 - 20
	return c.divisions[min(max(k, 0), len(c.divisions)-1)]
}

// roundPower2 rounds up to the next of d equal steps between two powers of two.
func roundPower2(bytes, d int64) int64 {
	if bytes&(bytes-1) == 0 {
		return bytes
	}
	floor := int64(1) << (bits.Len64(uint64(bytes)) - 1)
	step := floor / d
	if step == 0 {
		return floor * 2
	}
	return (bytes + step - 1) / step * step
}

// parseConfig reads settings in PyTorch's grammar: option:value,option:value.
func parseConfig(text string) (config, error) {
	c := defaultConfig()
	t := tokens(text)
	for len(t) > 0 {
		if t[0] == "," {
			t = t[1:]
			continue
		}
		if len(t) < 3 || t[1] != ":" {
			return c, pyError("Error parsing CachingAllocator settings, expected :")
		}
		rest, err := c.set(t[0], t[2:])
		if err != nil {
			return c, err
		}
		t = rest
	}
	return c, nil
}

// tokens splits the text at , : [ ] and drops blanks.
func tokens(text string) (t []string) {
	text = strings.Join(strings.Fields(text), "")
	for text != "" {
		n := strings.IndexAny(text, ",:[]")
		switch {
		case n < 0:
			n = len(text)
		case n == 0:
			n = 1
		}
		t, text = append(t, text[:n]), text[n:]
	}
	return t
}

// set gives an option its value, which begins t, and returns what follows.
func (c *config) set(option string, t []string) (rest []string, err error) {
	switch value := t[0]; option {
	case "max_split_size_mb":
		c.maxSplit, err = megabytes(option, value)
	case "max_non_split_rounding_mb":
		c.maxNonSplitRounding, err = megabytes(option, value)
	case "garbage_collection_threshold":
		c.gcThreshold, err = threshold(value)
	case "roundup_power2_divisions":
		return c.setDivisions(t)
	case "backend":
		if value != "native" {
			err = pyError("Unknown allocator backend, options are native and cudaMallocAsync; this build has native")
		}
	case "expandable_segments", "release_lock_on_cudamalloc", "pinned_use_cuda_host_register", "pinned_use_background_threads":
		if value != "True" && value != "False" {
			err = pyError("Expected a single True/False argument for " + option)
		}
	case "pinned_num_register_threads":
		_, err = strconv.Atoi(value)
	default:
		err = pyError("Unrecognized CachingAllocator option: " + option)
	}
	return t[1:], err
}

func megabytes(option, value string) (int64, error) {
	n, err := strconv.ParseInt(value, 10, 40)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", option, err)
	}
	if n <= largeSegment/mebibyte {
		return 0, pyError(fmt.Sprintf("CachingAllocator option %s too small, must be > %d", option, largeSegment/mebibyte))
	}
	return n * mebibyte, nil
}

func threshold(value string) (float64, error) {
	f, err := strconv.ParseFloat(value, 64)
	switch {
	case err != nil:
		return 0, fmt.Errorf("garbage_collection_threshold: %w", err)
	case !(f > 0):
		return 0, pyError("garbage_collect_threshold too small, set it 0.0~1.0")
	case f >= 1:
		return 0, pyError("garbage_collect_threshold too big, set it 0.0~1.0")
	}
	return f, nil
}

// setDivisions reads one number for all sizes, or a list [256:1,512:2,>:8] by size in MiB.
func (c *config) setDivisions(t []string) (rest []string, err error) {
	if t[0] != "[" {
		d, err := divisions(t[0])
		for i := range c.divisions {
			c.divisions[i] = d
		}
		return t[1:], err
	}
	from := 0
	for t = t[1:]; len(t) >= 3 && t[1] == ":"; {
		d, err := divisions(t[2])
		if err != nil {
			return nil, err
		}
		to := len(c.divisions)
		if t[0] != ">" {
			limit, err := strconv.ParseUint(t[0], 10, 40)
			if err != nil || limit == 0 || limit&(limit-1) != 0 {
				return nil, pyError("For roundups, the interval size has to be power of 2 ")
			}
			to = min(bits.Len64(limit)-1, len(c.divisions))
		}
		for ; from < to; from++ {
			c.divisions[from] = d
		}
		if t = t[3:]; len(t) > 0 && t[0] == "," {
			t = t[1:]
		}
	}
	if len(t) == 0 || t[0] != "]" {
		return nil, pyError("Error parsing CachingAllocator settings, expected ]")
	}
	return t[1:], nil
}

func divisions(value string) (int64, error) {
	d, err := strconv.ParseUint(value, 10, 32)
	if err != nil || d&(d-1) != 0 {
		return 0, pyError("For roundups, the divisions has to be power of 2 ")
	}
	return int64(d), nil
}

// readConfig reads the settings of the environment, once.
var readConfig = sync.OnceValues(func() (config, error) {
	for _, name := range configVariables {
		if text, ok := os.LookupEnv(name); ok {
			return parseConfig(text)
		}
	}
	return defaultConfig(), nil
})
