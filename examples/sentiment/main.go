// Command sentiment trains an LSTM to tell whether a review is good or bad. The order of words decides: "not bad at all" is praise.
package main

import (
	"flag"
	"fmt"
	"strings"

	"cresset/cuda"
	"cresset/device"
	"cresset/nn"
	"cresset/optim"
	"cresset/tensor"
)

func main() {
	steps := flag.Int("steps", 100, "training steps, of 32 reviews each")
	flag.Parse()

	tensor.ManualSeed(0)
	dev := cuda.TryGPU(0)
	write := newWriter(1)
	net := nn.To(newClassifier(len(vocabulary), 16, 32), dev)
	fmt.Printf("%d words, %d parameters on %s\n", len(vocabulary), nn.CountParameters(net), dev)

	opt := optim.NewAdam(nn.Parameters(net), optim.LR(1e-2))
	for step := range *steps {
		scope := tensor.NewScope() // gives the memory of a step back
		reviews, praise := write.reviews(32)
		scores := net.Forward(packed(reviews, dev))
		loss := tensor.BCEWithLogits(scores, scope.Enter(tensor.Of(praise).To(dev)))
		opt.ZeroGrad()
		loss.Backward()
		nn.ClipGradNorm(nn.Parameters(net), 1)
		opt.Step()
		if (step+1)%50 == 0 {
			fmt.Printf("step %d: loss %.3f\n", step+1, loss.Float64())
		}
		scope.Close()
	}

	reviews, praise := newWriter(2).reviews(500)
	right := nn.Frozen(net).Forward(packed(reviews, dev)).GtScalar(0).CPU().Eq(tensor.Of(praise).Bool()).Sum()
	fmt.Printf("%d of %d reviews right\n", int(right.Float64()), len(reviews))
	for _, words := range []string{"the plot was not bad at all", "nobody would call the music good"} {
		score := nn.Frozen(net).Forward(packed([][]string{strings.Fields(words)}, dev)).Sigmoid()
		fmt.Printf("%q is praise: %.2f\n", words, score.Float64())
	}
}

// packed returns the numbers of the words of all reviews, which may have several lengths.
func packed(reviews [][]string, dev device.Device) nn.PackedSequence {
	sequences := make([]*tensor.Tensor, len(reviews))
	for i, words := range reviews {
		numbers := make([]int, len(words))
		for j, word := range words {
			numbers[j] = vocabulary[word]
		}
		sequences[i] = tensor.Of(numbers).To(dev)
	}
	return nn.PackSequence(sequences, nn.EnforceSorted(false))
}
