import type { TypedObject } from '../api/meta/object.ts'
import type { ClusterRole, PolicyRule } from '../api/rbac/v1.types.ts'
import { updateKind } from '../catalog/define.ts'
import { errorMessage } from '../lib/error-message.ts'
import { isStepDone, runInTurns, type Steps } from '../lib/steps.ts'
import { deepEqual } from '../meta/equal.ts'
import { labelSelectorOf, matchesLabels } from '../meta/label-selector.ts'
import { isStatusError } from '../meta/status.ts'
import { CLUSTER_ROLES } from '../resources/kinds.ts'
import type { Controller } from './controller.ts'
import { followFresh, WorkQueue } from './controller.ts'

const compareObjectNames = (a: TypedObject, b: TypedObject): number => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1)

/** Key of a rule. Equal rules have equal keys. */
const ruleKey = ({ verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] }: PolicyRule): string =>
  JSON.stringify([verbs, apiGroups, resources, resourceNames, nonResourceURLs])

/**
 * Returns the rules of all other roles that match the selectors, ordered by role name, without duplicates. Runs in
 * steps, because selectors and rules are limited only by the body size. Throws if a selector is malformed.
 */
export function* aggregatedRules(role: ClusterRole, all: Iterable<ClusterRole>): Steps<PolicyRule[]> {
  const left = new Set([...all].filter(({ metadata }) => metadata.name !== role.metadata.name).sort(compareObjectNames))
  const rules = new Map<string, PolicyRule>()
  for (const selector of role.aggregationRule?.clusterRoleSelectors ?? []) {
    const requirements = labelSelectorOf(selector)
    for (const one of left) {
      if (isStepDone()) yield
      if (!matchesLabels(requirements, one.metadata.labels)) continue
      // Another selector would add the same rules.
      left.delete(one)
      for (const rule of one.rules ?? []) {
        if (isStepDone()) yield
        const key = ruleKey(rule)
        if (!rules.has(key)) rules.set(key, rule)
      }
    }
  }
  return [...rules.values()]
}

/**
 * Writes the rules of aggregated cluster roles. Roles are few and any can match any selector, so every change
 * re-evaluates all of them. https://kubernetes.io/docs/reference/access-authn-authz/rbac/#aggregated-clusterroles
 */
export const clusterRoleAggregationController: Controller = async (env, signal) => {
  const roles = new Map<string, ClusterRole>()
  const aggregate = async (name: string): Promise<void> => {
    const role = roles.get(name)
    if (!role?.aggregationRule) return
    const rules = await runInTurns(aggregatedRules(role, roles.values()))
    if (deepEqual(rules, role.rules ?? [])) return
    try {
      // If the selectors changed meanwhile, that event triggers another run.
      await updateKind(env.access, CLUSTER_ROLES, { namespace: '', name }, now =>
        now.aggregationRule && deepEqual(now.aggregationRule, role.aggregationRule) ? { ...now, rules } : undefined,
      )
    } catch (error) {
      if (!isStatusError(error, 'NotFound')) throw error
    }
  }
  const queue = new WorkQueue(
    5,
    signal,
    aggregate,
    (name, error) => env.logger.debug(2, 'cannot aggregate a cluster role, retrying', { name, error: errorMessage(error) }),
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
