// Reads manifests into the types of the projects that will read them: an unknown field
// or a value of another type is an error, and so is a kind that is not listed here.
//
// Usage: types FILE...
package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	certmanager "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	"github.com/kserve/kserve/pkg/apis/serving/v1alpha1"
	"github.com/kserve/kserve/pkg/apis/serving/v1beta1"
	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	apps "k8s.io/api/apps/v1"
	autoscaling "k8s.io/api/autoscaling/v2"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/util/yaml"
	strict "sigs.k8s.io/yaml"
)

type kind struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
}

var kinds = map[kind]func() any{
	{"v1", "ConfigMap"}:                                     func() any { return &core.ConfigMap{} },
	{"v1", "Pod"}:                                           func() any { return &core.Pod{} },
	{"v1", "Service"}:                                       func() any { return &core.Service{} },
	{"v1", "ServiceAccount"}:                                func() any { return &core.ServiceAccount{} },
	{"apps/v1", "Deployment"}:                               func() any { return &apps.Deployment{} },
	{"autoscaling/v2", "HorizontalPodAutoscaler"}:           func() any { return &autoscaling.HorizontalPodAutoscaler{} },
	{"policy/v1", "PodDisruptionBudget"}:                    func() any { return &policy.PodDisruptionBudget{} },
	{"networking.k8s.io/v1", "NetworkPolicy"}:               func() any { return &networking.NetworkPolicy{} },
	{"cert-manager.io/v1", "Certificate"}:                   func() any { return &certmanager.Certificate{} },
	{"monitoring.coreos.com/v1", "ServiceMonitor"}:          func() any { return &monitoring.ServiceMonitor{} },
	{"monitoring.coreos.com/v1", "PrometheusRule"}:          func() any { return &monitoring.PrometheusRule{} },
	{"serving.kserve.io/v1alpha1", "ClusterServingRuntime"}: func() any { return &v1alpha1.ClusterServingRuntime{} },
	{"serving.kserve.io/v1beta1", "InferenceService"}:       func() any { return &v1beta1.InferenceService{} },
}

func check(document []byte) (kind, error) {
	var what kind
	if err := strict.Unmarshal(document, &what); err != nil {
		return what, err
	}
	make, ok := kinds[what]
	if !ok {
		return what, errors.New("no type is listed for this kind")
	}
	object := make()
	return what, strict.UnmarshalStrict(document, object)
}

func main() {
	counted, failed := 0, 0
	for _, path := range os.Args[1:] {
		text, err := os.ReadFile(path)
		if err != nil {
			fmt.Println(err)
			os.Exit(2)
		}
		reader := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text)))
		for {
			document, err := reader.Read()
			if errors.Is(err, io.EOF) {
				break
			}
			if len(bytes.TrimSpace(document)) == 0 {
				continue
			}
			counted++
			if what, err := check(document); err != nil {
				failed++
				fmt.Printf("%s: %s: %v\n", path, what.Kind, err)
			}
		}
	}
	fmt.Printf("%d manifests, %d failed\n", counted, failed)
	if failed > 0 || counted == 0 {
		os.Exit(1)
	}
}
