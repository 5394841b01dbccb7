import { isJsonObject, type Json, type JsonObject, objectIn } from '../api/meta/object.ts'
import { objectsIn } from '../meta/json-members.ts'
import type { KindName } from './versions/old-versions.ts'

/** A question that a conversion cannot settle, for the owner of the object. */
export interface OwnerDecision {
  /** Path of the field in the old version. */
  readonly path: string
  readonly message: string
}

const specOf = ({ spec }: JsonObject): JsonObject => objectIn(spec)

const NO_SUCCESSOR: Readonly<Record<string, string>> = {
  'policy/v1beta1 PodSecurityPolicy':
    'PodSecurityPolicy has no successor: use the labels of Pod Security admission on namespaces, or an admission webhook',
  'extensions/v1beta1 PodSecurityPolicy':
    'PodSecurityPolicy has no successor: use the labels of Pod Security admission on namespaces, or an admission webhook',
  'settings.k8s.io/v1alpha1 PodPreset': 'PodPreset has no successor: use a mutating admission webhook or policy',
  'auditregistration.k8s.io/v1alpha1 AuditSink': 'AuditSink has no successor: use --audit-webhook-config-file of kube-apiserver',
  'networking.k8s.io/v1alpha1 ClusterCIDR': 'ClusterCIDR has no successor: use --cluster-cidr of kube-controller-manager',
}

/** Returns advice for a kind that has no conversion. */
export const withoutSuccessor = ({ apiVersion, kind }: KindName): string =>
  NO_SUCCESSOR[`${apiVersion} ${kind}`] ?? `${apiVersion} ${kind} has no conversion: rewrite it in a served version`

/** Returns the decisions for an object of an old version. They do not depend on the target. */
export function decisionsOf({ apiVersion, kind }: KindName, object: JsonObject): OwnerDecision[] {
  switch (`${apiVersion} ${kind}`) {
    case 'policy/v1beta1 PodDisruptionBudget':
      return isEmptySelector(specOf(object).selector)
        ? [
            {
              path: 'spec.selector',
              message:
                'an empty selector matches no pod in policy/v1beta1 and every pod of the namespace in policy/v1: the conversion keeps matching none',
            },
          ]
        : []
    case 'extensions/v1beta1 Deployment':
    case 'apps/v1beta1 Deployment':
      return specOf(object).rollbackTo === undefined
        ? []
        : [{ path: 'spec.rollbackTo', message: 'apps/v1 has no rollback request, so it is removed: use kubectl rollout undo' }]
    case 'apiextensions.k8s.io/v1beta1 CustomResourceDefinition':
      return specOf(object).preserveUnknownFields === false
        ? []
        : [
            {
              path: 'spec.preserveUnknownFields',
              message:
                'v1beta1 preserved fields that the schema does not specify: x-kubernetes-preserve-unknown-fields preserves them at the root of each schema; remove it if objects may be pruned',
            },
          ]
    case 'certificates.k8s.io/v1beta1 CertificateSigningRequest':
      return specOf(object).signerName === undefined
        ? [
            {
              path: 'spec.signerName',
              message: 'v1 does not accept the signer kubernetes.io/legacy-unknown, the default of v1beta1: set the signer',
            },
          ]
        : []
    case 'discovery.k8s.io/v1beta1 EndpointSlice':
      return topologyDecisions(object)
    case 'admissionregistration.k8s.io/v1beta1 MutatingWebhookConfiguration':
    case 'admissionregistration.k8s.io/v1beta1 ValidatingWebhookConfiguration':
      return webhookDecisions(object)
    default:
      return []
  }
}

/** v1 has fields for zone and node, and accepts no other topology from clients. */
function topologyDecisions({ endpoints }: JsonObject): OwnerDecision[] {
  return objectsIn(endpoints).flatMap(({ topology }, i) => {
    const keys = isJsonObject(topology) ? Object.keys(topology).filter(key => key !== 'topology.kubernetes.io/zone') : []
    return keys.length === 0
      ? []
      : [
          {
            path: `endpoints[${i}].topology`,
            message: `v1 takes no topology from clients (${keys.join(', ')}): set nodeName and zone of the endpoint instead`,
          },
        ]
  })
}

/**
 * Absent members have the defaults of v1beta1 here: `Unknown` side effects and reviews in v1beta1, neither of which v1
 * allows.
 */
function webhookDecisions({ webhooks }: JsonObject): OwnerDecision[] {
  return objectsIn(webhooks).flatMap(({ sideEffects = 'Unknown', admissionReviewVersions }, i) => [
    ...(sideEffects === 'None' || sideEffects === 'NoneOnDryRun'
      ? []
      : [
          {
            path: `webhooks[${i}].sideEffects`,
            message: `v1 accepts None or NoneOnDryRun, not ${String(sideEffects)}: set the one that applies to the webhook`,
          },
        ]),
    ...(Array.isArray(admissionReviewVersions) && admissionReviewVersions.includes('v1')
      ? []
      : [{ path: `webhooks[${i}].admissionReviewVersions`, message: 'the webhook gets reviews in v1beta1: add v1 once it supports them' }]),
  ])
}

const isEmptySelector = (selector: Json | undefined): boolean =>
  isJsonObject(selector) && Object.values(selector).every(value => value === null || Object.keys(value ?? {}).length === 0)
