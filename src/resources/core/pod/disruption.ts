import type { TypedObject } from '../../../api/meta/object.ts'
import type { Condition } from '../../../api/meta/v1.types.ts'
import type { PodDisruptionBudget, PodDisruptionBudgetStatus } from '../../../api/policy/v1.types.ts'
import { listKind } from '../../../catalog/define.ts'
import type { ResourceAccess } from '../../../catalog/resource-access.ts'
import { labelSelectorOf, matchesLabels } from '../../../meta/label-selector.ts'
import { ifReadable } from '../../../meta/selector-error.ts'
import { failure, forbiddenError, isStatusError, StatusError } from '../../../meta/status.ts'
import { formatTime } from '../../../meta/time.ts'
import { isWordedSince } from '../../../meta/wording.ts'
import { DISRUPTION_BUDGETS } from '../../kinds.ts'

/** Limit on evictions that the controller has not processed yet. Above it, a budget allows none. */
const MOST_DISRUPTED_PODS = 2000
/** Retry delay of an eviction whose budget the controller has not processed yet. */
const RETRY_SECONDS = 10
const DENIED = "Cannot evict pod as it would violate the pod's disruption budget."

/**
 * Returns the budgets whose selector matches the pod. An invalid selector matches nothing; a server without policy/v1
 * has no budgets.
 */
export async function budgetsOf(api: ResourceAccess, pod: TypedObject): Promise<PodDisruptionBudget[]> {
  const items = await listKind(api, DISRUPTION_BUDGETS, pod.metadata.namespace ?? '').catch((error: unknown) => {
    if (isStatusError(error, 'NotFound')) return []
    throw error
  })
  return items.filter(({ spec }) => {
    const requirements = ifReadable(() => labelSelectorOf(spec.selector))
    return requirements !== undefined && matchesLabels(requirements, pod.metadata.labels)
  })
}

/**
 * Reports whether an unready pod may be evicted without counting: if the policy is AlwaysAllow, or the budget currently
 * has enough healthy pods.
 */
export function letsUnhealthyGo({ spec, status }: PodDisruptionBudget): boolean {
  if (spec.unhealthyPodEvictionPolicy === 'AlwaysAllow') return true
  return status.desiredHealthy > 0 && status.currentHealthy >= status.desiredHealthy
}

/** Creates the 429 of an eviction that may succeed later. */
export function tooManyDisruptions(why: string, retryAfterSeconds: number): StatusError {
  return failure(429, 'TooManyRequests', DENIED, {
    causes: [{ reason: 'DisruptionBudget', message: why }],
    ...(retryAfterSeconds > 0 && { retryAfterSeconds }),
  })
}

/** Creates the 429 for a budget that its controller has not processed yet, to be retried after RETRY_SECONDS. */
export const stillProcessed = (name: string): StatusError =>
  tooManyDisruptions(`The disruption budget ${name} is still being processed by the server.`, RETRY_SECONDS)

/**
 * Takes one disruption from a budget for the named pod, and records the pod in the status until the controller counts
 * again. Changes the budget in place. Throws 429 if none is left or the controller has not processed the budget, 403 if
 * the status is invalid.
 */
export function takeDisruption(budget: PodDisruptionBudget, podName: string, now: number): void {
  const name = budget.metadata.name ?? ''
  const { status } = budget
  if ((status.observedGeneration ?? 0) < (budget.metadata.generation ?? 0)) throw stillProcessed(name)
  const { disruptionsAllowed: allowed } = status
  if (allowed < 0) throw invalidBudget(name, 'pdb disruptions allowed is negative')
  if (Object.keys(status.disruptedPods ?? {}).length > MOST_DISRUPTED_PODS) {
    const unconfirmed = 'not confirmed by PDB controller'
    throw invalidBudget(name, `DisruptedPods map too big - too many evictions ${unconfirmed}`, `too many pending evictions ${unconfirmed}`)
  }
  if (allowed === 0) throw tooManyDisruptions(noneLeft(name, status), 0)
  status.disruptionsAllowed = allowed - 1
  if (allowed === 1) noteInsufficientPods(status, now)
  status.disruptedPods = { ...status.disruptedPods, [podName]: formatTime(now) }
}

/** Creates the 403 for a budget with an invalid status. It has a cause since 1.37. */
function invalidBudget(name: string, why: string, cause = why): StatusError {
  const { status } = forbiddenError({ group: 'policy', resource: 'poddisruptionbudget' }, name, why)
  const message = `The disruption budget ${name} does not allow evicting pods currently: ${cause}`
  const withCause = { ...status, details: { ...status.details, causes: [{ reason: 'DisruptionBudget', message }] } }
  return new StatusError(status, wording => (isWordedSince(wording, '1.37') ? withCause : status))
}

/**
 * Returns the reason, in order of precedence: a failed sync, too few healthy pods, any other message of the condition.
 */
function noneLeft(name: string, status: PodDisruptionBudgetStatus): string {
  const refused = conditionOf(status)
  const why = refused?.status === 'False' ? refused.message : ''
  const { desiredHealthy: desired, currentHealthy: current } = status
  if (why !== '' && refused?.reason === 'SyncFailed')
    return `The disruption budget ${name} does not allow evicting pods currently because it failed sync: ${why}`
  if (current <= desired) return `The disruption budget ${name} needs ${desired} healthy pods and has ${current} currently`
  if (why !== '') return `The disruption budget ${name} does not allow evicting pods currently (${refused?.reason}): ${why}`
  return `The disruption budget ${name} does not allow evicting pods currently`
}

const CONDITION = 'DisruptionAllowed'
const conditionOf = ({ conditions }: PodDisruptionBudgetStatus): Condition | undefined => conditions?.find(({ type }) => type === CONDITION)

/** Sets DisruptionAllowed to False. lastTransitionTime is kept if it was False already. */
function noteInsufficientPods(status: PodDisruptionBudgetStatus, now: number): void {
  const old = conditionOf(status)
  const next: Condition = {
    type: CONDITION,
    status: 'False',
    ...(status.observedGeneration !== undefined && { observedGeneration: status.observedGeneration }),
    lastTransitionTime: old?.status === 'False' ? old.lastTransitionTime : formatTime(now),
    reason: 'InsufficientPods',
    message: '',
  }
  const { conditions = [] } = status
  status.conditions = old ? conditions.map(each => (each === old ? next : each)) : [...conditions, next]
}
