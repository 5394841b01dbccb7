import type { Json, JsonObject } from '../../api/meta/object.ts'
import { podReferences } from './pod-references.ts'
import { listItems, nonEmptyText, type ObjectReference, objectAt, podTemplateOf } from './reference.ts'

const RBAC = 'rbac.authorization.k8s.io/v1'

/** References of an object of a built-in kind. */
export function referencesOf(object: JsonObject, namespace: string): ObjectReference[] {
  const template = podTemplateOf(object)
  const ofPods = template ? podReferences(template, namespace, { isPod: object.kind === 'Pod', claimed: claimedVolumes(object) }) : []
  const name = `${String(object.apiVersion)} ${String(object.kind)}`
  const ofKind = Object.hasOwn(OF_KINDS, name) ? OF_KINDS[name] : undefined
  return [...ofPods, ...(ofKind?.(object, namespace) ?? [])]
}

/** Volumes that the claim templates of a StatefulSet replace in its pods. */
const claimedVolumes = (object: JsonObject): ReadonlySet<string> =>
  new Set(
    object.kind === 'StatefulSet'
      ? listItems(objectAt(object, 'spec').volumeClaimTemplates, '').map(({ item }) => String(objectAt(item, 'metadata').name))
      : [],
  )

type References = (object: JsonObject, namespace: string) => ObjectReference[]

const one = (apiVersion: string, kind: string, namespace: string, name: Json | undefined, field: string): ObjectReference[] => {
  const text = nonEmptyText(name)
  if (text === undefined) return []
  return [{ apiVersion, kind, namespace, name: text, field }]
}

const bindingReferences: References = (object, namespace) => {
  const role = objectAt(object, 'roleRef')
  return [
    ...one(RBAC, String(role.kind), role.kind === 'Role' ? namespace : '', role.name, 'roleRef.name'),
    ...listItems(object.subjects, 'subjects').flatMap(({ item, path }) =>
      item.kind === 'ServiceAccount'
        ? one('v1', 'ServiceAccount', nonEmptyText(item.namespace) ?? namespace, item.name, `${path}.name`)
        : [],
    ),
  ]
}

const ingressReferences: References = (object, namespace) => {
  const spec = objectAt(object, 'spec')
  const backend = (holder: JsonObject, path: string): ObjectReference[] => {
    const service = objectAt(holder, 'service')
    const { number, name } = objectAt(service, 'port')
    const port = number ?? name
    return one('v1', 'Service', namespace, service.name, `${path}.service.name`).map(reference => ({
      ...reference,
      ...((typeof port === 'number' || typeof port === 'string') && { port }),
    }))
  }
  return [
    ...one('networking.k8s.io/v1', 'IngressClass', '', spec.ingressClassName, 'spec.ingressClassName'),
    ...backend(objectAt(spec, 'defaultBackend'), 'spec.defaultBackend'),
    ...listItems(spec.rules, 'spec.rules').flatMap(({ item, path }) =>
      listItems(objectAt(item, 'http').paths, `${path}.http.paths`).flatMap(({ item: rule, path: at }) =>
        backend(objectAt(rule, 'backend'), `${at}.backend`),
      ),
    ),
    ...listItems(spec.tls, 'spec.tls').flatMap(({ item, path }) => one('v1', 'Secret', namespace, item.secretName, `${path}.secretName`)),
  ]
}

const webhookReferences: References = object =>
  listItems(object.webhooks, 'webhooks').flatMap(({ item, path }) => {
    const service = objectAt(item, 'clientConfig', 'service')
    return one('v1', 'Service', String(service.namespace), service.name, `${path}.clientConfig.service.name`)
  })

const policyReferences =
  (kind: string): References =>
  object =>
    one('admissionregistration.k8s.io/v1', kind, '', objectAt(object, 'spec').policyName, 'spec.policyName')

const claimReferences: References = object =>
  one('storage.k8s.io/v1', 'StorageClass', '', objectAt(object, 'spec').storageClassName, 'spec.storageClassName')

/** References by apiVersion and kind. */
const OF_KINDS: Readonly<Record<string, References>> = {
  'apps/v1 StatefulSet': (object, namespace) => {
    const spec = objectAt(object, 'spec')
    return [
      ...one('v1', 'Service', namespace, spec.serviceName, 'spec.serviceName'),
      ...listItems(spec.volumeClaimTemplates, 'spec.volumeClaimTemplates').flatMap(({ item, path }) =>
        one('storage.k8s.io/v1', 'StorageClass', '', objectAt(item, 'spec').storageClassName, `${path}.spec.storageClassName`),
      ),
    ]
  },
  'v1 PersistentVolumeClaim': claimReferences,
  'networking.k8s.io/v1 Ingress': ingressReferences,
  'autoscaling/v2 HorizontalPodAutoscaler': scaleTarget,
  'autoscaling/v1 HorizontalPodAutoscaler': scaleTarget,
  [`${RBAC} RoleBinding`]: bindingReferences,
  [`${RBAC} ClusterRoleBinding`]: bindingReferences,
  'v1 ServiceAccount': (object, namespace) =>
    listItems(object.imagePullSecrets, 'imagePullSecrets').flatMap(({ item, path }) =>
      one('v1', 'Secret', namespace, item.name, `${path}.name`),
    ),
  'admissionregistration.k8s.io/v1 ValidatingAdmissionPolicyBinding': policyReferences('ValidatingAdmissionPolicy'),
  'admissionregistration.k8s.io/v1 MutatingAdmissionPolicyBinding': policyReferences('MutatingAdmissionPolicy'),
  'admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration': webhookReferences,
  'admissionregistration.k8s.io/v1 MutatingWebhookConfiguration': webhookReferences,
  'apiregistration.k8s.io/v1 APIService': object => {
    const service = objectAt(object, 'spec', 'service')
    return one('v1', 'Service', String(service.namespace), service.name, 'spec.service.name')
  },
}

function scaleTarget(object: JsonObject, namespace: string): ObjectReference[] {
  const { apiVersion, kind, name } = objectAt(object, 'spec', 'scaleTargetRef')
  return one(String(apiVersion), String(kind), namespace, name, 'spec.scaleTargetRef.name')
}
