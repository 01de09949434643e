// The parameters of convolutions, pools, normalisations and losses; params.cuh says what holds for all parameters.
#pragma once

#include "params.cuh"

// Convolution: y [images][groups·outputs][outHeight][outWidth] of x [images][groups·channels][height][width] and weights
// [groups·outputs][channels][rows][columns], or one of its gradients; all contiguous. left and right are the operands of a
// product: the weights and x; for dx the weights and dy; for dw dy and x. The common axis may be cut into parts, each of
// `part` steps, whose results lie one behind the other in out.
struct Convolution {
	u64 out, left, right;
	u64 bias; // 0 where there is none
	u32 images, groups, channels, outputs;
	u32 height, width, outHeight, outWidth;
	u32 rows, columns;
	u32 stride[2], padding[2], dilation[2];
	u32 parts, part;
};
OFFSET(Convolution, bias, 24);
OFFSET(Convolution, images, 32);
OFFSET(Convolution, height, 48);
OFFSET(Convolution, rows, 64);
OFFSET(Convolution, stride, 72);
OFFSET(Convolution, padding, 80);
OFFSET(Convolution, dilation, 88);
OFFSET(Convolution, parts, 96);
SIZE(Convolution, 104);

// Pool: planes of y of the size outSize, of planes of x of the size inSize, or the gradient for x; all contiguous. Each pair
// is of the rows and the columns. in is x, or dy for a gradient.
struct Pool {
	u64 planes;
	u64 out, in;
	u64 index; // of a maximum in its plane
	i64 inSize[2], outSize[2];
	i64 kernel[2], stride[2], padding[2], dilation[2];
	u32 adaptive;     // windows cover x evenly, whatever the steps say
	u32 countPadding; // whether padding counts in a mean
	u32 strays;       // whether a maximum's window may hold nothing but padding
	u32 unused;
};
OFFSET(Pool, out, 8);
OFFSET(Pool, in, 16);
OFFSET(Pool, index, 24);
OFFSET(Pool, inSize, 32);
OFFSET(Pool, outSize, 48);
OFFSET(Pool, kernel, 64);
OFFSET(Pool, stride, 80);
OFFSET(Pool, padding, 96);
OFFSET(Pool, dilation, 112);
OFFSET(Pool, adaptive, 128);
OFFSET(Pool, countPadding, 132);
OFFSET(Pool, strays, 136);
SIZE(Pool, 144);

// BatchNorm: y = (x - mean) · invstd · weight + bias for each channel of x [images][channels][pixels], or the gradients of
// x, weight and bias; all contiguous but the running figures, which have steps. Training reads and writes these, evaluation
// reads them; 0 where there are none. A channel may be cut into parts: sums has two f64 for each channel and part.
struct BatchNorm {
	u64 images, channels, pixels;
	u64 x, weight, bias; // weight and bias are 0 where there are none
	u64 y, mean, invstd;
	u64 runningMean, runningVar;
	i64 steps[2]; // of runningMean and runningVar
	u64 dy, dx, dweight, dbias;
	u64 sums, parts;
	f64 eps, momentum;
	u32 training, unused;
};
OFFSET(BatchNorm, x, 24);
OFFSET(BatchNorm, y, 48);
OFFSET(BatchNorm, runningMean, 72);
OFFSET(BatchNorm, steps, 88);
OFFSET(BatchNorm, dy, 104);
OFFSET(BatchNorm, sums, 136);
OFFSET(BatchNorm, eps, 152);
OFFSET(BatchNorm, training, 168);
SIZE(BatchNorm, 176);

// LayerNorm: y = (x - mean) · invstd · weight + bias for each row of x [rows][columns], or the gradients of x, weight and bias,
// all contiguous. The rows may be cut into parts: sums has two f64 for each part and column.
struct LayerNorm {
	u64 rows, columns;
	u64 x, weight, bias; // weight and bias are 0 where there are none
	u64 y, mean, invstd;
	u64 dy, dx, dweight, dbias;
	u64 sums, parts;
	f64 eps;
};
OFFSET(LayerNorm, x, 16);
OFFSET(LayerNorm, y, 40);
OFFSET(LayerNorm, dy, 64);
OFFSET(LayerNorm, sums, 96);
OFFSET(LayerNorm, eps, 112);
SIZE(LayerNorm, 120);

// NLL: the loss -weight[t]·x[i][t][l] of the targets t in [batch][inner], of log probabilities x in
// [batch][classes][inner], all contiguous; weight is 0 for ones, a target equal to ignore costs nothing. Unless shifts is 0,
// x holds logits, whose log probabilities are x less both of the shifts of their run: [batch][inner][2].
struct NLL {
	u64 batch, classes, inner;
	u64 x, targets, weight, shifts;
	u64 out;   // the losses, one loss, or the gradient for x
	u64 total; // the sum of the weights of all targets; the gradient of a mean reads it
	u64 dy;    // the gradient: one element, or with each one of a target
	i64 ignore;
	u32 mean; // whether the loss is divided by total
	u32 each; // whether there is a loss for each target
	Report report;
};
OFFSET(NLL, x, 24);
OFFSET(NLL, targets, 32);
OFFSET(NLL, weight, 40);
OFFSET(NLL, shifts, 48);
OFFSET(NLL, out, 56);
OFFSET(NLL, total, 64);
OFFSET(NLL, dy, 72);
OFFSET(NLL, ignore, 80);
OFFSET(NLL, mean, 88);
OFFSET(NLL, each, 92);
OFFSET(NLL, report, 96);
SIZE(NLL, 112);
