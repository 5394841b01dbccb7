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

/** How requests are passed on to aggregated servers. */
export interface AggregationOptions {
  /** What they know this server by; absent: nothing, and most will not believe for whom a request is. */
  readonly client?: ProxyClientKey
  readonly refusesRedirects: boolean
}

/** A store that holds single resources alone. Its revisions are its own. */
export interface OtherStore {
  /** As metrics and health checks show it: `etcd-1`. */
  readonly name: string
  /** `events`, `deployments.apps`; built-in ones. */
  readonly resources: ReadonlySet<string>
  /** Closed with the control plane. */
  readonly backend: Backend
}

/** What one server is made of and how it is set up. Nothing in it is changed by the control plane but the stores, which it closes, and the rules, which it keeps up to date. */
export interface ControlPlaneOptions {
  readonly runtime: Runtime
  readonly backend: Backend
  /** Of which it is a copy; absent: it begins by itself. */
  readonly origin?: Origin | undefined
  readonly logger: Logger
  readonly release: Release
  readonly gates: Gates
  readonly runtimeConfig: RuntimeConfig
  /** Absent: none that came after the release is served. */
  readonly laterVersions?: LaterVersions
  readonly etcdPrefix: string
  /** Stores of single resources; absent: all are in `backend`. */
  readonly otherStores?: readonly OtherStore[]
  /** How stores are asked beside requests; absent: as kube-apiserver does by default. */
  readonly storeProbes?: StoreProbes
  /** Addresses of etcd's members, as gRPC names them; absent where the store is in this process. */
  readonly etcdServers?: readonly string[]
  /** Names program and schema: stored bytes with this mark are served unread. */
  readonly fingerprint: string
  readonly storedAs?: StoredForm
  /** Absent: nothing is encrypted at rest. */
  readonly encryption?: Encryption
  readonly eventTtlSeconds: number
  /** Whether a resource (`pods`, `deployments.apps`) is read through the watch cache. Default: every one. */
  readonly isCached?: (resource: string) => boolean
  /** Watch caches are filled when they are first asked for. Absent: at the start. */
  readonly cachesOnDemand?: boolean
  /** 0: this server does not compact. */
  readonly compactionIntervalMs: number
  /** How much of the past is kept, in place of what the interval leaves, of a store that keeps history. Absent: no more than that. */
  readonly history?: { readonly keptMs: number; readonly maxBytes: number }
  readonly serviceCIDRs: readonly string[]
  readonly nodePorts: { readonly first: number; readonly last: number }
  /** Whether faults are objects as well. Absent: not. Needs those of the runtime. */
  readonly faultObjects?: boolean
  /** Absent: there is none. */
  readonly console?: ConsoleOptions
  readonly controllers: ReadonlySet<ControllerName>
  /** How often what quotas limit is counted anew; 0: never. */
  readonly quotaSyncPeriodMs: number
  /** No other server writes to the store. */
  readonly exclusiveStore: boolean
  /** Called with the number of custom kinds that are served, whenever they change. */
  readonly onCustomKinds?: (count: number) => void
  /** Called each second with the largest number of watches that follow the same changes. */
  readonly onWatchers?: (most: number) => void
  /** Those that are on, in their order. */
  readonly admissionPlugins: readonly PluginName[]
  /** Absent: all run by their defaults. */
  readonly pluginConfigurations?: PluginConfigurations
  /** As whom plugins ask webhooks, where their configuration says so. */
  readonly webhookCredentials?: ReadonlyMap<WebhookPluginName, WebhookCredentials>
  /** Where calls of webhooks are recorded. */
  readonly spans?: Spans | undefined
  /** Of all webhooks of the server, whoever asks them; absent: of those that the control plane asks. */
  readonly webhookCertificates?: CertificateMetrics
  /** How webhooks and aggregated servers are dialled; absent: directly. */
  readonly egress?: Egress
  /** For the plugin ImagePolicyWebhook, which needs one. Closed with the control plane. */
  readonly imagePolicy?: ImagePolicy
  readonly tolerationSeconds: TolerationSeconds
  /** Whether the plugin ServiceAccount refuses pods whose account does not exist. */
  readonly requireServiceAccounts: boolean
  readonly minRequestTimeoutSeconds: number
  /** Seats of priority and fairness, above 0; absent: it is off. */
  readonly totalSeats?: number
  readonly media: MediaOffer
  readonly aggregation: AggregationOptions
  /** How webhooks and aggregated servers behind services are reached. */
  readonly services: ServiceRouting
  /** For logs, exec and proxies. */
  readonly kubelets: Kubelets
  /** What reviews and token requests answer with; absent: nobody is known. */
  readonly auth?: AuthServices
  /** Kept as the roles and bindings are, where an authorizer reads it. */
  readonly rules?: RuleIndex
  /** Certificates and headers that this server trusts, published for extension servers; absent: nothing is published. */
  readonly trust?: () => ClusterTrust
  /** Kept as the pods of nodes are, where an authorizer reads it. */
  readonly nodeGraph?: NodeGraph
  /**
   * What the store holds from the start: `copy`, all that another server has made, which is not made anew; `past`, something that does not change any more: nothing runs beside reads. Absent: nothing, or what this
   * server has left there.
   */
  readonly holds?: 'copy' | 'past'
  /** Asked where a write needs a right besides the one that its request was authorized for. */
  readonly authorizer: Authorizer
}
