package models

import "cresset/tensor"

// NextTokenLoss returns the mean cross entropy of the scores [batch, tokens, vocabulary] of the tokens after each one, by labels [batch, tokens], of which those
// that are -100 do not count.
func NextTokenLoss(scores, labels *tensor.Tensor) *tensor.Tensor {
	n := scores.Size(1) - 1
	return tensor.CrossEntropy(scores.Narrow(1, 0, n).Flatten(0, 1), labels.Narrow(1, 1, n).Flatten(0, 1))
}
