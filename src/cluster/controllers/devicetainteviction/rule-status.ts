import type { Condition } from '../../../api/meta/v1.types.ts'
import type { DeviceTaintRule } from '../../../api/resource/v1alpha3.types.ts'

export const IN_PROGRESS = 'EvictionInProgress'
/** Shortest time between changes of the status of a rule, in milliseconds. */
export const STATUS_PERIOD_MS = 10_000

/** Pods that a rule evicts. */
export interface PendingPods {
  readonly pods: number
  readonly namespaces: number
}

/** Numbers that a rule reports. */
export interface RuleCounts {
  /** Pods that the rule has evicted since the controller started. */
  readonly evicted: number
  /** Pods that the rule evicts, or would evict if its effect is None. */
  readonly pending: PendingPods
  /** Devices that are published, and those that are allocated. Only for the effect None. */
  readonly selected: { readonly published: number; readonly allocated: number }
}

/** Condition of a rule without its time and generation. */
export type RuleCondition = Pick<Condition, 'type' | 'status' | 'reason' | 'message'>

const plural = (count: number, one: string, many: string): string => (count === 1 ? `1 ${one}` : `${count} ${many}`)
const namespacesText = (count: number): string => plural(count, 'namespace', 'different namespaces')

/**
 * Returns the condition that tells how far the eviction by a rule is. Source: maybeUpdateRuleStatus of
 * pkg/controller/devicetainteviction in k8s.io/kubernetes.
 */
export function ruleCondition({ spec }: DeviceTaintRule, { evicted, pending, selected }: RuleCounts): RuleCondition {
  const [status, reason, message] = stateOf(spec.taint.effect, evicted, pending, selected)
  const past = evicted > 0 ? `${plural(evicted, 'pod', 'pods')} evicted since starting the controller.` : ''
  return { type: IN_PROGRESS, status, reason, message: [message, past].filter(text => text !== '').join(' ') }
}

function stateOf(
  effect: string,
  evicted: number,
  { pods, namespaces }: PendingPods,
  { published, allocated }: RuleCounts['selected'],
): [status: 'True' | 'False', reason: string, message: string] {
  if (effect === 'NoExecute') {
    if (pods > 0)
      return ['True', 'PodsPendingEviction', `${plural(pods, 'pod needs', 'pods need')} to be evicted in ${namespacesText(namespaces)}.`]
    return ['False', evicted > 0 ? 'Completed' : 'NotStarted', '']
  }
  if (effect !== 'None') return ['False', 'OtherEffect', 'Eviction only happens for the NoExecute effect.']
  const selection = `${plural(published, 'published device', 'published devices')} selected. ${plural(allocated, 'allocated device', 'allocated devices')} selected.`
  const hint = 'This information will not be updated again. Recreate the DeviceTaintRule to trigger an update.'
  return [
    'False',
    'NoEffect',
    `${selection} ${plural(pods, 'pod', 'pods')} would be evicted in ${namespacesText(namespaces)} if the effect was NoExecute. ${hint}`,
  ]
}
