import { updateKind } from '../catalog/define.ts'
import { errorMessage } from '../lib/error-message.ts'
import { deepEqual } from '../meta/equal.ts'
import { labelSelectorOf, matchesLabels } from '../meta/label-selector.ts'
import type { TypedObject } from '../meta/object.ts'
import { isStatusError } from '../meta/status.ts'
import { CLUSTER_ROLES } from '../resources/kinds.ts'
import type { ClusterRole, PolicyRule } from '../resources/rbac/v1.types.ts'
import type { Controller } from './controller.ts'
import { followFresh, WorkQueue } from './controller.ts'

const byName = (a: TypedObject, b: TypedObject): number => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1)

/** The rules of all other roles that the role's selectors select, by name, each rule once. Throws for a selector that can not be read. */
export function aggregatedRules(role: ClusterRole, all: Iterable<ClusterRole>): PolicyRule[] {
  const selectors = role.aggregationRule?.clusterRoleSelectors ?? []
  const sorted = [...all].sort(byName)
  const rules: PolicyRule[] = []
  for (const selector of selectors) {
    const requirements = labelSelectorOf(selector)
    for (const { metadata, rules: given } of sorted) {
      if (metadata.name === role.metadata.name || !matchesLabels(requirements, metadata.labels)) continue
      for (const rule of given ?? []) if (!rules.some(one => deepEqual(one, rule))) rules.push(rule)
    }
  }
  return rules
}

/**
 * Writes the rules of cluster roles that are aggregated from others
 * (https://kubernetes.io/docs/reference/access-authn-authz/rbac/#aggregated-clusterroles). Roles are few, and any may select any: a change has all that aggregate looked at again.
 */
export const clusterRoleAggregationController: Controller = async (env, signal) => {
  const roles = new Map<string, ClusterRole>()
  const aggregate = async (name: string): Promise<void> => {
    const role = roles.get(name)
    if (!role?.aggregationRule) return
    if (deepEqual(aggregatedRules(role, roles.values()), role.rules ?? [])) return
    try {
      await updateKind(env.access, CLUSTER_ROLES, { namespace: '', name }, now =>
        now.aggregationRule ? { ...now, rules: aggregatedRules(now, roles.values()) } : undefined,
      )
    } catch (error) {
      if (!isStatusError(error, 'NotFound')) throw error
    }
  }
  const queue = new WorkQueue(
    5,
    signal,
    aggregate,
    (name, error) => env.logger.debug(2, 'cluster role is not aggregated yet', { name, error: errorMessage(error) }),
    env.queues?.meter('ClusterRoleAggregator'),
  )
  const lookAgain = (): void => {
    for (const [name, role] of roles) if (role.aggregationRule) queue.add(name)
  }
  await followFresh(env, CLUSTER_ROLES, signal, () => {
    const before = new Set(roles.keys())
    let synced = false
    return ({ type, object }) => {
      if (object) {
        const { name = '' } = object.metadata
        before.delete(name)
        if (type === 'deleted') roles.delete(name)
        else roles.set(name, object)
      } else {
        synced = true
        for (const name of before) roles.delete(name)
      }
      if (synced) lookAgain()
    }
  })
}
