"""Checks manifests against the schemas of Kubernetes' versions, strictly: a field that
is not in them is an error.

Usage: schemas.py FILE..."""

import sys

import kubernetes_validate
import yaml

VERSIONS = ["1.31", "1.34", "1.37"]
OTHERS = ("serving.kserve.io", "cert-manager.io", "monitoring.coreos.com")

checked = failed = 0
for path in sys.argv[1:]:
    with open(path) as file:
        documents = [one for one in yaml.safe_load_all(file) if one]
    for document in documents:
        if document["apiVersion"].startswith(OTHERS):
            continue
        for version in VERSIONS:
            checked += 1
            try:
                kubernetes_validate.validate(document, version, strict=True)
            except kubernetes_validate.ValidationError as error:
                failed += 1
                print(f"{path}: {document['kind']}, {version}: {error.message} at "
                      f"{'.'.join(str(one) for one in error.path)}")
print(f"{checked} checks, {failed} failed")
sys.exit(failed > 0 or checked == 0)
