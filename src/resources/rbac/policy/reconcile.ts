import type { TypedObject } from '../../../api/meta/object.ts'
import type { ClusterRole, ClusterRoleBinding, Subject } from '../../../api/rbac/v1.types.ts'
import { missingRules } from '../../../auth/authz/rbac/covers.ts'
import { clone, deepEqual } from '../../../meta/equal.ts'
import { aggregationSelectors } from '../shared/aggregation.ts'
import { AUTO_UPDATE } from './read-policy.ts'

/** Reports whether the annotation forbids updates by the server. */
const isProtected = ({ metadata }: TypedObject): boolean => metadata.annotations?.[AUTO_UPDATE] === 'false'

/** Returns a copy with the labels and annotations of the policy added. Existing values are kept. */
function withMetadata<T extends TypedObject>(now: T, wanted: T): T {
  const next = clone(now)
  for (const part of ['annotations', 'labels'] as const) {
    const merged = { ...wanted.metadata[part], ...now.metadata[part] }
    if (Object.keys(merged).length > 0) next.metadata[part] = merged
  }
  return next
}

const changed = <T>(next: T, now: T): T | undefined => (deepEqual(next, now) ? undefined : next)

/**
 * Returns the role with the rules and selectors of the policy that it lacks, or undefined if nothing is missing or the
 * role is protected. Nothing is removed, except for an aggregation rule if the policy has none. A namespaced role is a
 * role without aggregation.
 */
export function reconcileRole(now: ClusterRole, wanted: ClusterRole): ClusterRole | undefined {
  if (isProtected(now)) return undefined
  const next = withMetadata(now, wanted)
  // Most roles equal the policy, which is checked quickly.
  const missing = deepEqual(now.rules ?? [], wanted.rules ?? []) ? [] : missingRules(now.rules ?? [], wanted.rules ?? [])
  if (missing.length > 0) next.rules = [...(now.rules ?? []), ...missing]
  if (!wanted.aggregationRule) delete next.aggregationRule
  else {
    const lacking = aggregationSelectors(wanted).filter(selector => !aggregationSelectors(now).some(one => deepEqual(one, selector)))
    if (lacking.length > 0) next.aggregationRule = { clusterRoleSelectors: [...aggregationSelectors(now), ...lacking] }
  }
  return changed(next, now)
}

const isSameSubject = (a: Subject, b: Subject): boolean =>
  a.kind === b.kind && a.name === b.name && (a.apiGroup ?? '') === (b.apiGroup ?? '') && (a.namespace ?? '') === (b.namespace ?? '')

/**
 * Returns the binding with the subjects of the policy that it lacks, `recreate` if it refers to another role, which is
 * immutable, or undefined if nothing is missing or the binding is protected.
 */
export function reconcileBinding(now: ClusterRoleBinding, wanted: ClusterRoleBinding): ClusterRoleBinding | 'recreate' | undefined {
  if (isProtected(now)) return undefined
  if (!deepEqual(now.roleRef, wanted.roleRef)) return 'recreate'
  const next = withMetadata(now, wanted)
  const present = now.subjects ?? []
  const missing = (wanted.subjects ?? []).filter(subject => !present.some(one => isSameSubject(one, subject)))
  if (missing.length > 0) next.subjects = [...present, ...missing]
  return changed(next, now)
}
