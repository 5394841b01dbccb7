import { trimEndOf } from '../lib/trim.ts'
import type { AuditLevel } from '../meta/audit.ts'
import type { RequestInfo, User } from '../meta/context.ts'

/** Stages of a request at which an event is written. */
export const STAGES = ['RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic'] as const
/** ResponseStarted is only for responses that are streamed: watches, logs, commands. */
export type Stage = (typeof STAGES)[number]

/** Levels of detail, in ascending order. Metadata has no bodies, Request has the request's, RequestResponse both. */
export const LEVELS = ['None', 'Metadata', 'Request', 'RequestResponse'] as const

/**
 * Which requests are audited, and in how much detail
 * (https://kubernetes.io/docs/reference/config-api/apiserver-audit.v1/#audit-k8s-io-v1-Policy). Absent and empty lists
 * match everything.
 */
export interface AuditPolicy {
  /** The first matching rule applies. Never empty. */
  readonly rules: readonly PolicyRule[]
  /** Optional. Stages at which no request has an event. */
  readonly omitStages?: readonly Stage[]
  /** Optional. Whether managed fields are left out of bodies. Defaults to false. */
  readonly omitManagedFields?: boolean
}

/**
 * A rule of a policy. Empty and omitted lists match everything. A rule with `resources` or `namespaces` only matches
 * resource requests, one with `nonResourceURLs` only others.
 */
export interface PolicyRule {
  readonly level: 'None' | AuditLevel
  /** Optional. User names, after authentication and before impersonation. */
  readonly users?: readonly string[]
  /** Optional. The user has to be a member of one of them. */
  readonly userGroups?: readonly string[]
  readonly verbs?: readonly string[]
  readonly resources?: readonly GroupResources[]
  /** The empty string matches cluster-scoped requests. */
  readonly namespaces?: readonly string[]
  /** A path, `*`, or a prefix followed by `*`. */
  readonly nonResourceURLs?: readonly string[]
  /** Stages that are omitted besides those of the policy. */
  readonly omitStages?: readonly Stage[]
  /** Overrides the policy's value. */
  readonly omitManagedFields?: boolean
}

interface GroupResources {
  /** Optional. Defaults to the core group. */
  readonly group?: string
  /** `pods`, `pods/log`, or either part as `*`. */
  readonly resources?: readonly string[]
  /** Optional. Names of objects. Only matched if `resources` is not empty. */
  readonly resourceNames?: readonly string[]
}

/** Decision of the policy for a request. */
export interface Audited {
  readonly level: AuditLevel
  readonly omitStages: ReadonlySet<Stage>
  readonly omitManagedFields: boolean
}

/**
 * Evaluates a policy for a request. Returns undefined for the level None. `user`: undefined if the request was not
 * authenticated.
 */
export type PolicyEvaluator = (user: User | undefined, info: RequestInfo) => Audited | undefined

/** Compiles a policy. As upstream, a request that no rule matches is not audited. */
export function policyEvaluator({ rules, omitStages = [], omitManagedFields = false }: AuditPolicy): PolicyEvaluator {
  const compiled = rules.map(rule => ({ rule, audited: auditedBy(rule, omitStages, omitManagedFields) }))
  return (user, info) => compiled.find(({ rule }) => matchesAuditRule(rule, user, info))?.audited
}

/** Returns the decision of a rule. Undefined for the level None, which ends the search. */
function auditedBy(
  { level, omitStages = [], omitManagedFields }: PolicyRule,
  always: readonly Stage[],
  byDefault: boolean,
): Audited | undefined {
  if (level === 'None') return undefined
  return { level, omitStages: new Set([...always, ...omitStages]), omitManagedFields: omitManagedFields ?? byDefault }
}

const isGiven = <T>(list: readonly T[] | undefined): list is readonly T[] => list !== undefined && list.length > 0

/** Reports whether a rule matches a request. A rule for both kinds of requests is rejected by validation. */
function matchesAuditRule(rule: PolicyRule, user: User | undefined, info: RequestInfo): boolean {
  const { users, userGroups, verbs, namespaces, resources, nonResourceURLs } = rule
  if (isGiven(users) && (user === undefined || !users.includes(user.name))) return false
  if (isGiven(userGroups) && !user?.groups.some(group => userGroups.includes(group))) return false
  if (isGiven(verbs) && !verbs.includes(info.verb)) return false
  if (isGiven(namespaces) || isGiven(resources)) return info.isResource && matchesResource(rule, info)
  if (isGiven(nonResourceURLs)) return !info.isResource && nonResourceURLs.some(pattern => matchesPath(pattern, info.path))
  return true
}

/** Reports whether namespace and resource of a request match. */
function matchesResource({ namespaces, resources }: PolicyRule, info: RequestInfo): boolean {
  if (isGiven(namespaces) && !namespaces.includes(info.namespace)) return false
  return !isGiven(resources) || resources.some(one => matchesGroupResources(one, info))
}

/** Reports whether an entry matches: `pods` does not match a subresource, `pods/*` also matches pods themselves. */
function matchesGroupResources({ group = '', resources, resourceNames }: GroupResources, info: RequestInfo): boolean {
  if (group !== info.group) return false
  if (!isGiven(resources)) return true
  if (isGiven(resourceNames) && !resourceNames.includes(info.name)) return false
  const { resource, subresource } = info
  const whole = subresource === '' ? resource : `${resource}/${subresource}`
  return resources.some(
    one =>
      one === whole ||
      one === '*' ||
      (subresource !== '' && one === `*/${subresource}`) ||
      (one.endsWith('/*') && one.slice(0, -2) === resource),
  )
}

const matchesPath = (pattern: string, path: string): boolean =>
  pattern === '*' || pattern === path || (pattern.endsWith('*') && path.startsWith(trimEndOf(pattern, '*')))
