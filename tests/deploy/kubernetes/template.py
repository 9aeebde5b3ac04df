"""Prints the Pod of a Deployment's template, by the name `pod`.

Usage: template.py MANIFESTS"""

import sys

import yaml

from pod import Manifests

template = Manifests(sys.argv[1]).get("Deployment")["spec"]["template"]
template["metadata"]["name"] = "pod"
yaml.safe_dump({"apiVersion": "v1", "kind": "Pod", **template}, sys.stdout)
