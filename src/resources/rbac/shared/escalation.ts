import type { TypedObject } from '../../../api/meta/object.ts'
import type { PolicyRule, RoleRef } from '../../../api/rbac/v1.types.ts'
import { missingRights } from '../../../auth/authz/rbac/covers.ts'
import type { RuleIndex } from '../../../auth/authz/rbac/rule-index.ts'
import { getKind } from '../../../catalog/define.ts'
import type { ResourceAccess } from '../../../catalog/resource-access.ts'
import type { Strategy } from '../../../catalog/strategy.ts'
import { aggregate } from '../../../lib/aggregate.ts'
import { compareText } from '../../../lib/compare-text.ts'
import { quote } from '../../../lib/go-quote.ts'
import { isStepDone, runInTurns, type Steps, sortInSteps } from '../../../lib/steps.ts'
import type { Features } from '../../../lifecycle/gates.ts'
import { isSince } from '../../../lifecycle/release.ts'
import { type Authorizer, isMaster, mayDo } from '../../../meta/authorizer.ts'
import type { RequestContext } from '../../../meta/context.ts'
import { deepEqual } from '../../../meta/equal.ts'
import { failure, forbiddenError, isStatusError, notFoundError } from '../../../meta/status.ts'
import { CLUSTER_ROLES, ROLES } from '../../kinds.ts'

/** Services by which a write of roles and bindings is checked: a user may grant only permissions that the user has. */
export interface EscalationServices {
  readonly authorizer: Authorizer
  /** Optional. Permissions that users have through roles. Unset if no authorization mode is RBAC. */
  readonly rules?: RuleIndex | undefined
}

type Authorize<T extends TypedObject> = NonNullable<Strategy<T>['authorize']>

/** Limit on permissions that are compared one by one. The largest default role has about 3,000. */
const MAX_RIGHTS = 50_000
const EVERYTHING: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
]

interface RoleParts extends TypedObject {
  rules: PolicyRule[] | null
  aggregationRule?: { clusterRoleSelectors?: readonly unknown[] } | undefined
}

const aggregates = (role: RoleParts | undefined): boolean => (role?.aggregationRule?.clusterRoleSelectors ?? []).length > 0

/**
 * Checks that the author of a role has every permission of the role, or may `escalate` it.
 * https://kubernetes.io/docs/reference/access-authn-authz/rbac/#privilege-escalation-prevention-and-bootstrapping
 */
export const authorizeRole =
  (services: EscalationServices): Authorize<RoleParts> =>
  async (next, old, { request, features }) => {
    if (!request || isMaster(request.user) || isOnlyCollected(next, old)) return
    const { group, resource, namespace, name } = request.info
    if (await mayDo(services.authorizer, request, { verb: 'escalate', group, version: '*', resource, namespace, name })) return
    const faults = await lacking(services, request, features, next.rules ?? [])
    if (faults !== undefined) throw escalationError(request, next, faults)
    const isFree = !aggregates(next) && !aggregates(old)
    if (!isFree && (await lacking(services, request, features, EVERYTHING)) !== undefined)
      throw escalationError(request, next, 'must have cluster-admin privileges to use the aggregationRule')
  }

/** Checks that the author of a binding has every permission of its role, or may `bind` it. */
export const authorizeBinding =
  (services: EscalationServices): Authorize<TypedObject & { roleRef: RoleRef }> =>
  async (next, old, { request, access, features }) => {
    if (!request || isMaster(request.user) || isOnlyCollected(next, old)) return
    const { roleRef } = next
    const { namespace } = request.info
    const kind = ROLE_KINDS.get(roleRef.kind)
    if (
      kind &&
      (await mayDo(services.authorizer, request, {
        verb: 'bind',
        group: roleRef.apiGroup,
        version: '*',
        resource: kind.resource,
        namespace,
        name: roleRef.name,
      }))
    )
      return
    const wanted = await getRoleRules(access(), roleRef, namespace).catch(error => {
      throw namesRequest(features) && isStatusError(error, 'NotFound') ? notFoundError(request.info, roleRef.name) : error
    })
    const faults = await lacking(services, request, features, wanted)
    if (faults !== undefined) throw escalationError(request, next, faults)
  }

const ROLE_KINDS = new Map([
  ['Role', ROLES],
  ['ClusterRole', CLUSTER_ROLES],
])

/** Reports whether a missing role is reported under the resource of the request, as since 1.32. */
const namesRequest = ({ release }: Features): boolean => isSince(release, '1.32')

/** Reads the role from the store, as it may have been written just before. Throws 404. */
async function getRoleRules(api: ResourceAccess, { kind, name }: RoleRef, namespace: string): Promise<readonly PolicyRule[]> {
  if (kind === 'Role') return (await getKind(api, ROLES, namespace, name)).rules ?? []
  if (kind === 'ClusterRole') return (await getKind(api, CLUSTER_ROLES, '', name)).rules ?? []
  throw failure(500, '', `unsupported role reference kind: ${quote(kind)}`)
}

/**
 * Reports whether an update changes only metadata that the garbage collector changes. It grants nothing then, and must
 * not prevent the deletion.
 */
function isOnlyCollected(next: TypedObject, old: TypedObject | undefined): boolean {
  if (!old) return false
  const { ownerReferences, finalizers, managedFields } = old.metadata
  return deepEqual({ ...next, metadata: { ...next.metadata, ownerReferences, finalizers, managedFields } }, old)
}

/** Returns the reason why the user may not grant the rules, or undefined. */
async function lacking(
  { rules: index }: EscalationServices,
  { user, info, signal }: RequestContext,
  features: Features,
  wanted: readonly PolicyRule[],
): Promise<string | undefined> {
  const errors: string[] = []
  // The authorizer's message names the kind of a missing role, the registry's a resource.
  const missingRole = namesRequest(features) ? `${info.resource}.` : '$1roles.'
  const onError = (text: string): unknown => errors.push(text.replace(/^(cluster)?role\./, missingRole))
  const owned = [...(index?.grants(user, info.namespace, onError) ?? [])].flatMap(({ rules }) => rules)
  const { rules: missing, areMore } = await runInTurns(missingRights(owned, wanted, MAX_RIGHTS), signal)
  if (missing.length === 0 && !areMore) return undefined
  const groups = user.groups.map(quote).join(' ')
  const lines = await runInTurns(permissionLines(missing), signal)
  if (areMore) lines.push(`and more: of rules that no single rule covers, ${MAX_RIGHTS} rights are compared`)
  const resolution = errors.length === 0 ? '' : `; resolution errors: [${aggregate(errors)}]`
  return `user ${quote(user.name)} (groups=[${groups}]) is attempting to grant RBAC permissions not currently held:\n${lines.join('\n')}${resolution}`
}

/** Returns the missing permissions, one line per rule, sorted. */
function* permissionLines(missing: readonly PolicyRule[]): Steps<string[]> {
  const lines = new Set<string>()
  for (const rule of yield* compacted(missing)) {
    lines.add(goPolicyRule(rule))
    if (isStepDone()) yield
  }
  return yield* sortInSteps([...lines], compareText)
}

/** Merges rules for the same resource, or the same resource name, into one rule with several verbs. */
function* compacted(rules: readonly PolicyRule[]): Steps<PolicyRule[]> {
  const others: PolicyRule[] = []
  const byResource = new Map<string, PolicyRule & { verbs: string[] }>()
  for (const rule of rules) {
    if (isStepDone()) yield
    if (rule.nonResourceURLs) {
      others.push(rule)
      continue
    }
    const key = JSON.stringify([rule.apiGroups, rule.resources, rule.resourceNames])
    const known = byResource.get(key)
    if (known) known.verbs.push(...(rule.verbs ?? []))
    else byResource.set(key, { ...rule, verbs: [...(rule.verbs ?? [])] })
  }
  return [...others, ...byResource.values()]
}

/** Prints a rule as Go does: `{APIGroups:["apps"], Resources:["deployments"], Verbs:["get" "list"]}`. */
function goPolicyRule({ apiGroups, resources, nonResourceURLs, resourceNames, verbs }: PolicyRule): string {
  const parts = { APIGroups: apiGroups, Resources: resources, NonResourceURLs: nonResourceURLs, ResourceNames: resourceNames, Verbs: verbs }
  const shown = Object.entries(parts).flatMap(([name, list]) => (list && list.length > 0 ? [`${name}:[${list.map(quote).join(' ')}]`] : []))
  return `{${shown.join(', ')}}`
}

const escalationError = ({ info }: RequestContext, next: TypedObject, why: string): Error =>
  forbiddenError({ group: info.group, resource: info.resource }, next.metadata.name ?? '', why)
