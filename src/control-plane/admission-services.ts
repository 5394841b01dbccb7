import { randomUUID } from 'node:crypto'
import { type AdmissionPlugin, admissionChain } from '../admission/chain.ts'
import { authorizerOf } from '../admission/expressions/authorizer-answers.ts'
import { AdmissionMetrics } from '../admission/metrics.ts'
import { type BuiltPluginName, isBuiltPlugin, type PluginName } from '../admission/plugin-names.ts'
import { namespaceLifecycle } from '../admission/plugins/namespace-lifecycle.ts'
import { nodeRestriction } from '../admission/plugins/node-restriction.ts'
import { PolicyMetrics } from '../admission/policies/metrics.ts'
import { paramReader } from '../admission/policies/param-reader.ts'
import { validatingAdmissionPolicy } from '../admission/policies/plugin.ts'
import { PolicyIndex } from '../admission/policies/policy-index.ts'
import { WebhookClients } from '../admission/webhooks/client.ts'
import { WebhookConfigurations } from '../admission/webhooks/configurations.ts'
import { WebhookMetrics } from '../admission/webhooks/metrics.ts'
import { mutatingWebhooks } from '../admission/webhooks/mutating.ts'
import { serviceAddress } from '../admission/webhooks/service-address.ts'
import { validatingWebhooks } from '../admission/webhooks/validating.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { getKind, type KindId, listKind } from '../catalog/define.ts'
import type { ControllerEnvironment } from '../controllers/controller.ts'
import { followPolicies } from '../controllers/follow-policies.ts'
import { followWebhooks } from '../controllers/follow-webhooks.ts'
import type { Logger } from '../lib/log.ts'
import type { MetricFamily } from '../lib/metrics.ts'
import type { Authorizer } from '../meta/authorizer.ts'
import type { TypedObject } from '../meta/object.ts'
import { isStatusError } from '../meta/status.ts'
import type { Registry } from '../registry/registry.ts'
import type { AdmissionFunctions, AdmissionRequest } from '../registry/types.ts'
import {
  certificateApproval,
  certificateSigning,
  certificateSubjectRestriction,
  clusterTrustBundleAttest,
  type IsAllowed,
} from '../resources/certificates/signer-admission.ts'
import { limitRanger } from '../resources/core/limit-range/admission-plugin.ts'
import { taintNodesByCondition } from '../resources/core/node/admission-plugin.ts'
import { persistentVolumeClaimResize } from '../resources/core/persistent-volume-claim/admission-plugin.ts'
import type { TolerationSeconds } from '../resources/core/pod/admission.ts'
import { defaultTolerationSeconds, serviceAccount } from '../resources/core/pod/admission-plugin.ts'
import { INGRESS_CLASSES, LIMIT_RANGES, NAMESPACES, PRIORITY_CLASSES, RUNTIME_CLASSES, SERVICES, STORAGE_CLASSES } from '../resources/kinds.ts'
import { defaultIngressClass } from '../resources/networking/ingress/admission-plugin.ts'
import { runtimeClassAdmission } from '../resources/node/runtime-class/admission-plugin.ts'
import { priorityAdmission } from '../resources/scheduling/priority-class/admission-plugin.ts'
import { defaultStorageClass } from '../resources/storage/storage-class/admission-plugin.ts'
import { types } from '../resources/types.ts'

export interface AdmissionOptions {
  readonly catalog: Catalog
  readonly logger: Logger
  readonly isAllowed: IsAllowed
  readonly authorize: Authorizer['authorize']
  /** Which asks admission, and which admission asks: there is one by the time of the first write. */
  readonly registry: () => Registry
  /** Those that are on, in their order. Those of them that are not built are left out. */
  readonly plugins: readonly PluginName[]
  readonly tolerationSeconds: TolerationSeconds
}

/** All plugins in their order, with what they know of the cluster. */
export interface AdmissionServices {
  readonly functions: AdmissionFunctions
  readonly webhookClients: WebhookClients
  readonly metrics: readonly MetricFamily[]
  /** Whether policies are served. */
  hasPolicies(): boolean
  /** Keeps up with the configurations of webhooks and the policies that are stored. */
  follow(env: ControllerEnvironment, signal: AbortSignal): Promise<void>[]
}

/** As the watch cache has it. */
const AT_HAND = { resourceVersion: '0' }

export function createAdmission({ catalog, logger, isAllowed, authorize, registry, plugins, tolerationSeconds }: AdmissionOptions): AdmissionServices {
  const get = <T extends TypedObject>(id: KindId<T>, name: string, namespace = ''): Promise<T> => getKind(registry().access(), id, namespace, name, AT_HAND)
  const getFresh = <T extends TypedObject>(id: KindId<T>, name: string): Promise<T> => getKind(registry().access(), id, '', name)
  const listAll = <T extends TypedObject>(id: KindId<T>): Promise<T[]> => listKind(registry().access(), id, '', AT_HAND)
  const findNamespace = (name: string, fresh: boolean) => (fresh ? getFresh(NAMESPACES, name) : get(NAMESPACES, name))
  /** The cache may be behind: what is not there is looked for in the store. */
  const getSurely = <T extends TypedObject>(id: KindId<T>, name: string): Promise<T> =>
    get(id, name).catch(error => (isStatusError(error, 'NotFound') ? getFresh(id, name) : Promise.reject(error)))
  const find = <T extends TypedObject>(id: KindId<T>, name: string): Promise<T | undefined> =>
    getSurely(id, name).catch(error => (isStatusError(error, 'NotFound') ? undefined : Promise.reject(error)))
  const getNamespace = (name: string) => getSurely(NAMESPACES, name)
  const policies = new PolicyIndex()
  const metrics = new AdmissionMetrics()
  const policyMetrics = new PolicyMetrics()
  const mutating = new WebhookConfigurations('mutating')
  const validating = new WebhookConfigurations('validating')
  const webhookMetrics = new WebhookMetrics()
  const webhookEnv = {
    clients: new WebhookClients(serviceAddress((namespace, name) => get(SERVICES, name, namespace))),
    metrics: webhookMetrics,
    logger,
    getNamespace,
    reviewSchema: () => types.type('admission.AdmissionReview'),
    newUid: randomUUID,
    authorizer: ({ ctx }: AdmissionRequest) => authorizerOf(authorize, ctx.user, ctx.signal),
  }
  const hasPolicies = () => catalog.snapshot().definition('admissionregistration.k8s.io', 'validatingadmissionpolicies') !== undefined
  const built: Readonly<Record<BuiltPluginName, AdmissionPlugin>> = {
    NamespaceLifecycle: namespaceLifecycle(findNamespace),
    LimitRanger: limitRanger(namespace => listKind(registry().access(), LIMIT_RANGES, namespace, AT_HAND)),
    ServiceAccount: serviceAccount,
    NodeRestriction: nodeRestriction,
    TaintNodesByCondition: taintNodesByCondition,
    Priority: priorityAdmission({ get: name => find(PRIORITY_CLASSES, name), list: () => listAll(PRIORITY_CLASSES) }),
    DefaultTolerationSeconds: defaultTolerationSeconds(tolerationSeconds),
    DefaultStorageClass: defaultStorageClass(() => listAll(STORAGE_CLASSES)),
    PersistentVolumeClaimResize: persistentVolumeClaimResize(name => find(STORAGE_CLASSES, name)),
    RuntimeClass: runtimeClassAdmission(name => find(RUNTIME_CLASSES, name)),
    CertificateApproval: certificateApproval(isAllowed),
    CertificateSigning: certificateSigning(isAllowed),
    ClusterTrustBundleAttest: clusterTrustBundleAttest(isAllowed),
    CertificateSubjectRestriction: certificateSubjectRestriction,
    DefaultIngressClass: defaultIngressClass(() => listAll(INGRESS_CLASSES)),
    MutatingAdmissionWebhook: mutatingWebhooks(webhookEnv, mutating),
    ValidatingAdmissionPolicy: validatingAdmissionPolicy({
      index: policies,
      catalog,
      params: paramReader(served => registry().store(served)),
      metrics: policyMetrics,
      getNamespace,
      authorize,
    }),
    ValidatingAdmissionWebhook: validatingWebhooks(webhookEnv, validating),
  }
  return {
    functions: admissionChain(
      plugins.filter(isBuiltPlugin).map(name => built[name]),
      metrics,
    ),
    webhookClients: webhookEnv.clients,
    metrics: [...metrics.families(), ...policyMetrics.families(), ...webhookMetrics.families()],
    hasPolicies,
    follow: (env, signal) => [
      ...(hasPolicies() ? [followPolicies(env, policies, signal)] : []),
      followWebhooks(env, mutating, signal),
      followWebhooks(env, validating, signal),
    ],
  }
}
