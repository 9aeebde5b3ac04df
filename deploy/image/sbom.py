"""The software bill of materials of an image: SPDX 2.3, as JSON."""
import datetime
import hashlib
import json
import re

NONE = "NOASSERTION"
LIBMICROHTTPD = "LGPL-2.1-or-later OR (GPL-2.0-or-later WITH eCos-exception-2.0)"


def identifier(name):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name)


def package(name, version, licence=NONE, **more):
    return {"SPDXID": identifier(name), "name": name, "versionInfo": version,
            "downloadLocation": NONE, "filesAnalyzed": False,
            "licenseConcluded": NONE, "licenseDeclared": licence,
            "copyrightText": NONE, **more}


def purl(text):
    return [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
             "referenceLocator": text}]


def quoted(version):
    return version.replace("+", "%2B").replace(":", "%3A").replace("~", "%7E")


def of_debian(one, release, prefix=""):
    return package(
        prefix + one.name, one.version, supplier=f"Person: {one.maintainer}",
        sourceInfo=f"built from Debian's source package {one.source} "
                   f"{one.source_version}",
        licenseComments=f"/usr/share/doc/{one.name}/copyright",
        externalRefs=purl(f"pkg:deb/debian/{one.name}@{quoted(one.version)}"
                          f"?arch={one.architecture}&distro={release}"))


def of_flipd(version, revision, architecture, program):
    return package("flipd", version, "Apache-2.0", primaryPackagePurpose="APPLICATION",
                   sourceInfo=f"commit {revision}",
                   checksums=[{"algorithm": "SHA256", "checksumValue": program}],
                   licenseComments="/usr/share/doc/flipd/LICENSE",
                   externalRefs=purl(f"pkg:generic/flipd@{version}?arch={architecture}"))


def of_linked(one):
    return package(one.name, one.version, LIBMICROHTTPD, packageFileName=one.file,
                   checksums=[{"algorithm": "SHA256", "checksumValue": one.sha256}],
                   licenseComments=f"/usr/share/doc/{one.name}/copyright",
                   externalRefs=purl(f"pkg:generic/{one.name}@{one.version}"
                                     f"?checksum=sha256:{one.sha256}"))


def relate(one, kind, other):
    return {"spdxElementId": one["SPDXID"], "relationshipType": kind,
            "relatedSpdxElement": other["SPDXID"]}


def document(name, release, flipd, contained, linked, built_by, epoch):
    """`flipd` is of_flipd()'s; the others are of packages.py."""
    linked = of_linked(linked)
    inside = [of_debian(one, release) for one in contained]
    tools = [of_debian(one, release, "build:") for one in built_by]
    image = package(name, flipd["versionInfo"], primaryPackagePurpose="CONTAINER")
    relations = [relate(image, "CONTAINS", flipd), relate(flipd, "STATIC_LINK", linked)]
    relations += [relate(image, "CONTAINS", one) for one in inside]
    relations += [relate(one, "BUILD_TOOL_OF", flipd) for one in tools]
    packages = [image, flipd, linked, *inside, *tools]
    digest = hashlib.sha256(json.dumps(packages).encode()).hexdigest()
    created = datetime.datetime.fromtimestamp(epoch, datetime.timezone.utc)
    return {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT", "name": name,
        "documentNamespace": f"urn:flipd:{name}:{digest}",
        "creationInfo": {"created": created.strftime("%Y-%m-%dT%H:%M:%SZ"),
                         "creators": ["Tool: flipd-deploy-image"]},
        "documentDescribes": [image["SPDXID"]],
        "packages": packages, "relationships": relations}
