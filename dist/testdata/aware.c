// Another name for the MPI library that this is linked with, which says of itself that it is CUDA-aware, and remembers what was reduced last. In processes whose simulated GPUs have memory at
// addresses of the host, that is true. Handles are passed on as they are, addresses or numbers.

typedef void *handle;

int PMPI_Iallreduce(const void *in, void *out, int count, handle type, handle op, handle comm, handle request);
int PMPI_Allreduce(const void *in, void *out, int count, handle type, handle op, handle comm);

static void *last;

void *last_reduced(void) { return last; }

int MPIX_Query_cuda_support(void) { return 1; }

int MPIX_GPU_query_support(int type, int *is_supported) {
  *is_supported = type == 0;
  return 0;
}

int MPI_Iallreduce(const void *in, void *out, int count, handle type, handle op, handle comm, handle request) {
  last = out;
  return PMPI_Iallreduce(in, out, count, type, op, comm, request);
}

int MPI_Allreduce(const void *in, void *out, int count, handle type, handle op, handle comm) {
  last = out;
  return PMPI_Allreduce(in, out, count, type, op, comm);
}
