import { missingRules } from '../../../auth/authz/rbac/covers.ts'
import { clone, deepEqual } from '../../../meta/equal.ts'
import type { LabelSelector } from '../../../meta/label-selector.ts'
import type { TypedObject } from '../../../meta/object.ts'
import type { ClusterRole, ClusterRoleBinding, Subject } from '../v1.types.ts'
import { AUTO_UPDATE } from './read-policy.ts'

/** Whose owner keeps it as it is. */
const isProtected = ({ metadata }: TypedObject): boolean => metadata.annotations?.[AUTO_UPDATE] === 'false'

/** A copy with the labels and annotations of the policy added; those that are there already stay. */
function withMetadata<T extends TypedObject>(now: T, wanted: T): T {
  const next = clone(now)
  for (const part of ['annotations', 'labels'] as const) {
    const merged = { ...wanted.metadata[part], ...now.metadata[part] }
    if (Object.keys(merged).length > 0) next.metadata[part] = merged
  }
  return next
}

const changed = <T>(next: T, now: T): T | undefined => (deepEqual(next, now) ? undefined : next)

const selectorsOf = ({ aggregationRule }: ClusterRole): LabelSelector[] => aggregationRule?.clusterRoleSelectors ?? []

/**
 * The role with what the policy wants of it and it lacks: rules and selectors are added, none is taken away, but for an aggregation where the policy has none. Undefined if nothing is to
 * be done, or the role is protected. A role of a namespace is one that aggregates nothing.
 */
export function reconcileRole(now: ClusterRole, wanted: ClusterRole): ClusterRole | undefined {
  if (isProtected(now)) return undefined
  const next = withMetadata(now, wanted)
  // Most roles are as they were made, which is quickly seen.
  const missing = deepEqual(now.rules ?? [], wanted.rules ?? []) ? [] : missingRules(now.rules ?? [], wanted.rules ?? [])
  if (missing.length > 0) next.rules = [...(now.rules ?? []), ...missing]
  if (!wanted.aggregationRule) delete next.aggregationRule
  else {
    const lacking = selectorsOf(wanted).filter(selector => !selectorsOf(now).some(one => deepEqual(one, selector)))
    if (lacking.length > 0) next.aggregationRule = { clusterRoleSelectors: [...selectorsOf(now), ...lacking] }
  }
  return changed(next, now)
}

const same = (a: Subject, b: Subject): boolean =>
  a.kind === b.kind && a.name === b.name && (a.apiGroup ?? '') === (b.apiGroup ?? '') && (a.namespace ?? '') === (b.namespace ?? '')

/**
 * The binding with the subjects of the policy that it lacks; `recreate` where it gives another role, which can not be changed. Undefined if nothing is to be done, or the binding
 * is protected.
 */
export function reconcileBinding(now: ClusterRoleBinding, wanted: ClusterRoleBinding): ClusterRoleBinding | 'recreate' | undefined {
  if (isProtected(now)) return undefined
  if (!deepEqual(now.roleRef, wanted.roleRef)) return 'recreate'
  const next = withMetadata(now, wanted)
  const present = now.subjects ?? []
  const missing = (wanted.subjects ?? []).filter(subject => !present.some(one => same(one, subject)))
  if (missing.length > 0) next.subjects = [...present, ...missing]
  return changed(next, now)
}
