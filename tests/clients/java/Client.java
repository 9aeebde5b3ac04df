// The JDK's HttpClient: with its default, HTTP/2, which on a plain connection
// sends "Upgrade: h2c", and with HTTP/1.1. JSON, bytes, both ways, at once,
// compressed, in chunks.
// Usage: java Client.java ADDRESS [https]
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

public class Client {
    static final String MODEL = "/v2/models/openvino.ReverseSequence";
    static final int ROWS = 3, COLUMNS = 4;
    static final long[] LENS = {4, 0, 3};
    static String url;
    static int checks, failures;

    final HttpClient http;
    final String name;

    Client(HttpClient.Version version) {
        var builder = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(10));
        http = (version == null ? builder : builder.version(version)).build();
        name = version == null ? "with h2c offered" : version.toString();
    }

    void equal(String what, Object expected, Object got) {
        checks++;
        if (!expected.equals(got)) {
            failures++;
            System.out.println("  FAILED: " + name + ": " + what + ": expected <" + expected
                    + ">, got <" + got + ">");
        }
    }

    HttpResponse<byte[]> send(String method, String path, BodyPublisher body, String... headers)
            throws Exception {
        var request = HttpRequest.newBuilder(URI.create(url + path)).method(method, body)
                .timeout(Duration.ofSeconds(30));
        if (headers.length > 0)
            request.headers(headers);
        var reply = http.send(request.build(), BodyHandlers.ofByteArray());
        equal("version", HttpClient.Version.HTTP_1_1, reply.version());
        return reply;
    }

    static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /** The numbers of the first "data" list of a reply. */
    static List<Double> data(String json) {
        Matcher m = Pattern.compile("\"data\":\\[([^\\]]*)\\]").matcher(json);
        if (!m.find())
            return List.of();
        return Arrays.stream(m.group(1).split(",")).map(Double::valueOf)
                .collect(Collectors.toList());
    }

    /** The oracle: each row up to its length in reverse order. */
    static List<Double> want(double add) {
        List<Double> y = new ArrayList<>();
        for (int i = 0; i < ROWS; i++)
            for (int j = 0; j < COLUMNS; j++) {
                int from = j < LENS[i] ? (int) LENS[i] - 1 - j : j;
                y.add(add + i * COLUMNS + from);
            }
        return y;
    }

    static String question(String datatype, String input, String more) {
        return "{\"inputs\":[{\"name\":\"data\",\"datatype\":\"" + datatype
                + "\",\"shape\":[3,4]," + input + "},{\"name\":\"seq_lengths\",\"datatype\":"
                + "\"INT64\",\"shape\":[3],\"data\":[4,0,3]}]" + more + "}";
    }

    static String numbers(int add) {
        List<String> all = new ArrayList<>();
        for (int i = 0; i < ROWS * COLUMNS; i++)
            all.add(String.valueOf(i + add));
        return "\"data\":[" + String.join(",", all) + "]";
    }

    static int width(String datatype) {
        return Integer.parseInt(datatype.replaceAll("\\D", "")) / 8;
    }

    static byte[] pack(String datatype) {
        ByteBuffer b = ByteBuffer.allocate(ROWS * COLUMNS * width(datatype))
                .order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < ROWS * COLUMNS; i++)
            switch (datatype) {
                case "FP32" -> b.putFloat(i);
                case "FP64" -> b.putDouble(i);
                case "INT8", "UINT8" -> b.put((byte) i);
                case "INT16", "UINT16" -> b.putShort((short) i);
                case "INT32", "UINT32" -> b.putInt(i);
                default -> b.putLong(i);
            }
        return b.array();
    }

    static List<Double> unpack(String datatype, byte[] bytes) {
        ByteBuffer b = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        List<Double> y = new ArrayList<>();
        while (b.hasRemaining())
            y.add(switch (datatype) {
                case "FP32" -> (double) b.getFloat();
                case "FP64" -> b.getDouble();
                case "INT8", "UINT8" -> (double) b.get();
                case "INT16", "UINT16" -> (double) b.getShort();
                case "INT32", "UINT32" -> (double) b.getInt();
                default -> (double) b.getLong();
            });
        return y;
    }

    void everyType() throws Exception {
        for (String datatype : List.of("FP32", "FP64", "INT8", "UINT8", "INT16", "UINT16",
                "INT32", "UINT32", "INT64", "UINT64"))
            for (boolean in : new boolean[] {true, false})
                for (boolean out : new boolean[] {true, false})
                    everyForm(datatype, in, out);
    }

    void everyForm(String datatype, boolean in, boolean out) throws Exception {
        byte[] x = pack(datatype);
        byte[] head = question(datatype,
                in ? "\"parameters\":{\"binary_data_size\":" + x.length + "}" : numbers(0),
                ",\"outputs\":[{\"name\":\"output\",\"parameters\":{\"binary_data\":" + out + "}}]")
                .getBytes(StandardCharsets.UTF_8);
        var body = in ? BodyPublishers.ofByteArrays(List.of(head, x))
                : BodyPublishers.ofByteArray(head);
        // Like Triton's C++ client: the length is sent with JSON alone too.
        var reply = send("POST", MODEL + "/infer", body, "Inference-Header-Content-Length",
                String.valueOf(head.length));
        String what = datatype + " " + in + " " + out;
        equal(what + text(reply.body()), 200, reply.statusCode());
        if (!out) {
            equal(what, want(0), data(text(reply.body())));
            return;
        }
        int size = Integer.parseInt(
                reply.headers().firstValue("Inference-Header-Content-Length").orElse("0"));
        equal(what + ": size", size + x.length, reply.body().length);
        equal(what, want(0),
                unpack(datatype, Arrays.copyOfRange(reply.body(), size, reply.body().length)));
    }

    void codings() throws Exception {
        var packed = new ByteArrayOutputStream();
        try (var gzip = new GZIPOutputStream(packed)) {
            gzip.write(question("INT32", numbers(0), "").getBytes(StandardCharsets.UTF_8));
        }
        var reply = send("POST", MODEL + "/infer", BodyPublishers.ofByteArray(packed.toByteArray()),
                "Content-Encoding", "gzip");
        equal("gzip", want(0), data(text(reply.body())));
        // A body that is large enough to be worth a coding.
        String zeros = "0,".repeat(9999) + "0";
        String wide = "{\"inputs\":[{\"name\":\"data\",\"datatype\":\"INT32\",\"shape\":[1,10000],"
                + "\"data\":[" + zeros + "]},{\"name\":\"seq_lengths\",\"datatype\":\"INT64\","
                + "\"shape\":[1],\"data\":[10000]}]}";
        reply = send("POST", MODEL + "/infer", BodyPublishers.ofString(wide), "Accept-Encoding",
                "gzip");
        equal("the answer's coding", "gzip",
                reply.headers().firstValue("Content-Encoding").orElse("none"));
        try (var plain = new GZIPInputStream(new ByteArrayInputStream(reply.body()))) {
            equal("gzip back", true, text(plain.readAllBytes()).contains("[" + zeros + "]"));
        }
    }

    void chunksAndFutures() throws Exception {
        byte[] body = question("INT32", numbers(0), "").getBytes(StandardCharsets.UTF_8);
        var reply = send("POST", MODEL + "/infer",
                BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(body)));
        equal("chunks", want(0), data(text(reply.body())));
        List<CompletableFuture<HttpResponse<String>>> all = new ArrayList<>();
        for (int i = 0; i < 64; i++)
            all.add(http.sendAsync(HttpRequest.newBuilder(URI.create(url + MODEL + "/infer"))
                    .POST(BodyPublishers.ofString(
                            question("INT32", numbers(i), ",\"id\":\"" + i + "\"")))
                    .build(), BodyHandlers.ofString()));
        for (int i = 0; i < 64; i++) {
            String got = all.get(i).join().body();
            equal("future " + i, want(i), data(got));
            equal("its id", true, got.contains("\"id\":\"" + i + "\""));
        }
    }

    void parameters() throws Exception {
        String own = "{\"content_type\":\"np\",\"test-param\":1}";
        var reply = send("POST", MODEL + "/infer", BodyPublishers.ofString(question("INT32",
                numbers(0) + ",\"parameters\":" + own, ",\"parameters\":" + own)));
        equal("keys of one's own", want(0), data(text(reply.body())));
        for (var wrong : Map.of("seq_axes", "seq_axes", "time_axis", "time_axis",
                "triton_x", "triton_x").entrySet()) {
            reply = send("POST", MODEL + "/infer", BodyPublishers.ofString(question("INT32",
                    numbers(0), ",\"parameters\":{\"" + wrong.getKey() + "\":1}")));
            equal(wrong.getKey(), 400, reply.statusCode());
            equal(text(reply.body()), true, text(reply.body()).contains(wrong.getValue()));
        }
    }

    void routes() throws Exception {
        var none = BodyPublishers.noBody();
        equal("live", "{\"live\":true}", text(send("GET", "/v2/health/live", none).body()));
        equal("ready", "{\"ready\":true}", text(send("GET", "/v2/health/ready", none).body()));
        equal("model", "{\"name\":\"flip\",\"ready\":true}",
                text(send("GET", "/v2/models/flip/ready", none).body()));
        equal("HEAD", 0, send("HEAD", "/v2/models/flip", none).body().length);
        equal("index without a body", true,
                text(send("POST", "/v2/repository/index", none).body()).contains("\"flip\""));
        var reply = send("GET", "/v2/models/none", none);
        equal("status", 404, reply.statusCode());
        equal("type", "application/json",
                reply.headers().firstValue("Content-Type").orElse("none"));
        equal(text(reply.body()), true,
                text(reply.body()).startsWith("{\"error\":\"Request for unknown model: 'none' "));
        reply = send("PUT", MODEL + "/infer", none);
        equal("method", List.of(405, "POST"),
                List.of(reply.statusCode(), reply.headers().firstValue("Allow").orElse("none")));
    }

    public static void main(String[] arguments) throws Exception {
        url = (arguments.length > 1 ? arguments[1] : "http") + "://" + arguments[0];
        for (var version : new HttpClient.Version[] {null, HttpClient.Version.HTTP_1_1}) {
            var client = new Client(version);
            client.everyType();
            client.codings();
            client.chunksAndFutures();
            client.parameters();
            client.routes();
        }
        System.out.println("  " + checks + " checks, " + failures + " failed");
        System.exit(failures > 0 ? 1 : 0);
    }
}
