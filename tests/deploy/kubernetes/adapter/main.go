// Prints the PromQL that prometheus-adapter asks for a metric of Pods, by the adapter's
// own code, from the rules of its chart's values.
//
// Usage: adapter VALUES METRIC NAMESPACE POD...
package main

import (
	"fmt"
	"os"

	"github.com/prometheus/common/model"
	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	prom "sigs.k8s.io/prometheus-adapter/pkg/client"
	"sigs.k8s.io/prometheus-adapter/pkg/config"
	"sigs.k8s.io/prometheus-adapter/pkg/naming"
	"sigs.k8s.io/yaml"
)

type values struct {
	Rules struct {
		Custom []config.DiscoveryRule `json:"custom"`
	} `json:"rules"`
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func main() {
	text, err := os.ReadFile(os.Args[1])
	fail(err)
	var given values
	fail(yaml.UnmarshalStrict(text, &given))
	mapper := meta.NewDefaultRESTMapper([]schema.GroupVersion{core.SchemeGroupVersion})
	mapper.Add(core.SchemeGroupVersion.WithKind("Pod"), meta.RESTScopeNamespace)
	mapper.Add(core.SchemeGroupVersion.WithKind("Namespace"), meta.RESTScopeRoot)
	namers, err := naming.NamersFromConfig(given.Rules.Custom, mapper)
	fail(err)
	for _, namer := range namers {
		series := prom.Series{
			Name:   "flipd_inflight_bytes",
			Labels: model.LabelSet{"namespace": model.LabelValue(os.Args[3]), "pod": model.LabelValue(os.Args[4])},
		}
		name, err := namer.MetricNameForSeries(series)
		fail(err)
		if string(name) != os.Args[2] {
			continue
		}
		query, err := namer.QueryForSeries(series.Name, schema.GroupResource{Resource: "pods"},
			os.Args[3], labels.Everything(), os.Args[4:]...)
		fail(err)
		fmt.Println(query)
		return
	}
	fail(fmt.Errorf("no rule makes the metric %s", os.Args[2]))
}
