// Renders a Helm chart as Helm does, with Go's text/template and sprig, and prints its objects and values as JSON.
// Usage: main <folder of the chart> <values as JSON>. Debian's packages golang-go, golang-github-masterminds-sprig-dev and
// golang-k8s-sigs-yaml-dev have what it needs.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"sigs.k8s.io/yaml"
)

type object = map[string]interface{}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func readYaml(path string) object {
	text, err := os.ReadFile(path)
	must(err)
	found := object{}
	must(yaml.Unmarshal(text, &found))
	return found
}

func merge(base, over object) object {
	for name, value := range over {
		inner, isObject := value.(object)
		if old, ok := base[name].(object); ok && isObject {
			base[name] = merge(old, inner)
		} else {
			base[name] = value
		}
	}
	return base
}

func main() {
	chart := os.Args[1]
	values := object{}
	must(json.Unmarshal([]byte(os.Args[2]), &values))
	set := template.New("chart").Option("missingkey=zero")
	functions := sprig.TxtFuncMap()
	functions["include"] = func(name string, data interface{}) (string, error) {
		var out bytes.Buffer
		err := set.ExecuteTemplate(&out, name, data)
		return out.String(), err
	}
	functions["toYaml"] = func(value interface{}) (string, error) {
		text, err := yaml.Marshal(value)
		return strings.TrimSuffix(string(text), "\n"), err
	}
	functions["required"] = func(message string, value interface{}) (interface{}, error) {
		if value == nil || value == "" {
			return nil, errors.New(message)
		}
		return value, nil
	}
	set.Funcs(functions)
	files, err := filepath.Glob(filepath.Join(chart, "templates", "*"))
	must(err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		must(err)
		_, err = set.New(filepath.Base(file)).Parse(string(text))
		must(err)
	}
	meta := readYaml(filepath.Join(chart, "Chart.yaml"))
	data := object{
		"Values":  merge(readYaml(filepath.Join(chart, "values.yaml")), values),
		"Chart":   object{"Name": meta["name"], "Version": meta["version"], "AppVersion": meta["appVersion"]},
		"Release": object{"Name": "stats", "Namespace": "web", "Service": "Helm"},
	}
	objects := []object{}
	for _, file := range files {
		var out bytes.Buffer
		must(set.ExecuteTemplate(&out, filepath.Base(file), data))
		if filepath.Ext(file) != ".yaml" {
			continue
		}
		for _, text := range regexp.MustCompile(`(?m)^---$`).Split(out.String(), -1) {
			found := object{}
			if err := yaml.UnmarshalStrict([]byte(text), &found); err != nil {
				must(fmt.Errorf("%s: %w\n%s", file, err, text))
			}
			if len(found) > 0 {
				objects = append(objects, found)
			}
		}
	}
	text, err := json.Marshal(object{"objects": objects, "values": data["Values"]})
	must(err)
	fmt.Println(string(text))
}
