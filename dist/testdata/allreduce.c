// Times all-reduces of float32 in place, as the OSU micro-benchmarks do, and prints for each number of bytes the median and the least of a call in microseconds: of
// MPI_Allreduce, or where the first argument is "test" of MPI_Iallreduce and MPI_Test until it has ended.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int compare(const void *a, const void *b) {
	double x = *(const double *)a, y = *(const double *)b;
	return x < y ? -1 : x > y;
}

int main(int argc, char **argv) {
	MPI_Init(&argc, &argv);
	int rank;
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int test = argv[1][0] == 't';
	for (int i = 2; i + 1 < argc; i += 2) {
		int n = atoi(argv[i]) / 4, calls = atoi(argv[i + 1]);
		float *x = malloc(4 * (size_t)n);
		double *took = malloc(sizeof *took * calls);
		for (int k = 0; k < n; k++) x[k] = 0;
		for (int call = -calls / 10 - 1; call < calls; call++) {
			double begun = MPI_Wtime();
			if (test) {
				MPI_Request r;
				MPI_Iallreduce(MPI_IN_PLACE, x, n, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &r);
				for (int ended = 0; !ended;) MPI_Test(&r, &ended, MPI_STATUS_IGNORE);
			} else {
				MPI_Allreduce(MPI_IN_PLACE, x, n, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
			}
			if (call >= 0) took[call] = MPI_Wtime() - begun;
		}
		qsort(took, calls, sizeof *took, compare);
		if (rank == 0) printf("%d %.3f %.3f\n", 4 * n, 1e6 * took[calls / 2], 1e6 * took[0]);
		free(took), free(x);
	}
	MPI_Finalize();
}
