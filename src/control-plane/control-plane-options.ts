import type { PluginConfigurations } from '../admission/configuration-file.ts'
import type { ManifestPluginName } from '../admission/manifests/manifest-directories.ts'
import type { PluginName } from '../admission/plugin-names.ts'
import type { WebhookCredentials, WebhookPluginName } from '../admission/webhooks/credentials.ts'
import type { NodeGraph } from '../auth/authz/node/graph.ts'
import type { RuleIndex } from '../auth/authz/rbac/rule-index.ts'
import type { CertificateMetrics } from '../clients/certificate-metrics.ts'
import type { MediaOffer } from '../codec/accept-header.ts'
import type { ControllersConfig } from '../config/controllers-config.ts'
import type { ReleaseConfig } from '../config/release-config.ts'
import type { HistoryConfig, StoreProbes } from '../config/store-config.ts'
import type { ClusterTrust } from '../controllers/cluster-trust.ts'
import type { Kubelets } from '../endpoints/connect/ask.ts'
import type { ProxyClientKey } from '../extensions/aggregation/client-keys.ts'
import type { Egress } from '../lib/connect-proxy.ts'
import type { Logger } from '../lib/log.ts'
import type { MetricFamily } from '../lib/metrics.ts'
import type { Spans } from '../lib/spans.ts'
import type { Authorizer } from '../meta/authorizer.ts'
import type { StoredForm } from '../registry/codec.ts'
import type { AuthServices } from '../resources/builtin.ts'
import type { TolerationSeconds } from '../resources/core/pod/admission.ts'
import type { ImagePolicy } from '../resources/core/pod/image-policy/configuration.ts'
import type { Backend } from '../storage/backend.ts'
import type { Encryption } from '../storage/value/encryption.ts'
import type { ClusterLoop } from './cluster-loop.ts'
import type { ConsoleOptions } from './console-service.ts'
import type { OpenLocalServers } from './local-servers.ts'
import type { Origin } from './origin.ts'
import type { Runtime } from './runtime.ts'
import type { ServiceRouting } from './service-resolver.ts'

/** Options of proxying to aggregated servers. */
export interface AggregationOptions {
  /** Optional. Client certificate for aggregated servers. Without it most do not trust the user headers. */
  readonly client?: ProxyClientKey
  /** Whether redirects of aggregated servers are refused instead of passed to the client. */
  readonly refusesRedirects: boolean
}

/** A store of its own for some resources. Its revisions are independent. */
export interface OtherStore {
  /** Name in metrics and health checks, such as `etcd-1`. */
  readonly name: string
  /** Built-in resources, such as `events` or `deployments.apps`. */
  readonly resources: ReadonlySet<string>
  /** Closed by the control plane. */
  readonly backend: Backend
}

/** Objects and the stores that keep them. */
export interface StorageOptions {
  /** Store of all resources that no other store has. Closed by the control plane. */
  readonly backend: Backend
  /** Stores of single resources (`--etcd-servers-overrides`). */
  readonly otherStores: readonly OtherStore[]
  /** Optional. Addresses of etcd members, as gRPC targets. Omitted for an embedded store. */
  readonly etcdServers?: readonly string[]
  /** Prefix of all keys: `/registry`. */
  readonly etcdPrefix: string
  /** Timeouts and intervals of health and size probes. */
  readonly probes: StoreProbes
  /** Whether no other server writes to the store. */
  readonly isExclusive: boolean
  /** Identifies program and schema. Stored objects with this mark are served without decoding. */
  readonly fingerprint: string
  readonly storedAs: StoredForm
  /** Transformers of stored values, by resource. */
  readonly encryption: Encryption
  /** Time after which events are deleted. */
  readonly eventTtlSeconds: number
  /** Whether a resource (`pods`, `deployments.apps`) is read through the watch cache. */
  readonly isCached: (resource: string) => boolean
  /** Whether watch caches are filled on first use, not at start. */
  readonly cachesOnDemand: boolean
  /** Interval in milliseconds. 0 disables compaction by this server. */
  readonly compactionIntervalMs: number
  /** Optional. History to keep in a store that supports it. Default: the changes within the compaction interval. */
  readonly history?: HistoryConfig
  /** Optional. The control plane of which this one is a copy. */
  readonly origin?: Origin | undefined
  /**
   * Optional. Initial content of the store. `copy`: everything another server created, which is not created again.
   * `past`: an immutable revision, for which nothing runs in the background. If omitted, the store is empty or was
   * written by an earlier run of this server.
   */
  readonly holds?: 'copy' | 'past'
}

/** Authentication and authorization, and their state that follows stored objects. */
export interface AccessOptions {
  /** Authorizes writes that need a permission beyond that of their request. */
  readonly authorizer: Authorizer
  /** Optional. Backs reviews and token requests. Omitted if there is no authentication. */
  readonly auth?: AuthServices
  /** Optional. RBAC index to keep in sync with roles and bindings. */
  readonly rules?: RuleIndex
  /** Optional. Graph of the Node authorizer to keep in sync with pods. */
  readonly nodeGraph?: NodeGraph
  /** Optional. Returns the CAs and headers to publish for extension servers. Omitted if there are none. */
  readonly trust?: () => ClusterTrust
}

/** Admission of writes. */
export interface AdmissionOptions {
  /** Enabled plugins, in order. */
  readonly plugins: readonly PluginName[]
  /** Configuration of each plugin that has one. */
  readonly configurations: PluginConfigurations
  /** Credentials for calls of webhook plugins, from their configuration. */
  readonly webhookCredentials: ReadonlyMap<WebhookPluginName, WebhookCredentials>
  /** Optional. Directories of manifests of plugins. Omitted if there are none. */
  readonly manifests?: ReadonlyMap<ManifestPluginName, string>
  /** Optional. Required by the plugin ImagePolicyWebhook. Closed by the control plane. */
  readonly imagePolicy?: ImagePolicy
  /** Default tolerations that the plugin DefaultTolerationSeconds adds to pods. */
  readonly tolerationSeconds: TolerationSeconds
  /** Whether the plugin ServiceAccount rejects pods whose account does not exist. */
  readonly requireServiceAccounts: boolean
}

/** Addresses of services and connections to other servers. */
export interface NetworkOptions {
  /** Ranges of cluster IPs: one, or one for each IP family. */
  readonly serviceCIDRs: readonly string[]
  /** Ports that are allocated for services of type NodePort and LoadBalancer. */
  readonly nodePorts: NodePorts
  /** How services are resolved to addresses. */
  readonly services: ServiceRouting
  /** Connections for logs, exec and proxy subresources. */
  readonly kubelets: Kubelets
  readonly aggregation: AggregationOptions
  /** Dials webhooks and aggregated servers. Members that are omitted dial directly. */
  readonly egress: Egress
}

/** Ports of services, both inclusive. */
interface NodePorts {
  readonly first: number
  readonly last: number
}

/** Forms and limits of requests. */
export interface RequestOptions {
  /** Media types that are offered for objects. */
  readonly media: MediaOffer
  /** Shortest timeout of a watch without one. It is extended at random. */
  readonly minTimeoutSeconds: number
  /** Optional. Seats of API Priority and Fairness, above 0. Omitted if it is off. */
  readonly totalSeats?: number
  /** Whether to serve faults as API objects. Requires `runtime.faults`. */
  readonly faultObjects: boolean
}

/** Observers of the control plane. */
export interface ObservabilityOptions {
  /** Optional. Receives spans of webhook calls. */
  readonly spans?: Spans | undefined
  /** Observes certificates of the webhooks that the server calls. */
  readonly webhookCertificates: CertificateMetrics
  /** Optional. Called with the number of served custom kinds whenever it changes. */
  readonly onCustomKinds?: (count: number) => void
  /** Optional. Called every second with the largest number of watches that share one event stream. */
  readonly onWatchers?: (most: number) => void
}

/**
 * Parts and settings of one server, in groups. The control plane changes none of them, except that it closes the stores
 * and updates the RBAC index and the node graph.
 */
export interface ControlPlaneOptions {
  readonly runtime: Runtime
  readonly logger: Logger
  readonly release: ReleaseConfig
  readonly storage: StorageOptions
  readonly access: AccessOptions
  readonly admission: AdmissionOptions
  readonly controllers: ControllersConfig
  /** Optional. Runs the enabled parts of the cluster. Omitted if none is enabled. */
  readonly cluster?: ClusterLoop
  /** Optional. Servers of simulated nodes. Omitted if none are simulated. */
  readonly localServers?: OpenLocalServers
  /** Optional. Metrics of the parts of the cluster. */
  readonly clusterMetrics?: readonly MetricFamily[]
  readonly network: NetworkOptions
  readonly requests: RequestOptions
  readonly observability: ObservabilityOptions
  /** Optional. Omitted if the console is off. */
  readonly console?: ConsoleOptions
}
