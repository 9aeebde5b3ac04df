"""Forms of panels, and of the queries in them, in the words of Grafana's
dashboards. dashboard.py has the panels themselves."""

SOURCE = {"type": "prometheus", "uid": "${datasource}"}
SELECT = 'job=~"$job", instance=~"$instance"'
WIDTH = 24  # of Grafana's grid
RED, ORANGE, GREEN = "red", "orange", "green"
LATEST = {"calcs": ["lastNotNull"], "fields": "", "values": False}


def series(name, more=""):
    """Those that the dashboard's variables choose."""
    return f"{name}{{{SELECT}{', ' + more if more else ''}}}"


def rate(name, more=""):
    return f"rate({series(name, more)}[$__rate_interval])"


def total(name, by="", more=""):
    """The rate of a counter, summed over all replicas or by labels."""
    return f"sum{f' by ({by})' if by else ''} ({rate(name, more)})"


def quantile(part, name, by="", more=""):
    labels = ", ".join(filter(None, [by, "le"]))
    return f"histogram_quantile({part}, {total(name + '_bucket', labels, more)})"


def of_limit(value, limit, option):
    """A gauge divided by its limit, by replica."""
    return f"{series(value)} / on (job, instance) {series(limit, option)}"


def target(expr, legend="", **more):
    return {"datasource": SOURCE, "expr": expr, "legendFormat": legend or "__auto",
            "editorMode": "code", "range": True, **more}


def instant(expr, legend=""):
    return target(expr, legend, instant=True, range=False)


def table_of(expr):
    return {**instant(expr), "format": "table"}


def thresholds(*steps):
    """Colours from a value on; the first holds below all others."""
    return {"mode": "absolute",
            "steps": [{"color": color, "value": value} for value, color in steps]}


def panel(kind, title, description, unit, targets, width=8, height=8,
          steps=((None, GREEN),), options=None, custom=None, **defaults):
    for letter, one in zip("ABCDEFGH", targets):
        one["refId"] = letter
    return {
        "type": kind, "title": title, "description": description,
        "datasource": SOURCE, "targets": targets, "options": options or {},
        "fieldConfig": {
            "defaults": {"unit": unit, "thresholds": thresholds(*steps),
                         "custom": custom or {}, **defaults},
            "overrides": [],
        },
        "gridPos": {"w": width, "h": height},
    }


def stat(title, description, unit, expr, steps=((None, GREEN),), **defaults):
    """One figure, with its course behind it."""
    return panel("stat", title, description, unit, [target(expr)], 4, 4, steps,
                 {"colorMode": "value", "graphMode": "area", "textMode": "auto",
                  "justifyMode": "auto", "orientation": "auto", "wideLayout": True,
                  "showPercentChange": False, "percentChangeColorMode": "standard",
                  "reduceOptions": LATEST}, **defaults)


def graph(title, description, unit, *targets, stack=False, steps=None, **more):
    """Lines over time; `steps` draws thresholds as dashed lines."""
    custom = {"drawStyle": "line", "lineWidth": 1, "showPoints": "never",
              "fillOpacity": 30 if stack else 8,
              "stacking": {"group": "A", "mode": "normal" if stack else "none"},
              "thresholdsStyle": {"mode": "dashed" if steps else "off"}}
    options = {"legend": {"displayMode": "table", "placement": "bottom",
                          "showLegend": True, "calcs": ["mean", "max"]},
               "tooltip": {"mode": "multi", "sort": "desc"}}
    more.setdefault("min", 0)
    return panel("timeseries", title, description, unit, list(targets),
                 options=options, custom=custom,
                 steps=steps or ((None, GREEN),), **more)


def heatmap(title, description, unit, expr):
    one = {**target(expr, "{{le}}"), "format": "heatmap"}
    options = {"calculate": False, "cellGap": 1, "showValue": "never",
               "color": {"mode": "scheme", "scheme": "Oranges", "steps": 64,
                         "exponent": 0.5, "fill": "dark-orange",
                         "reverse": False, "scale": "exponential"},
               "yAxis": {"axisPlacement": "left", "unit": unit},
               "rowsFrame": {"layout": "auto"},
               "filterValues": {"le": 1e-9},
               # Grafana's own value, which its types do not let anybody leave out.
               "exemplars": {"color": "rgba(255,0,255,0.7)"},
               "legend": {"show": True},
               "tooltip": {"mode": "single", "yHistogram": False,
                           "showColorScale": False}}
    return panel("heatmap", title, description, unit, [one], options=options,
                 custom={"scaleDistribution": {"type": "linear"}})


def bars(title, description, unit, expr, legend, **defaults):
    """A bar for each series, as it is now."""
    return panel("bargauge", title, description, unit, [instant(expr, legend)],
                 options={"displayMode": "basic", "orientation": "horizontal",
                          "valueMode": "color", "namePlacement": "auto",
                          "showUnfilled": True, "sizing": "auto", "minVizWidth": 8,
                          "minVizHeight": 16, "maxVizHeight": 300,
                          "legend": {"showLegend": False, "displayMode": "list",
                                     "placement": "bottom", "calcs": []},
                          "reduceOptions": LATEST}, **defaults)


def table(title, description, unit, expr, columns, width=12, **defaults):
    """One line a series; `columns` names the labels and the value to show."""
    shown = panel("table", title, description, unit, [table_of(expr)], width,
                  options={"showHeader": True, "cellHeight": "sm", "frameIndex": 0},
                  custom={"align": "auto", "inspect": False,
                          "cellOptions": {"type": "auto"}}, **defaults)
    shown["transformations"] = [
        {"id": "organize", "options": {
            "excludeByName": {"Time": True, "__name__": True, "job": True,
                              **{name: True for name in columns
                                 if columns[name] is None}},
            "indexByName": {name: at for at, name in enumerate(columns)},
            "renameByName": {name: text for name, text in columns.items()
                             if text}}}]
    return shown


def placed(rows):
    """The panels of (title, function) pairs, each with its number and its place:
    from left to right, below the title of their row."""
    panels, y = [], 0
    for title, make in rows:
        panels.append({"type": "row", "title": title, "collapsed": False,
                       "panels": [],
                       "gridPos": {"x": 0, "y": y, "w": WIDTH, "h": 1}})
        x, y, height = 0, y + 1, 0
        for one in make():
            place = one["gridPos"]
            if x + place["w"] > WIDTH:
                x, y, height = 0, y + height, 0
            place.update(x=x, y=y)
            x, height = x + place["w"], max(height, place["h"])
            panels.append(one)
        y += height
    for number, one in enumerate(panels, 1):
        one["id"] = number
    return panels


def variable(name, label, metric):
    return {"type": "query", "name": name, "label": label, "datasource": SOURCE,
            "query": {"query": f"label_values({metric}, {name})",
                      "refId": "PrometheusVariableQueryEditor-VariableQuery"},
            "definition": f"label_values({metric}, {name})",
            "refresh": 2, "sort": 1, "multi": True, "includeAll": True,
            "allValue": ".+", "hide": 0, "skipUrlSync": False,
            "current": {"selected": True, "text": ["All"], "value": ["$__all"]}}
