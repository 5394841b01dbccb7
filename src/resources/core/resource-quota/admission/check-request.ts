import { refuse } from '../../../../admission/refuse.ts'
import type { ResourceQuota, ScopedResourceSelectorRequirement } from '../../../../api/core/v1.types.ts'
import type { KubeObject } from '../../../../api/meta/object.ts'
import { isStepDone, runIfSteps, type Steps } from '../../../../lib/steps.ts'
import { failure } from '../../../../meta/status.ts'
import type { AdmissionRequest } from '../../../../registry/types.ts'
import {
  type Amounts,
  added,
  amountsFor,
  amountsOf,
  exceeding,
  keepAmounts,
  lessened,
  masked,
  negatives,
  printAmounts,
  printNames,
  withoutZeros,
} from '../usage/amounts.ts'
import type { Evaluator } from '../usage/evaluator.ts'
import { scopesOf } from '../usage/scopes.ts'

/** A resource that may not be used without a quota that limits it. LimitedResource of the plugin's configuration. */
export interface LimitedResource {
  /** Optional. Defaults to the core group. */
  readonly apiGroup?: string
  /** Plural name in lower case. */
  readonly resource: string
  /** Substrings of the names of the usage. */
  readonly matchContains?: readonly string[]
  /** Optional. Scopes that an object may enter only if a quota that it belongs to has the scope, too. */
  readonly matchScopes?: readonly ScopedResourceSelectorRequirement[]
}

/** A quota during a check. `used` includes the requests of the batch that were accepted before. */
export interface RunningQuota {
  /** Quota as read or last written. */
  quota: ResourceQuota
  /** Limits in the status, which a controller copies from the spec. */
  readonly hard: Amounts
  /** Usage in the status, plus what the batch has reserved so far. */
  used: Amounts
}

/** Starts a check from the status of a quota. Usage that the status does not list is not known. */
export const runningQuota = (quota: ResourceQuota): RunningQuota => ({
  quota,
  hard: amountsOf(quota.status.hard),
  used: amountsOf(quota.status.used),
})

/** `runningQuota` for several, in steps if they have long lists. */
export function* runningQuotas(quotas: readonly ResourceQuota[]): Steps<RunningQuota[]> {
  for (const { status } of quotas) for (const list of [status.hard, status.used]) yield* keepAmounts(list)
  return quotas.map(runningQuota)
}

/** Amounts that a request adds to a quota. */
export interface Reserved {
  /** Quota that limits the request. */
  readonly running: RunningQuota
  /** Positive amounts of names in the hard limits of the quota. An update that uses less reserves nothing. */
  readonly amounts: Amounts
}

/** A request, the object that it writes, and the evaluator that counts the object. */
export interface Counted {
  /** Request whose operation decides if an old object is subtracted. */
  readonly request: AdmissionRequest
  readonly object: KubeObject
  readonly evaluator: Evaluator
  /** Milliseconds since the epoch. */
  readonly now: number
}

/**
 * Checks a request against all quotas of its namespace. Returns what it adds to the quotas that limit it, which the
 * caller adds up. Throws 403 if a quota would be exceeded, or its usage is not known. Source: CheckRequest of
 * staging/src/k8s.io/apiserver/pkg/admission/plugin/resourcequota in k8s.io/kubernetes.
 */
export function* checkRequest(
  quotas: readonly RunningQuota[],
  counted: Counted,
  limitedResources: readonly LimitedResource[] = [],
): Steps<Reserved[]> {
  const { request, object, evaluator, now } = counted
  const { covering, scopes } = yield* coveringQuotas(quotas, counted)
  const usage = yield* runIfSteps(evaluator.usage(object, now))
  const negative = negatives(usage)
  if (negative.length > 0) throw refuse(request, `quota usage is negative for resource(s): ${printNames(negative)}`)
  const before = request.operation === 'UPDATE' && request.old ? yield* runIfSteps(evaluator.usage(request.old, now)) : undefined
  const delta = before ? lessened(usage, before) : usage
  const reserved = covering.flatMap(running => {
    const isCountedBefore = before !== undefined && request.old !== undefined && isInScopes(running, evaluator, request.old)
    const amounts = withoutZeros(isCountedBefore ? delta : usage)
    return amounts.size === 0 ? [] : [{ running, amounts: masked(amounts, name => running.hard.has(name)) }]
  })
  const isFree = covering.length === 0 ? withoutZeros(delta).size === 0 : reserved.length === 0
  if (isFree) return []
  if (limitedResources.length > 0) requireCover(counted, usage, limitedResources, { covering, scopes })
  if (request.subresource !== 'status') for (const each of reserved) refuseExcess(request, each)
  return reserved
}

interface Cover {
  /** Quotas that limit the object. */
  readonly covering: readonly RunningQuota[]
  /** Scopes of any quota that the object belongs to. */
  readonly scopes: readonly ScopedResourceSelectorRequirement[]
}

/**
 * Returns the quotas that limit the object. Throws 403 if the object does not specify a resource that one of them
 * limits, or its usage is not known yet.
 */
function* coveringQuotas(quotas: readonly RunningQuota[], { request, object, evaluator }: Counted): Steps<Cover> {
  const scopes: ScopedResourceSelectorRequirement[] = []
  const covering: RunningQuota[] = []
  for (const running of quotas) {
    scopes.push(...scopesOf(running.quota).filter(scope => evaluator.inScope?.(scope, object)))
    if (!isInScopes(running, evaluator, object)) continue
    const { name } = running.quota.metadata
    const limited = yield* limitedNames(running, evaluator)
    if (limited.size === 0) continue
    const missing = evaluator.missing && (yield* evaluator.missing(limited, object))
    if (missing !== undefined) throw refuse(request, `failed quota: ${name}: ${missing}`)
    for (const each of limited) {
      if (isStepDone()) yield
      if (!running.used.has(each)) throw refuse(request, `status unknown for quota: ${name}, resources: ${printNames(limited)}`)
    }
    covering.push(running)
  }
  return { covering, scopes }
}

/**
 * Returns the names in the limits of a quota that objects of this kind use. The quota matches them only if there are
 * any.
 */
function* limitedNames({ hard }: RunningQuota, evaluator: Evaluator): Steps<ReadonlySet<string>> {
  const names = new Set<string>()
  for (const name of hard.keys()) {
    if (isStepDone()) yield
    if (evaluator.counts(name)) names.add(name)
  }
  return names
}

/** Reports whether an object is in all scopes of a quota. */
const isInScopes = ({ quota }: RunningQuota, evaluator: Evaluator, object: KubeObject): boolean =>
  scopesOf(quota).every(scope => evaluator.inScope?.(scope, object) === true)

/** Throws 403 if the usage would exceed a limit. Its text has only the resources that exceed theirs. */
function refuseExcess(request: AdmissionRequest, { running: { quota, hard, used }, amounts }: Reserved): void {
  const names = exceeding(added(amountsFor(amounts.keys(), used), amounts), hard)
  if (names.length === 0) return
  const [requested, before, limited] = [amounts, used, hard].map(each => printAmounts(amountsFor(names, each)))
  throw refuse(request, `exceeded quota: ${quota.metadata.name}, requested: ${requested}, used: ${before}, limited: ${limited}`)
}

/**
 * Throws if the request uses a resource, or enters a scope, that the configuration requires a quota for and no quota
 * limits.
 */
function requireCover(
  { request, object, evaluator }: Counted,
  usage: Amounts,
  limitedResources: readonly LimitedResource[],
  { covering, scopes }: Cover,
): void {
  const { group, resource } = evaluator.resource
  const limited = limitedResources.filter(each => (each.apiGroup ?? '') === group && each.resource === resource)
  const isLimited = (name: string): boolean => limited.some(({ matchContains = [] }) => matchContains.some(part => name.includes(part)))
  const uncovered = [...usage]
    .filter(([name, { value }]) => value > 0n && isLimited(name))
    .map(([name]) => name)
    .filter(name => !covering.some(({ hard }) => hard.has(name) && evaluator.counts(name)))
  if (uncovered.length > 0) throw refuse(request, `insufficient quota to consume: ${printNames(uncovered)}`)
  if (!evaluator.inScope) return
  // Upstream checks the scopes of all limited resources, whatever the resource of the request.
  const entered = limitedResources.flatMap(({ matchScopes = [] }) => matchScopes.filter(scope => evaluator.inScope?.(scope, object)))
  const open = entered.filter(({ scopeName }) => !scopes.some(scope => scope.scopeName === scopeName))
  // Upstream returns a plain error here, which becomes a 500 instead of a 403.
  if (open.length > 0) throw failure(500, '', `insufficient quota to match these scopes: [${open.map(printScope).join(' ')}]`)
}

/** Prints the struct as Go's %v does. */
const printScope = ({ scopeName, operator, values = [] }: ScopedResourceSelectorRequirement): string =>
  `{${scopeName} ${operator} [${values.join(' ')}]}`
