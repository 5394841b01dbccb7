import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.http.AsyncBody;
import io.fabric8.kubernetes.client.http.BasicBuilder;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import io.fabric8.kubernetes.client.http.Interceptor;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Keeps the ConfigMaps of a namespace in memory by fabric8's informers, through whatever breaks: Follow NAMESPACE SELECTOR. Reads a word a line from standard
 * input ("state", "end") and answers each with a line of JSON, as the Go program does.
 */
public class Follow {
  public static void main(String[] args) throws Exception {
    String namespace = args[0];
    String[] selector = args[1].split("=");
    Follower[] followers = {new Follower("informer", namespace, null), new Follower("selected", namespace, selector)};
    for (Follower follower : followers) {
      while (!follower.informer.hasSynced()) Thread.sleep(20);
    }
    tell(Map.of("ready", followers.length));
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
    for (String line = lines.readLine(); line != null && !line.equals("end"); line = lines.readLine()) {
      Map<String, Object> states = new TreeMap<>();
      for (Follower follower : followers) states.put(follower.name, follower.state());
      tell(states);
    }
    for (Follower follower : followers) follower.close();
    int left = 0;
    for (Follower follower : followers) if (follower.informer.isRunning() || follower.informer.isWatching()) left++;
    tell(Map.of("left", left));
    System.exit(0);
  }

  static void tell(Object answer) {
    System.out.println(Serialization.asJson(answer).replace("\n", ""));
    System.out.flush();
  }

  /** One informer with a client of its own, so that its requests are counted apart. */
  static class Follower implements ResourceEventHandler<ConfigMap>, Interceptor {
    final String name;
    final KubernetesClient client;
    final SharedIndexInformer<ConfigMap> informer;
    private final Map<String, Long> last = new HashMap<>();
    private final Map<String, Boolean> present = new HashMap<>();
    private final List<String> faults = new ArrayList<>();
    private final Map<String, Integer> refused = new TreeMap<>();
    private int lists;
    private int watches;

    Follower(String name, String namespace, String[] selector) {
      this.name = name;
      client = new KubernetesClientBuilder().withHttpClientBuilderConsumer(builder -> builder.addOrReplaceInterceptor("count", this)).build();
      var all = client.configMaps().inNamespace(namespace);
      informer = selector == null ? all.runnableInformer(0) : all.withLabel(selector[0], selector[1]).runnableInformer(0);
      // Whatever happens, it goes on.
      informer.exceptionHandler((started, error) -> true).addEventHandler(this).start();
    }

    @Override
    public synchronized void after(HttpRequest request, HttpResponse<?> response, AsyncBody.Consumer<List<java.nio.ByteBuffer>> consumer) {
      String query = String.valueOf(request.uri().getQuery());
      if (response.code() >= 400) refused.merge(String.valueOf(response.code()), 1, Integer::sum);
      else if (!query.contains("watch=true")) lists++;
    }

    /** WebSockets are told of here alone. */
    @Override
    public synchronized void before(BasicBuilder builder, HttpRequest request, RequestTags tags) {
      if (String.valueOf(request.uri().getQuery()).contains("watch=true")) watches++;
    }

    @Override
    public void onAdd(ConfigMap object) {
      take("added", object, false, false);
    }

    @Override
    public void onUpdate(ConfigMap old, ConfigMap next) {
      take("updated", next, true, version(old) == version(next));
    }

    @Override
    public void onDelete(ConfigMap object, boolean unknown) {
      take("deleted", object, true, unknown);
    }

    private synchronized void take(String what, ConfigMap object, boolean wasPresent, boolean same) {
      String name = object.getMetadata().getName();
      long version = version(object);
      long before = last.getOrDefault(name, 0L);
      boolean there = present.getOrDefault(name, false);
      if (there != wasPresent || version < before || (version == before && !same)) faults.add(what + " " + name + " at " + version + " after " + before + ", present: " + there);
      last.put(name, version);
      present.put(name, !what.equals("deleted"));
    }

    private static long version(ConfigMap object) {
      return Long.parseLong(object.getMetadata().getResourceVersion());
    }

    synchronized Map<String, Object> state() {
      Map<String, String> objects = new TreeMap<>();
      for (ConfigMap object : informer.getStore().list()) objects.put(object.getMetadata().getName(), object.getMetadata().getResourceVersion());
      return Map.of("objects", objects, "lists", lists, "watches", watches, "refused", refused, "faults", faults);
    }

    void close() {
      informer.close();
      client.close();
    }
  }
}
