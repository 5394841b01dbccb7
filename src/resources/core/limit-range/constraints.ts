import type { LimitRange, LimitRangeItem, PersistentVolumeClaim, Pod } from '../../../api/core/v1.types.ts'
import type { Steps } from '../../../lib/steps.ts'
import { ownMember } from '../../../meta/equal.ts'
import { canonicalQuantity, quantityMilliValue, quantityValue } from '../../../meta/quantity.ts'
import { type Amounts, podAmounts } from '../pod-spec/pod-amounts.ts'

/** Requests and limits of a container, a pod or a claim. */
interface Usage {
  readonly requests: Amounts
  readonly limits: Amounts
}

/** Largest amount whose thousandths fit an int64. */
const MOST_EXACT = (1n << 63n) / 1000n

/** Converts amounts to thousandths, or all of them to whole units if one would overflow an int64. */
function comparable(...amounts: readonly (string | undefined)[]): bigint[] {
  const whole = amounts.map(quantityValue)
  return whole.every(value => value <= MOST_EXACT) ? amounts.map(quantityMilliValue) : whole
}

/** Checks the usage of one resource. Returns the message of the violation, or undefined if there is none. */
type Constraint = (type: string, name: string, enforced: string, usage: Usage) => string | undefined

/** Requires a request of at least the minimum. A limit, if set, must reach it as well. */
const minimum: Constraint = (type, name, enforced, { requests, limits }) => {
  const [request, limit] = [ownMember(requests, name), ownMember(limits, name)]
  const [asked = 0n, most = 0n, least = 0n] = comparable(request, limit, enforced)
  const start = `minimum ${name} usage per ${type} is ${canonicalQuantity(enforced)}`
  if (request === undefined) return `${start}.  No request is specified`
  if (asked < least) return `${start}, but request is ${canonicalQuantity(request)}`
  return limit !== undefined && most < least ? `${start}, but limit is ${canonicalQuantity(limit)}` : undefined
}

/** Requires a limit of at most the maximum. A request, if set, must not exceed it either. */
const maximum: Constraint = (type, name, enforced, { requests, limits }) => {
  const [request, limit] = [ownMember(requests, name), ownMember(limits, name)]
  const [asked = 0n, most = 0n, highest = 0n] = comparable(request, limit, enforced)
  const start = `maximum ${name} usage per ${type} is ${canonicalQuantity(enforced)}`
  if (limit === undefined) return `${start}.  No limit is specified`
  if (most > highest) return `${start}, but limit is ${canonicalQuantity(limit)}`
  return request !== undefined && asked > highest ? `${start}, but request is ${canonicalQuantity(request)}` : undefined
}

/** Checks requests only: claims have no limits. */
const maximumRequest: Constraint = (type, name, enforced, { requests }) => {
  const request = ownMember(requests, name)
  const [asked = 0n, highest = 0n] = comparable(request, enforced)
  const start = `maximum ${name} usage per ${type} is ${canonicalQuantity(enforced)}`
  if (request === undefined) return `${start}.  No request is specified`
  return asked > highest ? `${start}, but request is ${canonicalQuantity(request)}` : undefined
}

/** Checks the limit divided by the request. It is a violation if either is missing or 0. */
const ratio: Constraint = (type, name, enforced, { requests, limits }) => {
  const [request, limit] = [ownMember(requests, name), ownMember(limits, name)]
  const [asked = 0n, most = 0n] = comparable(request, limit, enforced)
  const start = `${name} max limit to request ratio per ${type} is ${canonicalQuantity(enforced)}`
  if (request === undefined || asked === 0n) return `${start}, but no request is specified or request is 0`
  if (limit === undefined || most === 0n) return `${start}, but no limit is specified or limit is 0`
  const observed = Number(most) / Number(asked)
  const exact = quantityValue(enforced) <= MOST_EXACT
  const exceeds = exact ? observed * 1000 > Number(quantityMilliValue(enforced)) : observed > Number(quantityValue(enforced))
  return exceeds ? `${start}, but provided ratio is ${observed.toFixed(6)}` : undefined
}

const usageOf = ({ resources }: { readonly resources: Partial<Usage> }): Usage => ({
  requests: resources.requests ?? {},
  limits: resources.limits ?? {},
})

/** Limit on the violations that are collected for one object. */
const MOST_FAULTS = 2000
/** Resources that are checked between two yields to other work. */
const NAMES_AT_ONCE = 64

/** Appends the violations of the named resources to `faults`. */
function* checkConstraint(
  constraint: Constraint,
  limit: LimitRangeItem,
  amounts: Amounts | undefined,
  usage: Usage,
  faults: string[],
): Steps<void> {
  for (const [i, [name, enforced]] of Object.entries(amounts ?? {}).entries()) {
    if (i % NAMES_AT_ONCE === 0) yield
    const fault = faults.length < MOST_FAULTS ? constraint(limit.type, name, enforced, usage) : undefined
    if (fault !== undefined) faults.push(fault)
  }
}

/** Checks the minimum, then the maximum, then the ratio. */
function* checkAll(limit: LimitRangeItem, usage: Usage, faults: string[]): Steps<void> {
  yield* checkConstraint(minimum, limit, limit.min, usage, faults)
  yield* checkConstraint(maximum, limit, limit.max, usage, faults)
  yield* checkConstraint(ratio, limit, limit.maxLimitRequestRatio, usage, faults)
}

const limitsOf = ({ spec }: LimitRange): readonly LimitRangeItem[] => spec.limits ?? []

/**
 * Returns the violations of a LimitRange by a pod. A limit of type Container applies to each container and init
 * container, one of type Pod to the sum of all containers. Other types are ignored.
 */
export function* podFaults(range: LimitRange, { spec }: Pod): Steps<string[]> {
  const faults: string[] = []
  const containers = [...(spec.containers ?? []), ...(spec.initContainers ?? [])]
  for (const limit of limitsOf(range)) {
    if (limit.type === 'Container') for (const container of containers) yield* checkAll(limit, usageOf(container), faults)
    else if (limit.type === 'Pod') {
      yield* checkAll(limit, { requests: yield* podAmounts(spec, 'requests'), limits: yield* podAmounts(spec, 'limits') }, faults)
    }
  }
  return faults
}

/** Returns the violations of a LimitRange by a claim. Only requests are compared, and ratios are ignored. */
export function* claimFaults(range: LimitRange, { spec }: PersistentVolumeClaim): Steps<string[]> {
  const faults: string[] = []
  const usage = { requests: usageOf(spec).requests, limits: {} }
  for (const limit of limitsOf(range)) {
    if (limit.type !== 'PersistentVolumeClaim') continue
    yield* checkConstraint(minimum, limit, limit.min, usage, faults)
    yield* checkConstraint(maximumRequest, limit, limit.max, usage, faults)
  }
  return faults
}
