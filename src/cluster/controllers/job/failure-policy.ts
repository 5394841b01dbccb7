import type { PodFailurePolicy, PodFailurePolicyAction, PodFailurePolicyOnExitCodesRequirement } from '../../../api/batch/v1.types.ts'
import type { ContainerStatus, Pod } from '../../../api/core/v1.types.ts'

/** Outcome of a pod failure policy for a failed pod. */
export interface PolicyMatch {
  /** Action of the first rule that matches. Undefined if no rule matches. */
  readonly action?: PodFailurePolicyAction
  /** Whether the failure counts towards the back-off limit. */
  readonly counts: boolean
  /** Message of the condition if the job fails. */
  readonly failJobMessage?: string
}

const NO_MATCH: PolicyMatch = { counts: true }

/**
 * Returns the outcome of the first rule that matches a failed pod. @param failsIndexes whether rules with the action
 * FailIndex apply.
 */
export function matchFailurePolicy(policy: PodFailurePolicy | undefined, pod: Pod, failsIndexes: boolean): PolicyMatch {
  for (const [index, { action, onExitCodes, onPodConditions }] of (policy?.rules ?? []).entries()) {
    if (action === '') continue
    const cause = onExitCodes
      ? exitCodeCause(pod, onExitCodes)
      : pod.status.conditions?.find(condition =>
          onPodConditions?.some(({ type, status }) => type === condition.type && status === condition.status),
        )
    if (!cause) continue
    if (action === 'Ignore') return { action, counts: false }
    if (action === 'Count' || (action === 'FailIndex' && failsIndexes)) return { action, counts: true }
    if (action !== 'FailJob') continue
    const { namespace = '', name = '' } = pod.metadata
    const what =
      'state' in cause
        ? `Container ${cause.name} for pod ${namespace}/${name} failed with exit code ${cause.state.terminated?.exitCode ?? 0}`
        : `Pod ${namespace}/${name} has condition ${cause.type}`
    return { action, counts: true, failJobMessage: `${what} matching ${action} rule at index ${index}` }
  }
  return NO_MATCH
}

/** Returns the status of the first container that ended with a code that the requirement names, other than 0. */
function exitCodeCause({ status }: Pod, requirement: PodFailurePolicyOnExitCodesRequirement): ContainerStatus | undefined {
  const values = new Set(requirement.values)
  return [...(status.containerStatuses ?? []), ...(status.initContainerStatuses ?? [])].find(({ name, state }) => {
    const code = state.terminated?.exitCode ?? 0
    if (code === 0 || (requirement.containerName ?? name) !== name) return false
    return requirement.operator === 'In' ? values.has(code) : requirement.operator === 'NotIn' && !values.has(code)
  })
}
