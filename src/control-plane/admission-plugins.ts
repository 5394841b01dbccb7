import type { AdmissionPlugin } from '../admission/chain.ts'
import { initError, type PluginConfigurations } from '../admission/configuration-file.ts'
import type { BuiltPluginName } from '../admission/plugin-names.ts'
import { alwaysDeny } from '../admission/plugins/always-deny.ts'
import { namespaceAutoProvision } from '../admission/plugins/namespace-auto-provision.ts'
import { namespaceExists } from '../admission/plugins/namespace-exists.ts'
import { namespaceLifecycle } from '../admission/plugins/namespace-lifecycle.ts'
import { ownerReferencesPermission } from '../admission/plugins/owner-references-permission.ts'
import type { Namespace, Service } from '../api/core/v1.types.ts'
import type { TypedObject } from '../api/meta/object.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { asKind, cachedKind, cachedKinds, getKind, type KindId, listKind } from '../catalog/define.ts'
import { type Awaitable, recover } from '../lib/awaitable.ts'
import { steadyClock, type TimerClock } from '../lib/clock.ts'
import type { Randomness } from '../lib/randomness.ts'
import type { Features } from '../lifecycle/gates.ts'
import type { Authorizer } from '../meta/authorizer.ts'
import { isStatusError } from '../meta/status.ts'
import type { RegistryReader } from '../registry/registry-reader.ts'
import {
  certificateApproval,
  certificateSigning,
  certificateSubjectRestriction,
  clusterTrustBundleAttest,
} from '../resources/certificates/signer-admission.ts'
import { eventLimits, eventRateLimit } from '../resources/core/event/rate-limit-admission.ts'
import { storageObjectInUseProtection } from '../resources/core/in-use-protection.ts'
import { limitRanger } from '../resources/core/limit-range/admission-plugin.ts'
import { taintNodesByCondition } from '../resources/core/node/admission-plugin.ts'
import { nodeRestriction } from '../resources/core/node/restriction/plugin.ts'
import { persistentVolumeClaimResize } from '../resources/core/persistent-volume-claim/admission-plugin.ts'
import type { TolerationSeconds } from '../resources/core/pod/admission.ts'
import { defaultTolerationSeconds, podTopologyLabels } from '../resources/core/pod/admission-plugin.ts'
import { alwaysPullImages } from '../resources/core/pod/always-pull-images.ts'
import { limitPodHardAntiAffinityTopology } from '../resources/core/pod/anti-affinity-topology.ts'
import { extendedResourceToleration } from '../resources/core/pod/extended-resource-toleration.ts'
import { imagePolicyWebhook } from '../resources/core/pod/image-policy/admission-plugin.ts'
import { IMAGE_POLICY_PLUGIN, type ImagePolicy } from '../resources/core/pod/image-policy/configuration.ts'
import { nodeSelectorsOf, podNodeSelector } from '../resources/core/pod/node-selector-admission.ts'
import { nodeDeclaredFeatureValidator, podResizeValidator } from '../resources/core/pod/resize-admission.ts'
import { podTolerationRestriction, tolerationRules } from '../resources/core/pod/toleration-restriction.ts'
import { podSecurity } from '../resources/core/pod-security/admission-plugin.ts'
import { podSecurityConfiguration } from '../resources/core/pod-security/configuration.ts'
import type { PodSecurityMetrics } from '../resources/core/pod-security/metrics.ts'
import { Standards } from '../resources/core/pod-security/standards.ts'
import { denyServiceExternalIPs } from '../resources/core/service/external-ips-admission.ts'
import { serviceAccountAdmission } from '../resources/core/service-account/admission-plugin.ts'
import {
  INGRESS_CLASSES,
  LIMIT_RANGES,
  NAMESPACES,
  NODES,
  PODS,
  PRIORITY_CLASSES,
  RUNTIME_CLASSES,
  SERVICE_ACCOUNTS,
  SERVICES,
  STORAGE_CLASSES,
} from '../resources/kinds.ts'

import { defaultIngressClass } from '../resources/networking/ingress/admission-plugin.ts'
import { runtimeClassAdmission } from '../resources/node/runtime-class/admission-plugin.ts'
import { priorityAdmission } from '../resources/scheduling/priority-class/admission-plugin.ts'
import { defaultStorageClass } from '../resources/storage/storage-class/admission-plugin.ts'
import { nameSuffix } from './name-suffix.ts'

/** Options of a read that the watch cache may serve. */
const CACHED = { resourceVersion: '0' }

/** Reads of admission plugins. They prefer the watch cache, which may lag behind the store. */
export class AdmissionReads {
  readonly #reader: RegistryReader

  constructor(reader: RegistryReader) {
    this.#reader = reader
  }

  /** Returns an object from the cache, or from the store if the cache lacks it. Throws or rejects with NotFound. */
  read<T extends TypedObject>(id: KindId<T>, name: string, namespace = ''): Awaitable<T> {
    return cachedKind(this.#reader, id, namespace, name) ?? getKind(this.#reader.access, id, namespace, name)
  }

  /** Same as `read`, but always a promise. */
  async get<T extends TypedObject>(id: KindId<T>, name: string, namespace = ''): Promise<T> {
    return this.read(id, name, namespace)
  }

  /** Returns a namespace. Rejects with NotFound. */
  readonly getNamespace = (name: string): Promise<Namespace> => this.get(NAMESPACES, name)

  /** Same as `read`, but returns undefined if the object does not exist. */
  find<T extends TypedObject>(id: KindId<T>, name: string, namespace = ''): Awaitable<T | undefined> {
    try {
      return recover(this.read(id, name, namespace), orUndefined)
    } catch (error) {
      return orUndefined(error)
    }
  }

  /** Lists objects from the cache. @param namespace empty for all namespaces. */
  list<T extends TypedObject>(id: KindId<T>, namespace = ''): Awaitable<readonly T[]> {
    return cachedKinds(this.#reader, id, namespace) ?? listKind(this.#reader.access, id, namespace, CACHED)
  }

  /** Lists the objects of one namespace from the cache. Each is decoded on call, because there may be many. */
  async listUndecoded<T extends TypedObject>(id: KindId<T>, namespace: string, signal: AbortSignal): Promise<readonly (() => T)[]> {
    return (await this.#reader.listStored(id, namespace, signal)).map(stored => () => asKind(id, stored.object()))
  }

  /** Returns a namespace, from the store if `fresh`. Throws or rejects with NotFound. */
  namespace(name: string, fresh: boolean): Awaitable<Namespace> {
    return fresh ? getKind(this.#reader.access, NAMESPACES, '', name) : this.#cached(NAMESPACES, '', name)
  }

  async service(namespace: string, name: string): Promise<Service> {
    return this.#cached(SERVICES, namespace, name)
  }

  /** Returns an object from the cache; waits until the cache is filled. Throws or rejects with NotFound. */
  #cached<T extends TypedObject>(id: KindId<T>, namespace: string, name: string): Awaitable<T> {
    return cachedKind(this.#reader, id, namespace, name) ?? getKind(this.#reader.access, id, namespace, name, CACHED)
  }
}

/** Maps NotFound to undefined and rethrows other errors. */
function orUndefined(error: unknown): undefined {
  if (!isStatusError(error, 'NotFound')) throw error
}

/** Dependencies of the compiled-in plugins. */
export interface CompiledPluginOptions {
  readonly reads: AdmissionReads
  readonly catalog: Catalog
  readonly authorizer: Authorizer
  readonly features: Features
  readonly clock: TimerClock
  readonly random: Randomness
  readonly configurations: PluginConfigurations
  readonly podSecurityMetrics: PodSecurityMetrics
  readonly tolerationSeconds: TolerationSeconds
  /** Whether pods that name a missing service account are rejected. */
  readonly requireServiceAccounts: boolean
  /** Creates a namespace as the server itself, through admission. */
  createNamespace(name: string): Promise<unknown>
  /** Undefined if ImagePolicyWebhook is not configured. */
  readonly imagePolicy: ImagePolicy | undefined
}

/**
 * Factories of the plugins that use neither webhooks nor policies. A disabled plugin is never created, so its
 * configuration is not read. Creation may throw AdmissionConfigError.
 */
export const compiledPlugins = ({
  reads,
  catalog,
  features,
  clock,
  random,
  configurations,
  podSecurityMetrics,
  authorizer,
  tolerationSeconds,
  requireServiceAccounts,
  createNamespace,
  imagePolicy,
}: CompiledPluginOptions) =>
  ({
    NamespaceAutoProvision: () => namespaceAutoProvision({ get: reads.getNamespace, create: createNamespace }),
    NamespaceLifecycle: () => namespaceLifecycle((name, fresh) => reads.namespace(name, fresh), features.release),
    NamespaceExists: () => namespaceExists(reads.getNamespace),
    LimitPodHardAntiAffinityTopology: () => limitPodHardAntiAffinityTopology,
    LimitRanger: () => limitRanger(namespace => reads.list(LIMIT_RANGES, namespace)),
    ServiceAccount: () =>
      serviceAccountAdmission(
        requireServiceAccounts
          ? { getAccount: (namespace, name) => reads.find(SERVICE_ACCOUNTS, name, namespace), nameSuffix: () => nameSuffix(random) }
          : undefined,
      ),
    NodeRestriction: () => nodeRestriction({ features, authorizer, get: (id, name, namespace) => reads.get(id, name, namespace) }),
    TaintNodesByCondition: () => taintNodesByCondition,
    AlwaysPullImages: () => alwaysPullImages,
    ImagePolicyWebhook: () => {
      if (imagePolicy === undefined) throw initError(IMAGE_POLICY_PLUGIN, 'no config specified')
      return imagePolicyWebhook({ policy: imagePolicy, clock: clock.steady, features })
    },
    PodSecurity: () =>
      podSecurity({
        features,
        configuration: podSecurityConfiguration(configurations, features.release),
        standards: new Standards(features),
        metrics: podSecurityMetrics,
        clock: steadyClock,
        getNamespace: name => reads.read(NAMESPACES, name),
        listPods: (namespace, signal) => reads.listUndecoded(PODS, namespace, signal),
      }),
    PodNodeSelector: () => podNodeSelector(nodeSelectorsOf(configurations), reads.getNamespace),
    Priority: () =>
      priorityAdmission({ get: name => reads.find(PRIORITY_CLASSES, name), list: () => reads.list(PRIORITY_CLASSES) }, features),
    DefaultTolerationSeconds: () => defaultTolerationSeconds(tolerationSeconds),
    PodTolerationRestriction: () => podTolerationRestriction(tolerationRules(configurations), features, reads.getNamespace),
    EventRateLimit: () => eventRateLimit(eventLimits(configurations), clock.steady),
    ExtendedResourceToleration: () => extendedResourceToleration,
    DefaultStorageClass: () => defaultStorageClass(() => reads.list(STORAGE_CLASSES)),
    StorageObjectInUseProtection: () => storageObjectInUseProtection(features),
    OwnerReferencesPermissionEnforcement: () => ownerReferencesPermission(authorizer, () => catalog.snapshot()),
    PersistentVolumeClaimResize: () => persistentVolumeClaimResize(name => reads.find(STORAGE_CLASSES, name)),
    RuntimeClass: () => runtimeClassAdmission(name => reads.find(RUNTIME_CLASSES, name)),
    CertificateApproval: () => certificateApproval(authorizer),
    CertificateSigning: () => certificateSigning(authorizer),
    ClusterTrustBundleAttest: () => clusterTrustBundleAttest(authorizer),
    CertificateSubjectRestriction: () => certificateSubjectRestriction,
    DefaultIngressClass: () => defaultIngressClass(() => reads.list(INGRESS_CLASSES)),
    DenyServiceExternalIPs: () => denyServiceExternalIPs,
    PodTopologyLabels: () => podTopologyLabels(features, name => reads.find(NODES, name)),
    NodeDeclaredFeatureValidator: () => nodeDeclaredFeatureValidator(features, name => reads.find(NODES, name)),
    PodResizeValidator: () => podResizeValidator(features, name => reads.find(NODES, name)),
    AlwaysDeny: () => alwaysDeny,
  }) satisfies Partial<Readonly<Record<BuiltPluginName, () => AdmissionPlugin>>>
