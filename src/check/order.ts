import { objectIn } from '../api/meta/object.ts'
import type { InputObject } from './input/input-object.ts'

const RBAC = 'rbac.authorization.k8s.io'

/**
 * Kinds by the stage in which they are applied, as `group/Kind`. Kinds that are not listed come in the stage of
 * workloads.
 */
const STAGES: readonly (readonly string[])[] = [
  ['apiextensions.k8s.io/CustomResourceDefinition'],
  ['/Namespace'],
  [
    'scheduling.k8s.io/PriorityClass',
    'storage.k8s.io/StorageClass',
    'storage.k8s.io/VolumeAttributesClass',
    'storage.k8s.io/CSIDriver',
    'node.k8s.io/RuntimeClass',
    'networking.k8s.io/IngressClass',
    'resource.k8s.io/DeviceClass',
    'gateway.networking.k8s.io/GatewayClass',
    '/Node',
  ],
  ['/ServiceAccount', `${RBAC}/ClusterRole`, `${RBAC}/Role`],
  [`${RBAC}/ClusterRoleBinding`, `${RBAC}/RoleBinding`],
  [
    'admissionregistration.k8s.io/ValidatingAdmissionPolicy',
    'admissionregistration.k8s.io/MutatingAdmissionPolicy',
    'admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding',
    'admissionregistration.k8s.io/MutatingAdmissionPolicyBinding',
    '/ResourceQuota',
    '/LimitRange',
  ],
  ['/ConfigMap', '/Secret', '/PersistentVolume', '/PersistentVolumeClaim', '/Service', '/Endpoints', 'discovery.k8s.io/EndpointSlice'],
]

/** Kinds that come last, because servers that they name are part of the workloads. */
const LAST: ReadonlySet<string> = new Set([
  'admissionregistration.k8s.io/ValidatingWebhookConfiguration',
  'admissionregistration.k8s.io/MutatingWebhookConfiguration',
  'apiregistration.k8s.io/APIService',
])

const STAGE_OF = new Map(STAGES.flatMap((kinds, stage) => kinds.map(kind => [kind, stage] as const)))

const groupKind = ({ apiVersion, kind }: Pick<InputObject, 'apiVersion' | 'kind'>): string => {
  const slash = apiVersion.indexOf('/')
  return `${slash < 0 ? '' : apiVersion.slice(0, slash)}/${kind}`
}

const stageOf = (object: Pick<InputObject, 'apiVersion' | 'kind'>): number => {
  const kind = groupKind(object)
  return LAST.has(kind) ? STAGES.length + 1 : (STAGE_OF.get(kind) ?? STAGES.length)
}

/**
 * Orders objects so that those on which others depend come first: definitions, namespaces, classes, roles, policies,
 * configuration, workloads.
 */
export const inOrder = (objects: readonly InputObject[]): InputObject[] => objects.toSorted((a, b) => stageOf(a) - stageOf(b))

/** Reports whether admission of other objects depends on objects of this kind. */
export const affectsAdmission = (object: Pick<InputObject, 'apiVersion' | 'kind'>): boolean => {
  const stage = stageOf(object)
  return stage < STAGES.length - 1 || stage > STAGES.length || groupKind(object) === '/ConfigMap'
}

/** Kinds that decide which pods may be created, as `group/Kind`. */
const ON_PODS: ReadonlySet<string> = new Set([
  '/ResourceQuota',
  '/LimitRange',
  'admissionregistration.k8s.io/ValidatingAdmissionPolicy',
  'admissionregistration.k8s.io/MutatingAdmissionPolicy',
  'admissionregistration.k8s.io/ValidatingWebhookConfiguration',
  'admissionregistration.k8s.io/MutatingWebhookConfiguration',
])

/** Reports whether an object decides which pods may be created. */
export const decidesOnPods = (object: Pick<InputObject, 'apiVersion' | 'kind' | 'value'>): boolean =>
  ON_PODS.has(groupKind(object)) ||
  Object.keys(objectIn(objectIn(object.value.metadata).labels)).some(label => label.startsWith('pod-security.kubernetes.io/'))
