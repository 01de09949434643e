package resnet_test

import (
	"testing"

	"cresset/device"
	"cresset/models/resnet"
	"cresset/nn"
)

// TestDepth counts parameters as torchvision's table of weights does.
func TestDepth(t *testing.T) {
	for layers, want := range map[int]int{18: 11_689_512, 34: 21_797_672, 50: 25_557_032, 101: 44_549_160, 152: 60_192_808} {
		m, err := resnet.New(resnet.Depth(layers, 1000), nn.On(device.Meta))
		if err != nil {
			t.Error(err)
		} else if got := nn.CountParameters(m); got != want {
			t.Errorf("ResNet-%d has %d parameters, want %d", layers, got, want)
		}
	}
	if _, err := resnet.New(resnet.Depth(20, 1000)); err == nil {
		t.Error("there is no ResNet-20")
	}
}
