// Package vision reads pictures and changes them on their way to a model.
//
// A picture is a tensor [channels, height, width], of uint8 from 0 to 255 or of floating dtype from 0 to 1. [ReadImage] reads one from a
// PNG, JPEG or GIF file, [ReadFolder] gives a data set of a folder of classes, and a [Transform] changes a picture, at random too:
//
//	augment := vision.Compose(vision.RandomResizedCrop(224, 224), vision.RandomHorizontalFlip(0.5), vision.ToFloat(),
//		vision.Normalize([]float64{0.485, 0.456, 0.406}, []float64{0.229, 0.224, 0.225}))
//	train, err := vision.ReadFolder("train", augment)
//
// Files are not trusted: how large a picture is, is checked before memory is taken for it.
package vision
