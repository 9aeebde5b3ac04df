/* A .npy file, or a picture as one, in the place of the JSON. */

let file = null; // { name, bytes, array, picture }: what is sent instead of the text

const NPY_TYPES = { b1: "BOOL", i1: "INT8", i2: "INT16", i4: "INT32", i8: "INT64", u1: "UINT8",
  u2: "UINT16", u4: "UINT32", u8: "UINT64", f2: "FP16", f4: "FP32", f8: "FP64", c8: "COMPLEX64", c16: "COMPLEX128" };

/* The value of one element as text; null for a type that is not drawn. */
function npy_reader(kind, view, little) {
  const half = (bits) => {
    const e = bits >> 10 & 31, m = (bits & 1023) / 1024;
    return (bits >> 15 ? -1 : 1) * (e === 31 ? (m ? NaN : Infinity) : e ? 2 ** (e - 15) * (1 + m) : 2 ** -14 * m);
  };
  const single = (x) => String(Number(x.toPrecision(7)));
  return {
    b1: (at) => String(view.getUint8(at) !== 0), i1: (at) => view.getInt8(at), u1: (at) => view.getUint8(at),
    i2: (at) => view.getInt16(at, little), u2: (at) => view.getUint16(at, little),
    i4: (at) => view.getInt32(at, little), u4: (at) => view.getUint32(at, little),
    i8: (at) => view.getBigInt64(at, little), u8: (at) => view.getBigUint64(at, little),
    f2: (at) => single(half(view.getUint16(at, little))),
    f4: (at) => single(view.getFloat32(at, little)), f8: (at) => view.getFloat64(at, little),
    c8: (at) => `${single(view.getFloat32(at, little))}, ${single(view.getFloat32(at + 4, little))}`,
    c16: (at) => `${view.getFloat64(at, little)}, ${view.getFloat64(at + 8, little)}`,
  }[kind];
}

/* Where a file in Fortran order has the element i of the tensor. */
const fortran_index = (i, shape) => coordinates(i, shape).reduceRight((at, c, axis) => at * shape[axis] + c, 0);

/* Where the elements of a .npy file begin. */
function npy_data(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return bytes[6] === 1 ? 10 + view.getUint16(8, true) : 12 + view.getUint32(8, true);
}

/* The tensor of a .npy file; its elements only where all of them are drawn. */
function read_npy(bytes, name) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 10 || new TextDecoder("latin1").decode(bytes.slice(1, 6)) !== "NUMPY")
    throw new Error("this is no .npy file");
  const data = npy_data(bytes);
  const head = new TextDecoder("latin1").decode(bytes.slice(10, data));
  const [, order, kind] = /'descr': '([<>|=])(\w+)'/.exec(head) || [];
  const [, list] = /'shape': \(([^)]*)\)/.exec(head) || [];
  if (!NPY_TYPES[kind] || list === undefined) throw new Error(`its type is not taken: ${head.trim()}`);
  const shape = list.split(",").map((d) => d.trim()).filter(Boolean).map(Number);
  const size = Number(kind.slice(1));
  const value = npy_reader(kind, view, order !== ">");
  const count = Math.min(product(shape), (bytes.length - data) / size);
  const at = /'fortran_order': True/.test(head) ? (i) => fortran_index(i, shape) : (i) => i;
  const cells = count > MOST.moved ? [] : range(count).map((i) => String(value(data + at(i) * size)));
  return { name, datatype: NPY_TYPES[kind], shape, cells, data };
}

function write_npy(pixels, shape) {
  const head = `{'descr': '|u1', 'fortran_order': False, 'shape': (${shape.join(", ")}), }`;
  const padded = head.padEnd(Math.ceil((head.length + 11) / 64) * 64 - 11) + "\n";
  const bytes = new Uint8Array(10 + padded.length + pixels.length);
  bytes.set([0x93, ...new TextEncoder().encode("NUMPY"), 1, 0, padded.length & 255, padded.length >> 8]);
  bytes.set(new TextEncoder().encode(padded), 10);
  bytes.set(pixels, 10 + padded.length);
  return bytes;
}

/* Red, green, blue and alpha as the last axis; large pictures made smaller. */
async function read_picture(blob) {
  const bitmap = await createImageBitmap(blob);
  const scale = Math.min(1, 640 / Math.max(bitmap.width, bitmap.height));
  const [width, height] = [bitmap.width, bitmap.height].map((d) => Math.max(1, Math.round(d * scale)));
  const canvas = el("canvas", { width, height }).getContext("2d");
  canvas.drawImage(bitmap, 0, 0, width, height);
  return write_npy(canvas.getImageData(0, 0, width, height).data, [height, width, 4]);
}

async function open_file(blob) {
  const picture = blob.type.startsWith("image/");
  try {
    const bytes = picture ? await read_picture(blob) : new Uint8Array(await blob.arrayBuffer());
    const array = read_npy(bytes, "");
    file = { name: blob.name.replace(/(\.[^.]*)?$/, ".npy"), bytes, array, picture };
    if (picture && operator(meta_now()) !== "openvino.Reverse") $("model").value = "openvino.Reverse";
    await load_model();
    $("form").requestSubmit();
  } catch (error) {
    refuse(`${blob.name} cannot be read: ${picture ? "the browser does not know this kind of picture" : error.message}.`);
  }
}

/* What can be done with a file of this shape: the control and the attributes. */
function file_examples(meta) {
  const { shape } = file.array;
  const rank = shape.length;
  if (meta.properties["attribute mode"]) {
    const mode = attribute(meta, "mode");
    const query = (...axes) => mode.fixed && mode.value === "mask"
      ? `axis=${shape.map((_, a) => axes.includes(a)).join(",")}`
      : `${mode.fixed ? "" : "mode=index&"}axis=${axes.join(",")}`;
    if (rank < 2) return [{ label: "The only axis", query: query(0) }];
    return [{ label: file.picture ? "Columns: left and right" : "Axis 1", query: query(1) },
      { label: file.picture ? "Rows: top and bottom" : "Axis 0", query: query(0) },
      { label: file.picture ? "Rows and columns" : "Axes 0 and 1", query: query(0, 1) }];
  }
  if (!meta.properties["attribute batch_axis"]) {
    const [{ label, control, parameters = {} }] = examples[operator(meta)];
    const given = Object.entries(parameters).filter(([name]) => !attribute(meta, name).fixed);
    return [{ label, query: [[meta.inputs[1].name, control.join(",")], ...given]
      .map((pair) => pair.join("=")).join("&") }];
  }
  const names = ["batch_axis", "time_axis", "seq_axis"].filter((n) => meta.properties[`attribute ${n}`]);
  const value = (name) => (attribute(meta, name).value + rank) % rank;
  const [batch, time] = names.map((name) => shape[value(name)]);
  const fixed = names.filter((name) => !attribute(meta, name).fixed)
    .map((name) => `&${name}=${attribute(meta, name).value}`).join("");
  const query = (of) => `${meta.inputs[1].name}=${range(batch).map(of).join(",")}${fixed}`;
  return [{ label: "Whole sequences", query: query(() => time) },
    { label: "Growing lengths", query: query((i) => Math.round(time * (i + 1) / batch)) }];
}

/* The request of file and query, as the JSON of one: without its data. */
function file_document(meta) {
  const query = new URLSearchParams($("query").value);
  const control = meta.inputs[1];
  const inputs = [{ name: meta.inputs[0].name, datatype: file.array.datatype, shape: file.array.shape }];
  const data = (query.get(control.name) || "").split(",").filter(Boolean)
    .map((v) => v === "true" || v === "false" ? v === "true" : Number(v));
  const bool = typeof data[0] === "boolean";
  if (query.has(control.name))
    inputs.push({ name: control.name, datatype: bool ? "BOOL" : "INT64", shape: [data.length], data });
  query.delete(control.name);
  const parameters = Object.fromEntries([...query].map(([k, v]) => [k, /^-?\d+$/.test(v) ? Number(v) : v]));
  return { parameters, inputs };
}

let links = [];
/* Links to save the result, and a picture's array too. */
function saving(bytes, t) {
  const link = (name, blob) => {
    links.push(URL.createObjectURL(blob));
    return el("a", { download: name, href: links.at(-1), textContent: `Save ${name}` });
  };
  links.splice(0).forEach((url) => URL.revokeObjectURL(url));
  const line = el("p", { className: "saving" }, link(`reversed-${file.name}`, new Blob([bytes])));
  if (t.picture) {
    line.append(" ", link(file.name, new Blob([file.bytes])));
    $("out").querySelector("canvas").toBlob((blob) => blob && line.append(" ", link(`reversed-${file.name.replace(/npy$/, "png")}`, blob)));
  }
  $("out").append(line);
}

/* The tensor of a .npy: of the request's, or of the reply's. */
function file_tensor(bytes, name) {
  const t = read_npy(bytes, name);
  if (file.picture) t.picture = bytes.slice(t.data);
  return t;
}
