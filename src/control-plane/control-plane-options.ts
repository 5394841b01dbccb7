import type { PluginConfigurations } from '../admission/configuration-file.ts'
import type { PluginName } from '../admission/plugin-names.ts'
import type { WebhookCredentials, WebhookPluginName } from '../admission/webhooks/credentials.ts'
import type { NodeGraph } from '../auth/authz/node/graph.ts'
import type { RuleIndex } from '../auth/authz/rbac/rule-index.ts'
import type { CertificateMetrics } from '../clients/certificate-metrics.ts'
import type { MediaOffer } from '../codec/negotiate.ts'
import type { StoreProbes } from '../config/store-config.ts'
import type { ClusterTrust } from '../controllers/cluster-trust.ts'
import type { ControllerName } from '../controllers/names.ts'
import type { Kubelets } from '../endpoints/connect/ask.ts'
import type { ProxyClientKey } from '../extensions/aggregation/client-keys.ts'
import type { Egress } from '../lib/connect-proxy.ts'
import type { Logger } from '../lib/log.ts'
import type { Spans } from '../lib/spans.ts'
import type { Gates } from '../lifecycle/gates.ts'
import type { Release } from '../lifecycle/release.ts'
import type { LaterVersions, RuntimeConfig } from '../lifecycle/served.ts'
import type { Authorizer } from '../meta/authorizer.ts'
import type { StoredForm } from '../registry/codec.ts'
import type { AuthServices } from '../resources/builtin.ts'
import type { TolerationSeconds } from '../resources/core/pod/admission.ts'
import type { ImagePolicy } from '../resources/core/pod/image-policy/configuration.ts'
import type { Backend } from '../storage/backend.ts'
import type { Encryption } from '../storage/value/encryption.ts'
import type { ConsoleOptions } from './console-service.ts'
import type { Origin } from './origin.ts'
import type { Runtime } from './runtime.ts'
import type { ServiceRouting } from './service-resolver.ts'

/** Options of proxying to aggregated servers. */
export interface AggregationOptions {
  /** Optional. Client certificate for aggregated servers. Without it most do not trust the user headers. */
  readonly client?: ProxyClientKey
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

/** Parts and settings of one server. The control plane changes none of them, except that it closes the stores and updates the RBAC index and the node graph. */
export interface ControlPlaneOptions {
  readonly runtime: Runtime
  readonly backend: Backend
  /** Optional. The control plane of which this one is a copy. */
  readonly origin?: Origin | undefined
  readonly logger: Logger
  readonly release: Release
  readonly gates: Gates
  readonly runtimeConfig: RuntimeConfig
  /** Optional. Default: no API version newer than the release is served. */
  readonly laterVersions?: LaterVersions
  readonly etcdPrefix: string
  /** Optional. Default: all resources are in `backend`. */
  readonly otherStores?: readonly OtherStore[]
  /** Optional. Timeouts and intervals of health and size probes. Default: those of kube-apiserver. */
  readonly storeProbes?: StoreProbes
  /** Addresses of etcd members, as gRPC targets. Omitted for an embedded store. */
  readonly etcdServers?: readonly string[]
  /** Identifies program and schema. Stored objects with this mark are served without decoding. */
  readonly fingerprint: string
  readonly storedAs?: StoredForm
  /** Optional. Default: no encryption at rest. */
  readonly encryption?: Encryption
  readonly eventTtlSeconds: number
  /** Optional. Whether a resource (`pods`, `deployments.apps`) is read through the watch cache. Default: every one. */
  readonly isCached?: (resource: string) => boolean
  /** Optional. Whether watch caches are filled on first use. Default: at start. */
  readonly cachesOnDemand?: boolean
  /** Interval in milliseconds. 0 disables compaction by this server. */
  readonly compactionIntervalMs: number
  /** Optional. History to keep in a store that supports it, in milliseconds and bytes. Default: what the compaction interval leaves. */
  readonly history?: { readonly keptMs: number; readonly maxBytes: number }
  readonly serviceCIDRs: readonly string[]
  readonly nodePorts: { readonly first: number; readonly last: number }
  /** Optional. Whether to serve faults as API objects. Requires `runtime.faults`. */
  readonly faultObjects?: boolean
  /** Optional. Omitted if the console is off. */
  readonly console?: ConsoleOptions
  readonly controllers: ReadonlySet<ControllerName>
  /** Interval between full recalculations of quota usage, in milliseconds. 0 disables them. */
  readonly quotaSyncPeriodMs: number
  /** Whether no other server writes to the store. */
  readonly exclusiveStore: boolean
  /** Called with the number of served custom kinds whenever it changes. */
  readonly onCustomKinds?: (count: number) => void
  /** Called every second with the largest number of watches that share one event stream. */
  readonly onWatchers?: (most: number) => void
  /** Enabled plugins, in order. */
  readonly admissionPlugins: readonly PluginName[]
  /** Optional. Default: no plugin is configured. */
  readonly pluginConfigurations?: PluginConfigurations
  /** Optional. Credentials for calls of webhook plugins, from their configuration. */
  readonly webhookCredentials?: ReadonlyMap<WebhookPluginName, WebhookCredentials>
  /** Optional. Receives spans of webhook calls. */
  readonly spans?: Spans | undefined
  /** Optional. Observes certificates of all webhooks of the server. Default: only those that the control plane calls. */
  readonly webhookCertificates?: CertificateMetrics
  /** Optional. Dials webhooks and aggregated servers. Default: directly. */
  readonly egress?: Egress
  /** Optional. Required by the plugin ImagePolicyWebhook. Closed by the control plane. */
  readonly imagePolicy?: ImagePolicy
  readonly tolerationSeconds: TolerationSeconds
  /** Whether the plugin ServiceAccount rejects pods whose account does not exist. */
  readonly requireServiceAccounts: boolean
  readonly minRequestTimeoutSeconds: number
  /** Optional. Seats of API Priority and Fairness, above 0. Omitted if it is off. */
  readonly totalSeats?: number
  readonly media: MediaOffer
  readonly aggregation: AggregationOptions
  /** How services are resolved to addresses. */
  readonly services: ServiceRouting
  /** Connections for logs, exec and proxy subresources. */
  readonly kubelets: Kubelets
  /** Optional. Backs reviews and token requests. Omitted if there is no authentication. */
  readonly auth?: AuthServices
  /** Optional. RBAC index to keep in sync with roles and bindings. */
  readonly rules?: RuleIndex
  /** Optional. Returns the CAs and headers to publish for extension servers. Omitted if there are none. */
  readonly trust?: () => ClusterTrust
  /** Optional. Graph of the Node authorizer to keep in sync with pods. */
  readonly nodeGraph?: NodeGraph
  /**
   * Optional. Initial content of the store. `copy`: everything another server created, which is not created again. `past`: an immutable revision, for which
   * nothing runs in the background. Default: empty, or what this server wrote earlier.
   */
  readonly holds?: 'copy' | 'past'
  /** Authorizes writes that need a permission beyond that of their request. */
  readonly authorizer: Authorizer
}
