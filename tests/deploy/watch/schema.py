"""dashboard.json as a program in TypeScript that compiles only if each field is one
that Grafana's types know, with a value that they allow.

Usage: tests/deploy/watch/schema.py >dashboard.ts
The types are those of the package @grafana/grafana-foundation-sdk, beside which the
program is compiled."""

import json
import os

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "../../.."))
SDK = "@grafana/grafana-foundation-sdk"

HEAD = f"""
import type * as board from "{SDK}/dashboard";
import type * as prometheus from "{SDK}/prometheus";
import type * as stat from "{SDK}/stat";
import type * as timeseries from "{SDK}/timeseries";
import type * as heatmap from "{SDK}/heatmap";
import type * as table from "{SDK}/table";
import type * as bargauge from "{SDK}/bargauge";
import type * as units from "{SDK}/units";

/* A type with the values of its enumerations in their place, as JSON has them. */
type Plain<T> = 0 extends 1 & T ? unknown
    : T extends string ? `${{T}}`
    : T extends number ? (`${{T}}` extends `${{infer N extends number}}` ? N : T)
    : T extends boolean | null | undefined ? T
    : T extends (infer U)[] ? Plain<U>[]
    : T extends object ? {{ [K in keyof T as K extends `_${{string}}` ? never : K]:
        Plain<T[K]> }}
    : T;
type Unit = (typeof units)[keyof typeof units];
type Form<Options, Custom> =
    Plain<Omit<board.Panel, "options" | "targets" | "fieldConfig">> & {{
        options: Plain<Options>;
        targets: Plain<prometheus.Dataquery>[];
        fieldConfig: {{
            defaults: Plain<Omit<board.FieldConfig, "custom" | "unit">> &
                {{ custom: Plain<Custom>; unit: Unit }};
            overrides: [];
        }};
    }};
type Page = Plain<Omit<board.Dashboard, "panels">>;
"""

FORMS = {
    "row": "Plain<board.RowPanel>",
    "stat": "Form<stat.Options, {}>",
    "timeseries": "Form<timeseries.Options, timeseries.FieldConfig>",
    "heatmap": "Form<heatmap.Options, heatmap.FieldConfig>",
    "table": "Form<table.Options, table.FieldConfig>",
    "bargauge": "Form<bargauge.Options, {}>",
}


def constant(name, form, value):
    print(f"export const {name}: {form} = {json.dumps(value, indent=1)};")


def main():
    with open(f"{ROOT}/deploy/watch/dashboard.json", encoding="utf-8") as file:
        page = json.load(file)
    panels = page.pop("panels")
    print(HEAD)
    constant("page", "Page", page)
    for panel in panels:
        constant(f"panel{panel['id']}", FORMS[panel["type"]], panel)


if __name__ == "__main__":
    main()
