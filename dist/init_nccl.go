package dist

import (
	"context"
	"fmt"
	"net"
	"os"
	"strconv"

	"cresset/device"
)

// meetingPlace is the variable by which NCCL's processes meet at an address.
const meetingPlace = "NCCL_COMM_ID"

// initNCCL joins ranks that know nothing of each other but an address.
func initNCCL(ctx context.Context, o options, l launch) (*Group, error) {
	rank, err := numberIn("RANK", l.size)
	if err != nil {
		return nil, err
	}
	local, err := numberIn("LOCAL_RANK", l.size)
	if err != nil {
		return nil, err
	}
	place, err := placeToMeet(os.Getenv)
	if err != nil {
		return nil, err
	}
	gpu := device.CUDA(local)
	if _, err := readyForNCCL(gpu); err != nil {
		return nil, fmt.Errorf("rank %d cannot use NCCL on %s: %w", rank, gpu, err)
	}
	if err := os.Setenv(meetingPlace, place); err != nil {
		return nil, err
	}
	api, err := ncclLibrary()
	if err != nil {
		return nil, err
	}
	id, err := api.NewID()
	if err != nil {
		return nil, err
	}
	n, err := joinGPUs(ctx, api, id, rank, l.size, gpu, o.timeout)
	if err != nil {
		return nil, fmt.Errorf("%d ranks meet at %s: %w", l.size, place, err)
	}
	g := &Group{rank: rank, size: l.size, name: "nccl", engine: n, options: o}
	if err := g.agreeOnDebug(ctx); err != nil {
		return nil, err
	}
	return withNeighbours(ctx, g)
}

// placeToMeet returns NCCL_COMM_ID, or the address behind the one at which torchrun's agents meet.
func placeToMeet(getenv func(string) string) (string, error) {
	if place := getenv(meetingPlace); place != "" {
		return place, nil
	}
	host, port := getenv("MASTER_ADDR"), getenv("MASTER_PORT")
	n, err := strconv.ParseUint(port, 10, 16)
	if host == "" || err != nil || n == 0 || n == 65535 {
		return "", fmt.Errorf("MASTER_ADDR=%s and MASTER_PORT=%s are no address at which ranks can meet; %s=host:port names another", host, port, meetingPlace)
	}
	return net.JoinHostPort(host, strconv.FormatUint(n+1, 10)), nil
}

// numberIn returns a variable's number, which is less than limit.
func numberIn(variable string, limit int) (int, error) {
	text := os.Getenv(variable)
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n >= limit {
		return 0, fmt.Errorf("%s=%s is no number from 0 to %d", variable, text, limit-1)
	}
	return n, nil
}
