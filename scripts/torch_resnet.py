"""A ResNet of 18 layers in PyTorch, as `cresset bench` trains it."""

import torch
import torch.nn.functional as F
from torch import nn


class Block(nn.Module):
    """Two convolutions whose result is added to the input, or to what a convolution of 1x1 makes of it."""

    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.first, self.first_norm = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False), nn.BatchNorm2d(outputs)
        self.second, self.second_norm = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False), nn.BatchNorm2d(outputs)
        self.fitted = None
        if stride != 1 or inputs != outputs:
            self.fitted = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x):
        y = self.second_norm(self.second(F.relu(self.first_norm(self.first(x)))))
        return F.relu(y + (self.fitted(x) if self.fitted else x))


def resnet18(classes):
    blocks, channels = [], 64
    for width, stride in ((64, 1), (128, 2), (256, 2), (512, 2)):
        blocks += [Block(channels, width, stride), Block(width, width, 1)]
        channels = width
    return nn.Sequential(nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(3, 2, 1), *blocks,
                         nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, classes))


def resnet_lesson(layout=torch.contiguous_format, batch=16, size=64, classes=200):
    def lesson(capturable=False):
        net = resnet18(classes).to(memory_format=layout)
        pictures = torch.rand(batch, 3, size, size).to(memory_format=layout)
        labels = torch.randint(0, classes, (batch,))
        return net, pictures, lambda y: F.cross_entropy(y, labels), torch.optim.SGD(net.parameters(), lr=1e-3, momentum=0.9)
    return lesson
