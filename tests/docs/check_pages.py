"""What the pages must name, and where their links lead.

README.md has at most 175 lines beside the row of each model. Each relative link of README.md,
CONTRIBUTING.md, CHANGELOG.md, SECURITY.md, docs/, deploy/ and tests/ leads to a file, and its #part
to a heading of it. The version is the same in CMakeLists.txt, openapi.yaml, flipd(8), the daemon and the
first heading of CHANGELOG.md, and has its notes in docs/releases/. docs/operators.md has a row for each model, and README.md too; docs/protocol.md
a row for each path of openapi.yaml, and the schema of the chart's values each operator.

Usage: check_pages.py DAEMON"""
import glob
import json
import os
import re
import subprocess
import sys

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "../.."))
sys.path.append(f"{ROOT}/tests/integration/lib")
import wire  # noqa: E402
from daemon import Daemon  # noqa: E402

LONGEST = 175  # lines of README.md, beside the row of each model
LINK = re.compile(r"\]\(([^)\s]+)\)")
wrong = []


def text(name):
    with open(f"{ROOT}/{name}", encoding="utf-8") as file:
        return file.read()


def without_code(page):
    return re.sub(r"^```.*?^```$", "", page, flags=re.M | re.S)


def anchors(page):
    """The names that GitHub gives to headings."""
    names = set()
    for heading in re.findall(r"^#+ (.*)$", without_code(page), re.M):
        name = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        names.add(name)
    return names


def check_links(name):
    for link in LINK.findall(without_code(text(name))):
        path, _, part = link.partition("#")
        if re.match(r"[a-z]+:", link):
            continue
        target = os.path.normpath(
            os.path.join(os.path.dirname(name), path)) if path else name
        if not os.path.exists(f"{ROOT}/{target}"):
            wrong.append(f"{name}: {link}: there is no {target}")
        elif part and part not in anchors(text(target)):
            wrong.append(f"{name}: {link}: {target} has no such heading")


def models(daemon):
    """The names that a daemon gives."""
    with Daemon(daemon):
        return wire.ask("GET", "/v2/models").json()["models"]


def check_version(daemon):
    version = re.search(r"^project\(flipd VERSION (\S+)", text("CMakeLists.txt"),
                        re.M)[1]
    said = subprocess.run([daemon, "--version"], capture_output=True, check=True,
                          text=True).stdout.strip()
    found = {
        "the daemon": said,
        "CHANGELOG.md": re.search(r"^## (\d\S*)", text("CHANGELOG.md"), re.M)[1],
        "openapi.yaml": re.search(r"^  version: (\S+)",
                                  text("api/routes/openapi.yaml"), re.M)[1],
        "deploy/flipd.8": re.search(r'^\.TH .*"(.*)"$', text("deploy/flipd.8"),
                                    re.M)[1],
    }
    wrong.extend(f"{where}: {one}, but CMakeLists.txt has {version}"
                 for where, one in found.items()
                 if one not in (version, f"flipd {version}"))
    if not os.path.exists(f"{ROOT}/docs/releases/v{version}.md"):
        wrong.append(f"docs/releases/v{version}.md is missing")


def check_rows(name, row, wanted):
    page = text(name)
    wrong.extend(f"{name}: no row for {one}" for one in wanted
                 if not re.search(row.format(re.escape(one)), page, re.M))


def check_chart(wanted):
    name = "deploy/kubernetes/chart/values.schema.json"
    model = json.loads(text(name))["properties"]["models"]["items"]
    known = model["properties"]["op"]["enum"]
    if sorted(known) != sorted(wanted):
        wrong.append(f"{name}: op is one of {sorted(known)}, but the daemon has "
                     f"{sorted(wanted)}")


def paths():
    """Those of the contract, but versions and CUDA, which the page has as one."""
    found = re.findall(r"^  (/[^:]*):$", text("api/routes/openapi.yaml"), re.M)
    return [path for path in found if "{version}" not in path and
            "cudasharedmemory" not in path and path != "/v2/"]


def main():
    pages = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"]
    pages += sorted(os.path.relpath(path, ROOT) for folder in ("docs", "deploy", "tests")
                    for path in glob.glob(f"{ROOT}/{folder}/**/*.md",
                                          recursive=True))
    for name in pages:
        check_links(name)
    check_version(sys.argv[1])
    names = models(sys.argv[1])
    lines = text("README.md").count("\n") - len(names)
    if lines > LONGEST:
        wrong.append(f"README.md has {lines} lines beside the models, more than {LONGEST}")
    check_rows("docs/operators.md", r"^\| `{}` \|", names)
    check_rows("README.md", r"^\| `{}` \|", names)
    check_chart(names)
    check_rows("docs/protocol.md", r"^\|.*`{}`.*\|", paths())
    for one in wrong:
        print(one)
    print(f"{len(pages)} pages, {len(wrong)} faults")
    return len(wrong) > 0


if __name__ == "__main__":
    sys.exit(main())
