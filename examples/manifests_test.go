package examples

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strconv"
	"testing"
)

// container and mpiReplica are what the manifests use of Kubernetes.
type (
	container struct {
		Name, Image     string
		SecurityContext struct{ RunAsUser int }
		Command         []string
	}
	mpiReplica struct {
		Replicas int
		Template struct {
			Spec struct{ Containers []container }
		}
	}
)

// mpiJob is what the manifest has of kubeflow.org/v2beta1.
type mpiJob struct {
	APIVersion, Kind string
	Metadata         struct{ Name string }
	Spec             struct {
		SlotsPerWorker   int
		SSHAuthMountPath string
		RunPolicy        struct {
			CleanPodPolicy                      string
			ActiveDeadlineSeconds, BackoffLimit int
		}
		MPIReplicaSpecs struct{ Launcher, Worker mpiReplica }
	}
}

// trainJob is what the manifest has of trainer.kubeflow.org/v1alpha1.
type trainJob struct {
	APIVersion, Kind string
	Metadata         struct{ Name string }
	Spec             struct {
		RuntimeRef struct{ Name string }
		Trainer    struct {
			Image                    string
			NumNodes, NumProcPerNode int
			Command                  []string
		}
	}
}

// TestManifests reads the documentation's manifests, which nobody has run, with the fields of their kinds and no others.
func TestManifests(t *testing.T) {
	found := regexp.MustCompile("(?s)```json\n(.*?)```").FindAllStringSubmatch(read(t, "../docs/distributed.md"), -1)
	if len(found) != 2 {
		t.Fatalf("%d manifests", len(found))
	}
	var mpi mpiJob
	var train trainJob
	for i, to := range []any{&mpi, &train} {
		d := json.NewDecoder(bytes.NewReader([]byte(found[i][1])))
		d.DisallowUnknownFields()
		if err := d.Decode(to); err != nil {
			t.Fatal(err)
		}
	}
	replicas := mpi.Spec.MPIReplicaSpecs
	launcher, worker := replicas.Launcher.Template.Spec.Containers, replicas.Worker.Template.Spec.Containers
	if mpi.APIVersion != "kubeflow.org/v2beta1" || mpi.Kind != "MPIJob" || replicas.Launcher.Replicas != 1 || len(launcher) != 1 || len(worker) != 1 || mpi.Spec.RunPolicy.ActiveDeadlineSeconds == 0 {
		t.Errorf("%+v", mpi)
	}
	if ranks := replicas.Worker.Replicas * mpi.Spec.SlotsPerWorker; launcher[0].Command[0] != "mpirun" || launcher[0].Command[2] != strconv.Itoa(ranks) {
		t.Errorf("%v for %d slots", launcher[0].Command, ranks)
	}
	if train.APIVersion != "trainer.kubeflow.org/v1alpha1" || train.Kind != "TrainJob" || train.Spec.RuntimeRef.Name != "torch-distributed" || train.Spec.Trainer.Command[1] != "launch" {
		t.Errorf("%+v", train)
	}
}
