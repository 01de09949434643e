# Everything is plain go commands; this file remembers their flags.

export CGO_ENABLED = 0

STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2
BENCHSTAT   = golang.org/x/perf/cmd/benchstat@v0.0.0-20260908200009-22c9c6c9d4da
PLATFORMS   = linux/amd64 linux/arm64 darwin/arm64 windows/amd64
HOST        = $(shell go env GOOS)/$(shell go env GOARCH)
# Takes a third less time, where it is about what compiles.
UNOPTIMIZED = -N -l -dwarf=false

PKG       ?= ./...
BENCH     ?= .
# Packages that start goroutines, or whose tests do: what calls ops from one goroutine runs those of these packages. Models, workloads and loops in Go
# start none that others do not, and are slow. The interpreter, of which all else here is compiled without the detector, has a line of its own.
RACE_PKG  ?= $(shell git grep -lE '^[[:space:]]+go [A-Za-z.]+[^A-Za-z. ]|\.Go[^A-Za-z., ]|/internal/par"|dist\.Spawn' -- '*.go' ':!models' ':!internal/kern' ':!internal/bench' ':!internal/floors' ':!internal/ptx' | xargs -n 1 dirname | sort -u | sed 's,^,./,')
# Packages with files for some architectures alone. What they offer is the same on all, which a build for each holds their users to.
ARCH_PKG  ?= $(shell git grep -lE '^//go:build .*(amd64|arm64)' -- '*.go' ':!internal/kgen' | xargs -n 1 dirname | sort -u | sed 's,^,./,')
LEVEL     ?= avx2
LEVEL_PKG ?= ./internal/kern/... ./internal/backend/cpu ./tensor ./nn ./optim
NEON_SKIP ?= ^$$
BASE      ?= main
CARDS     ?= gtx1070 t4 a100 h100 rtx5090

.DEFAULT_GOAL := help

.PHONY: help
help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: build
build: ## Build for every platform, without cgo, and once without CUDA
	@for p in $(PLATFORMS); do \
		echo "go build $$p"; \
		export GOOS=$${p%/*} GOARCH=$${p#*/}; \
		[ $$p != $(HOST) ] && fast='$(UNOPTIMIZED)' || fast=; \
		go list -export $${fast:+-gcflags=all="$$fast"} ./... >/dev/null && go build $${fast:+-gcflags=all="$$fast"} -o /dev/null ./cmd/cresset || exit 1; \
	done # go list -export compiles all, and does not link each example
	go build -tags nocuda -gcflags='./...=$(UNOPTIMIZED)' -o /dev/null ./cmd/cresset

.PHONY: test
test: ## Run the tests, in a random order
	go test -shuffle=on $(PKG)

.PHONY: test-gpu
test-gpu: ## Run the tests on the CPU and the first GPU, which has to be there
	DEVICES=cpu,cuda:0 go test $(PKG)

.PHONY: test-cards
test-cards: ## Run the op table, recorded trainings and gradients on a simulated GPU of each generation: CARDS="t4 h100"
	@for card in $(CARDS); do \
		echo "on $$card"; \
		DEVICES=cuda:0 CRESSET_SIM=$$card:2 go test -count=1 ./tensor ./nn ./optim ./internal/conformance ./models || exit 1; \
	done

.PHONY: test-noasm
test-noasm: ## Run the tests on the pure Go kernels
	go test -tags noasm $(PKG)

.PHONY: test-level
test-level: ## Run what computes on the CPU with one set of vector instructions: LEVEL=avx2
	DEVICES=cpu CRESSET_CPU=$(LEVEL) go test -count=1 $(LEVEL_PKG)

.PHONY: test-neon
test-neon: ## Run the kernels' tests as arm64, under qemu-aarch64
	GOARCH=arm64 go test -exec qemu-aarch64 -skip '$(NEON_SKIP)' ./internal/kern/...

.PHONY: race
race: ## Run the tests of all that has goroutines under the race detector, which needs a C compiler
	CGO_ENABLED=1 go test -race -cpu 4 ./internal/ptx ./internal/driver/sim
	CGO_ENABLED=1 go test -race -cpu 4 -timeout 30m -gcflags='./internal/ptx=-race=false -dwarf=false' $(RACE_PKG) # the interpreter is six times as fast so

.PHONY: test-poison
test-poison: ## Run the tests of tensors with memory overwritten when it is new and when it is freed
	go test -tags poison -skip '^TestThreadsKeepBits$$' ./tensor # TestOps runs the same ops

.PHONY: lint
lint: ## gofmt, go vet, staticcheck, go.mod; no finding is let pass
	@files=$$(gofmt -s -l .) && test -z "$$files" || { echo "these want gofmt -s -w:" $$files; exit 1; }
	go vet ./...
	GOARCH=arm64 go vet -gcflags=all='$(UNOPTIMIZED)' ./internal/kern/... $(ARCH_PKG) # other assembly
	GOARCH=riscv64 go vet -gcflags=all='$(UNOPTIMIZED)' ./internal/kern/... ./internal/backend/cpu ./internal/driver ./internal/nvml ./internal/cublas $(ARCH_PKG) # none
	go run $(STATICCHECK) ./...
	go mod tidy -diff

.PHONY: generate
generate: ## Write all generated code anew
	go generate ./...

.PHONY: ptx
ptx: ## Compile the GPU's kernels to PTX, with Debian's clang-22
	@internal/backend/cuda/kernels/build

.PHONY: bench
bench: ## Run the benchmarks ten times: PKG=./tensor BENCH=MatMul
	go test -run '^$$' -bench '$(BENCH)' -benchmem -count 10 $(PKG)

.PHONY: bench-compare
bench-compare: ## Compare the benchmarks with those of another commit: BASE=main
	@tmp=$$(mktemp -d) && trap 'git worktree remove --force "$$tmp/base"; rm -r "$$tmp"' EXIT && \
	git worktree add --quiet --detach "$$tmp/base" '$(BASE)' && \
	bench() { go test -run '^$$' -bench '$(BENCH)' -benchmem -count 10 $(PKG); } && \
	(cd "$$tmp/base" && bench) > "$$tmp/base.txt" && \
	bench > "$$tmp/new.txt" && \
	go run $(BENCHSTAT) '$(BASE)'="$$tmp/base.txt" new="$$tmp/new.txt"

.PHONY: fuzz
fuzz: ## Give every fuzz target 30 seconds
	@grep -rl --include='*_test.go' '^func Fuzz' . | while read -r file; do \
		for target in $$(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' "$$file"); do \
			echo "$$file $$target"; \
			go test -run '^$$' -fuzz "^$$target\$$" -fuzztime 30s -fuzzminimizetime 10x "./$$(dirname "$$file")" || exit 1; \
		done; \
	done

.PHONY: check
check: ## All that CI does, in its order
	.ci/run

.PHONY: size
size: ## Count the lines of every package, tests apart
	@git ls-files '*.go' | xargs wc -l | awk ' \
		$$2 != "total" { \
			dir = $$2; if (!sub(/\/[^\/]*$$/, "", dir)) dir = "."; seen[dir] = 1; \
			if ($$2 ~ /_test\.go$$/) { tests[dir] += $$1; t += $$1 } else { code[dir] += $$1; c += $$1 } \
		} \
		END { \
			for (dir in seen) printf "%8d %8d  %s\n", code[dir], tests[dir], dir | "sort -k3"; \
			close("sort -k3"); printf "%8d %8d  in all (code, tests)\n", c, t \
		}'

.PHONY: pictures
pictures: ## Draw the documentation's pictures anew, from what the command prints
	go run ./internal/kgen/termshot cresset train > docs/train.svg
	go run ./internal/kgen/termshot cresset train --model gpt > docs/gpt.svg
	go run ./internal/kgen/termshot -sim gtx1070:4 -beside 'train --device cuda:0' cresset smi > docs/smi.svg
	COLUMNS=94 go run ./internal/kgen/termshot -sim gtx1070:4 -beside 'train --device cuda:0' cresset top --once -n 28 -l 0.5 > docs/top.svg
