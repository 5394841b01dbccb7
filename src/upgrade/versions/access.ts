import { isJsonObject, type JsonObject, type KubeObject } from '../../api/meta/object.ts'
import { parseApiVersion } from '../../meta/gvk.ts'
import { objectsIn, rename } from '../../meta/json-members.ts'
import type { OldVersion } from './old-version.ts'

const RBAC = 'rbac.authorization.k8s.io'

const ROLES = [
  ['ClusterRole', 'clusterroles'],
  ['ClusterRoleBinding', 'clusterrolebindings'],
  ['Role', 'roles'],
  ['RoleBinding', 'rolebindings'],
] as const

/** API groups of the known kinds of subjects, whatever group a subject has. */
const SUBJECT_GROUPS: Readonly<Record<string, string>> = { ServiceAccount: '', User: RBAC, Group: RBAC }

/**
 * Converts subjects of v1alpha1, which has apiVersion instead of the group, and `*` for all users. Source:
 * pkg/apis/rbac/v1alpha1/conversion.go.
 */
function toSubjects(object: KubeObject): KubeObject {
  for (const subject of objectsIn(object.subjects)) {
    const { apiVersion } = subject
    delete subject.apiVersion
    if (subject.kind === 'User' && subject.name === '*') Object.assign(subject, { kind: 'Group', name: 'system:authenticated' })
    const { kind } = subject
    const group = typeof kind === 'string' && Object.hasOwn(SUBJECT_GROUPS, kind) ? SUBJECT_GROUPS[kind] : groupOf(apiVersion)
    if (group) subject.apiGroup = group
  }
  return object
}

const groupOf = (apiVersion: unknown): string => (typeof apiVersion === 'string' ? (parseApiVersion(apiVersion)?.group ?? '') : '')

/** Renames `group`, as v1beta1 has it, to `groups`. */
function toReview(object: KubeObject): KubeObject {
  if (isJsonObject(object.spec)) rename(object.spec, 'group', 'groups')
  return object
}

const REVIEWS = [
  ['LocalSubjectAccessReview', 'localsubjectaccessreviews'],
  ['SelfSubjectAccessReview', 'selfsubjectaccessreviews'],
  ['SelfSubjectRulesReview', 'selfsubjectrulesreviews'],
  ['SubjectAccessReview', 'subjectaccessreviews'],
] as const

/**
 * Sets fields that v1 requires. Source: pkg/apis/certificates/v1beta1/defaults.go, in which a request that no other
 * rule matches has this signer.
 */
function setRequestDefaults({ spec }: KubeObject): void {
  if (!isJsonObject(spec)) return
  spec.usages ??= ['digital signature', 'key encipherment']
  if (spec.signerName === undefined) setSigner(spec)
}

function setSigner(spec: JsonObject): void {
  spec.signerName = 'kubernetes.io/legacy-unknown'
}

/** Roles, reviews and certificate requests of releases up to 1.21. */
export const OLD_ACCESS: readonly OldVersion[] = [
  ...ROLES.flatMap(([kind, resource]): OldVersion[] => [
    { group: RBAC, name: 'v1beta1', kind, type: `rbacV1beta1.${kind}`, into: { group: RBAC, resource } },
    { group: RBAC, name: 'v1alpha1', kind, type: `rbacV1alpha1.${kind}`, into: { group: RBAC, resource }, toHub: toSubjects },
  ]),
  ...REVIEWS.map(([kind, resource]) => ({
    group: 'authorization.k8s.io',
    name: 'v1beta1',
    kind,
    type: `authorizationV1beta1.${kind}`,
    into: { group: 'authorization.k8s.io', resource },
    toHub: toReview,
  })),
  {
    group: 'authentication.k8s.io',
    name: 'v1beta1',
    kind: 'TokenReview',
    type: 'authenticationV1beta1.TokenReview',
    into: { group: 'authentication.k8s.io', resource: 'tokenreviews' },
  },
  {
    group: 'certificates.k8s.io',
    name: 'v1beta1',
    kind: 'CertificateSigningRequest',
    type: 'certificatesv1beta1.CertificateSigningRequest',
    into: { group: 'certificates.k8s.io', resource: 'certificatesigningrequests' },
    setDefaults: setRequestDefaults,
  },
]
