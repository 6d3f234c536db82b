import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Speaks with a simulator of ScienceWorld in this process, for tests that compare it with another engine.
 *
 * <p>A request is a line with a JSON array of calls, each an array of strings: a method of the simulator's
 * interface and its arguments. The reply is a line with a JSON array of their results. There are five calls more:
 * {@code #version} (of the simulator), {@code #generator} (the state of the random generator), {@code #counter}
 * (the last object number), {@code #fresh} (a new interface object) and {@code #memory} (bytes in use). A call that
 * throws has the result {@code {"error": text}}; the calls after it are made all the same.
 */
public final class Driver {
    private static final String INTERFACE = "scienceworld.runtime.pythonapi.PythonInterface";

    private final Map<String, Method> methods = new HashMap<>();
    private Object simulator;

    public static void main(String[] args) throws Exception {
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        System.setOut(new Silence());
        new Driver().serve(new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)), out);
    }

    private Driver() throws ReflectiveOperationException {
        fresh();
        for (Method m : simulator.getClass().getMethods()) {
            methods.put(m.getName() + "/" + m.getParameterCount(), m);
        }
    }

    private void fresh() throws ReflectiveOperationException {
        simulator = Class.forName(INTERFACE).getConstructor().newInstance();
    }

    private void serve(BufferedReader in, PrintStream out) throws IOException {
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            StringBuilder reply = new StringBuilder("[");
            for (List<String> call : new Parser(line).calls()) {
                if (reply.length() > 1) {
                    reply.append(',');
                }
                write(reply, result(call));
            }
            out.print(reply.append("]\n"));
            if (!in.ready()) {
                out.flush();
            }
        }
        out.flush();
    }

    private Object result(List<String> call) {
        try {
            switch (call.get(0)) {
                case "#version":
                    return simulator.getClass().getPackage().getSpecificationVersion();
                case "#generator":
                    return Long.toString(generator());
                case "#counter":
                    return counter();
                case "#memory":
                    System.gc();
                    return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
                case "#fresh":
                    fresh();
                    return "";
                default:
                    return invoke(call);
            }
        } catch (InvocationTargetException e) {
            return e.getTargetException();
        } catch (ReflectiveOperationException | RuntimeException e) {
            return e;
        }
    }

    private Object invoke(List<String> call) throws ReflectiveOperationException {
        Method m = methods.get(call.get(0) + "/" + (call.size() - 1));
        if (m == null) {
            throw new NoSuchMethodException(call.get(0));
        }
        Object[] args = new Object[call.size() - 1];
        for (int i = 0; i < args.length; i++) {
            String arg = call.get(i + 1);
            Class<?> type = m.getParameterTypes()[i];
            args[i] = type == int.class ? Integer.valueOf(arg) : type == boolean.class ? Boolean.valueOf(arg) : arg;
        }
        return m.invoke(simulator, args);
    }

    /** The 48 bits of the simulator's global generator. */
    private static long generator() throws ReflectiveOperationException {
        Object scala = Class.forName("scala.util.Random$").getField("MODULE$").get(null);
        Field self = Class.forName("scala.util.Random").getDeclaredField("self");
        self.setAccessible(true);
        Field seed = Random.class.getDeclaredField("seed");
        seed.setAccessible(true);
        return ((AtomicLong) seed.get(self.get(scala))).get();
    }

    private static Object counter() throws ReflectiveOperationException {
        return Class.forName("util.UniqueIdentifier").getMethod("count").invoke(null);
    }

    private static void write(StringBuilder out, Object v) {
        if (v == null || v instanceof Number || v instanceof Boolean) {
            out.append(v);
        } else if (v instanceof Throwable) {
            out.append("{\"error\":");
            quote(out, v.toString());
            out.append('}');
        } else if (v instanceof Iterable) {
            out.append('[');
            String comma = "";
            for (Object item : (Iterable<?>) v) {
                out.append(comma);
                write(out, item);
                comma = ",";
            }
            out.append(']');
        } else {
            quote(out, v.toString());
        }
    }

    private static void quote(StringBuilder out, String s) {
        out.append('"');
        for (int i = 0; i < s.length(); i++) {
            char c = s.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < 0x20 || c >= 0x7f) {
                out.append(String.format("\\u%04x", (int) c));
            } else {
                out.append(c);
            }
        }
        out.append('"');
    }

    /** Drops what the simulator prints, which is much, before it is made text. */
    private static final class Silence extends PrintStream {
        Silence() {
            super(OutputStream.nullOutputStream());
        }

        @Override
        public void print(Object o) {}

        @Override
        public void print(String s) {}

        @Override
        public void println(Object o) {}

        @Override
        public void println(String s) {}

        @Override
        public void println() {}
    }

    /** Reads arrays of arrays of strings. */
    private static final class Parser {
        private final String text;
        private int at;

        Parser(String text) {
            this.text = text;
        }

        List<List<String>> calls() {
            List<List<String>> calls = new ArrayList<>();
            expect('[');
            while (next() != ']') {
                if (!calls.isEmpty()) {
                    expect(',');
                }
                calls.add(strings());
            }
            return calls;
        }

        private List<String> strings() {
            List<String> strings = new ArrayList<>();
            expect('[');
            while (next() != ']') {
                if (!strings.isEmpty()) {
                    expect(',');
                }
                strings.add(string());
            }
            at++;
            return strings;
        }

        private String string() {
            StringBuilder s = new StringBuilder();
            expect('"');
            while (text.charAt(at) != '"') {
                char c = text.charAt(at++);
                s.append(c == '\\' ? escaped() : c);
            }
            at++;
            return s.toString();
        }

        private char escaped() {
            char c = text.charAt(at++);
            switch (c) {
                case 'b':
                    return '\b';
                case 'f':
                    return '\f';
                case 'n':
                    return '\n';
                case 'r':
                    return '\r';
                case 't':
                    return '\t';
                case 'u':
                    at += 4;
                    return (char) Integer.parseInt(text.substring(at - 4, at), 16);
                default:
                    return c;
            }
        }

        /** The next character that is no space. */
        private char next() {
            while (text.charAt(at) == ' ') {
                at++;
            }
            return text.charAt(at);
        }

        private void expect(char c) {
            if (next() != c) {
                throw new IllegalArgumentException("want " + c + " at " + at + " of " + text);
            }
            at++;
        }
    }
}
