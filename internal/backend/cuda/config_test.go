package cuda

import "testing"

func TestParseConfig(t *testing.T) {
	tests := []struct {
		text  string
		check func(c config) bool
	}{
		{"", func(c config) bool { return c == defaultConfig() }},
		{"max_split_size_mb:128", func(c config) bool { return c.maxSplit == 128<<20 }},
		{" max_split_size_mb : 21 , garbage_collection_threshold:0.8", func(c config) bool { return c.maxSplit == 21<<20 && c.gcThreshold == 0.8 }},
		{"roundup_power2_divisions:4", func(c config) bool { return c.round(1200) == 1536 && c.round(2048) == 2048 && c.round(2049) == 2560 }},
		{"roundup_power2_divisions:[256:1,512:2,1024:4,>:8],backend:native", func(c config) bool {
			return c.round(300<<20) == 384<<20 && c.round(600<<20) == 640<<20 && c.round(1100<<20) == 1152<<20 && c.round(1000) == 1024
		}},
		{"expandable_segments:True", func(c config) bool { return c == defaultConfig() }},
	}
	for _, tt := range tests {
		if c, err := parseConfig(tt.text); err != nil || !tt.check(c) {
			t.Errorf("%q: got %+v, %v", tt.text, c, err)
		}
	}
}

func TestParseConfigRefuses(t *testing.T) {
	tests := []struct{ text, want string }{
		{"max_split_size_mb:20", "CachingAllocator option max_split_size_mb too small, must be > 20"},
		{"x:1", "Unrecognized CachingAllocator option: x"},
		{"max_split_size_mb", "Error parsing CachingAllocator settings, expected :"},
		{"max_split_size_mb=64", "Error parsing CachingAllocator settings, expected :"},
		{"garbage_collection_threshold:1.5", "garbage_collect_threshold too big, set it 0.0~1.0"},
		{"garbage_collection_threshold:0", "garbage_collect_threshold too small, set it 0.0~1.0"},
		{"expandable_segments:yes", "Expected a single True/False argument for expandable_segments"},
	}
	for _, tt := range tests {
		if _, err := parseConfig(tt.text); err == nil || err.Error() != tt.want {
			t.Errorf("%q: got %v, want %s", tt.text, err, tt.want)
		}
	}
}
