package tour_test

import (
	"strings"
	"testing"
)

// printed lists what the notes show as printed, and the step that prints it. Where PyTorch 2.6 has other
// words than a note, they are 2.6's.
var printed = []struct{ note, step, want string }{
	{"000:11", "deviceNames", "device(type='cpu'), device(type='cuda'), device(type='cuda', index=1)\n"},
	{"000:20", "askAboutGPUs", "true\n1\n"},
	{"000:39-41", "tryGPUs", "device(type='cuda', index=0)\ndevice(type='cpu')\n[cuda:0]\n"},
	{"000:49", "madeOnCPU", "cpu\n"},
	{"000:59-60", "madeOnGPU", "tensor([[1., 1., 1.],\n        [1., 1., 1.]], device='cuda:0')\n"},
	{"000:73-74", "sequentialOnGPU", "]], device='cuda:0', grad_fn=<AddmmBackward0>)\n"},
	{"000:79", "layersParameters", "device(type='cuda', index=0)\n"},
	{"001:11-30", "smiTable", `+-----------------------------------------------------------------------------+
| NVIDIA-SMI 418.67       Driver Version: 418.67       CUDA Version: 10.1     |
|-------------------------------+----------------------+----------------------+
| GPU  Name        Persistence-M| Bus-Id        Disp.A | Volatile Uncorr. ECC |
| Fan  Temp  Perf  Pwr:Usage/Cap|         Memory-Usage | GPU-Util  Compute M. |
|===============================+======================+======================|
|   0  GeForce GTX 105...  Off  | 00000000:01:00.0 Off |                  N/A |
| N/A   42C    P0    N/A /  N/A |   1670MiB /  4042MiB |      0%      Default |
+-------------------------------+----------------------+----------------------+
                                                                               
+-----------------------------------------------------------------------------+
| Processes:                                                       GPU Memory |
|  GPU       PID   Type   Process name                             Usage      |
|=============================================================================|
|    0      1572      G   /usr/lib/xorg/Xorg                           601MiB |
|    0      4508      G   compiz                                       231MiB |
|    0      4935      G   ...equest-channel-token=592189694510481540   486MiB |
|    0      5574      G   ...quest-channel-token=4527142888685015556   328MiB |
|    0     10049      G   ...passed-by-fd --v8-snapshot-passed-by-fd    21MiB |
+-----------------------------------------------------------------------------+
`},
	{"001:75", "resultsStay", "tensor([1, 4, 9], device='cuda:0')\n"},
	{"001:84", "mixedDevices", "Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!\n"},
	{"001:130-131", "whereAModelIs", "iter.Seq2[string,*cresset/tensor.Tensor]\nweight torch.Size([1, 3]) cpu\n"},
	{"001:142", "integersIntoLinear", "mat1 and mat2 must have the same dtype, but got Long and Float\n"},
	{"002:30-31", "drawnAndCopied", "torch.Size([2, 3]) torch.float32 cpu\ntorch.Size([2, 3]) torch.float32 cuda:0\n"},
	{"002:49", "notShared", "can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory first.\n"},
	{"002:51", "sharedMemory", "tensor([1., 1., 1., 1., 1.]) [1 1 1 1 1]\n"},
	{"002:52", "sharedMemory", "tensor([3., 3., 3., 3., 3.]) [3 3 3 3 3]\n"},
	{"002:53", "sharedMemory", "tensor([5., 5., 5., 5., 5.]) [5 5 5 5 5]\n"},
	{"002:68", "deviceHandle", "Device: cuda\n"},
	{"002:87-90", "invalidOrdinal", `CUDA error: invalid device ordinal
CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.
For debugging consider passing CUDA_LAUNCH_BLOCKING=1
Compile with ` + "`TORCH_USE_CUDA_DSA` to enable device-side assertions.\n"},
	{"002:89", "invalidOrdinalBlocking", "CUDA error: invalid device ordinal\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n"},
	{"003:19-23", "askAboutGPUs", "0 <nil>\nNVIDIA GeForce GTX 1070 (simulated) <nil>\n"},
	{"003:54", "mixedDevices", "Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!\n"},
	{"003:69-72", "movedInPlace", "cpu\ncuda:0 true\n"},
	{"003:88", "modelLeftBehind", "Expected all tensors to be on the same device, but found at least two devices, cpu and cuda:0! " +
		"(when checking argument for argument mat1 in method wrapper_CUDA_addmm)\n"},
	{"004:31-32", "toAnotherDType", "torch.float32\ntorch.float64\n"},
	{"004:44", "identityWithoutGPU", "cpu\n"},
	{"004:56-59", "identityWithoutGPU", "the same tensor: true\n"},
	{"004:78-79", "logicalAndPhysical", "=2,3\nlogical 0 is physical 2 at 00000000:03:00.0\nlogical 1 is physical 3 at 00000000:04:00.0\n"},
	{"004:83-84", "logicalAndPhysical", "=0,3,2\nlogical 0 is physical 0 at 00000000:01:00.0\nlogical 1 is physical 3 at 00000000:04:00.0\n" +
		"logical 2 is physical 2 at 00000000:03:00.0\n"},
	{"004:100", "wrongMainGPU", "module must have its parameters and buffers on device cuda:1 (device_ids[0]) but found one of them on device: cuda:2\n"},
	{"004:104", "splitBatch", "batch size in forward: 8\nbatch size in forward: 8\n"},
	{"004:133-136", "splitBatch", "model outputs.size: torch.Size([16, 3])\nCUDA_VISIBLE_DEVICES: 0,1\ndevice_count: 2\n"},
	{"004:166", "freeMemory", "        Free                              : 5119 MiB\n"},
}

// TestStepsPrintWhatTheNotesShow compares the steps with the notes.
func TestStepsPrintWhatTheNotesShow(t *testing.T) {
	got := printedBySteps(t)
	for _, p := range printed {
		if !strings.Contains(got[p.step], p.want) {
			t.Errorf("note %s: %s prints\n%s\nwant\n%s", p.note, p.step, got[p.step], p.want)
		}
	}
}

// recorded lists texts and numbers that PyTorch 2.6 gave, or that its source has, and the step that prints them.
var recorded = []struct{ step, want string }{
	{"deviceText", "Invalid device string: 'cuda:01'\n"},
	{"deviceText", "Expected one of cpu, cuda, ipu, xpu, mkldnn, opengl, opencl, ideep, hip, ve, fpga, maia, xla, lazy, vulkan, mps, meta, hpu, mtia, " +
		"privateuseone device type at start of device string: CUDA\nDevice string must not be empty\n"},
	{"askWithoutGPU", "No CUDA GPUs are available\n"},
	{"deviceHandle", "tensor([[0.3990, 0.5167],\n        [0.0249, 0.9401]], device='cuda:0')\n"},   // torch.cuda.manual_seed(0)
	{"drawnAndCopied", "tensor([[0.6130, 0.0101],\n        [0.3984, 0.0403]], device='cuda:0')\n"}, // torch.cuda.manual_seed(42)
	{"tooLarge", "CUDA out of memory. Tried to allocate 8.00 GiB. GPU 0 has a total capacity of 3.95 GiB of which "},
	{"tooLarge", " is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=" +
		"expandable_segments:True to avoid fragmentation.  See documentation for Memory Management  " +
		"(https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)\n"},
	{"mixedGPUs", "found at least two devices, cuda:0 and cuda:1!\n"},
	{"inputLeftBehind", "found at least two devices, cuda:0 and cpu! (when checking argument for argument mat1 in method wrapper_CUDA_addmm)\n"},
	{"lateError", "<nil>\nCUDA error: device-side assert triggered\nCUDA kernel errors might be asynchronously reported at some other API call, " +
		"so the stacktrace below might be incorrect.\n"},
	{"poisonedGPU", "\ntrue\ntensor([1., 1., 1.])\n"},
	{"noSuchGPU", "Invalid device id\n"},
	{"modelMadeOnGPU", "tensor([[-0.1166,  0.0193, -0.5486]], device='cuda:0', requires_grad=True)\n"}, // torch.manual_seed(0)
	{"modelMadeOnGPU", "tensor([[-0.0043,  0.3097, -0.4752]], requires_grad=True)\n"},
	{"whenToCopies", "true true true\nfalse false\nfalse\n"},
	{"modelsDType", "nn.Module.to only accepts floating point or complex dtypes, but got desired dtype=torch.int32\n"},
	{"seedOfCurrent", "tensor([0.8903, 0.0275, 0.9031], device='cuda:0')\ntensor([0.3990, 0.5167, 0.0249], device='cuda:1')\n"},
	{"seedOfAll", "tensor([0.3990, 0.5167, 0.0249], device='cuda:0')\ntensor([0.3990, 0.5167, 0.0249], device='cuda:1')\ntensor([0.4963, 0.7682, 0.0885])\n"},
	{"sharesOfABatch", "16 rows on [0 1] [8 8]\n"}, // torch.chunk
	{"sharesOfABatch", "10 rows on [0 1 2] [4 4 2]\n"},
	{"sharesOfABatch", "5 rows on [0 1 2 3] [2 2 1]\n"},
}

// TestStepsPrintWhatPyTorchDoes compares the steps with what is known of PyTorch 2.6.
func TestStepsPrintWhatPyTorchDoes(t *testing.T) {
	got := printedBySteps(t)
	for _, r := range recorded {
		if !strings.Contains(got[r.step], r.want) {
			t.Errorf("%s prints\n%s\nwant\n%s", r.step, got[r.step], r.want)
		}
	}
}
