import type { Container, ContainerRestartRule, PodSpec } from '../../../api/core/v1.types.ts'
import { enumValues } from '../../../catalog/types.ts'
import { type FieldError, forbidden, notSupported, required, tooLongError, tooMany } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'

/** Restart policies of pods, which containers may have as well. */
const POLICIES = enumValues('core.RestartPolicy')
/** The operators of a job's failure policy. Upstream declares those of restart rules without their values. */
const OPERATORS = enumValues('batch.PodFailurePolicyOnExitCodesOperator')
/** Actions without the gate. */
const ACTIONS = ['Restart']
/** Actions with the gate RestartAllContainersOnContainerExits, by which a rule restarts all containers of a pod. */
const ALL_ACTIONS = ['Restart', 'RestartAllContainers']
/** Limit on the rules of a container. */
const MAX_RULES = 20
/** Limit on the exit codes of a rule. */
const MAX_EXIT_CODES = 255
/** Message about rules of a container without its own policy. */
const NO_POLICY = 'must specify restartPolicy when restart rules are used'

/** Restart rules that depend on gates and on the old object. */
export interface RestartOptions {
  /** Whether containers may have a restartPolicy and rules. */
  readonly allowRestartRules: boolean
  /** Whether rules may restart all containers of the pod. */
  readonly allowRestartAll: boolean
  /** Whether errors about long lists count items. Releases before 1.35 print bytes. */
  readonly countsItems: boolean
}

/** Reports whether a spec uses fields of the gate ContainerRestartRules. */
export const usesRestartRules = ({ initContainers = [], containers }: PodSpec): boolean =>
  initContainers.some(
    ({ restartPolicy = 'Always', restartPolicyRules = [] }) => restartPolicy !== 'Always' || restartPolicyRules.length > 0,
  ) || (containers ?? []).some(({ restartPolicy }) => restartPolicy !== undefined)

/** Reports whether a spec uses the action of the gate RestartAllContainersOnContainerExits. */
export const restartsAll = ({ initContainers = [], containers }: PodSpec): boolean =>
  [...initContainers, ...(containers ?? [])].some(({ restartPolicyRules = [] }) =>
    restartPolicyRules.some(({ action }) => action === 'RestartAllContainers'),
  )

/**
 * Reports whether a container may restart after this exit code. The first matching rule decides, then the container's
 * own policy, then that of the pod.
 */
export function mayRestart(container: Container | undefined, spec: PodSpec, exitCode: number): boolean {
  if (!container) return false
  const { restartPolicy: own, restartPolicyRules: rules = [] } = container
  const isMatch = ({ exitCodes }: ContainerRestartRule): boolean => {
    const isListed = exitCodes?.values?.includes(exitCode) ?? false
    return exitCodes?.operator === 'In' ? isListed : exitCodes?.operator === 'NotIn' && !isListed
  }
  if (own !== undefined && rules.some(isMatch)) return true
  const policy = own ?? spec.restartPolicy
  return policy === 'OnFailure' ? exitCode !== 0 : policy !== 'Never'
}

/**
 * Validates the restart policy of a container in `containers`. Source: pkg/apis/core/validation in k8s.io/kubernetes,
 * since 1.34.
 */
export function validateRestart(
  { restartPolicy: policy, restartPolicyRules: rules = [] }: Container,
  path: FieldPath,
  options: RestartOptions,
): FieldError[] {
  const at = path.child('restartPolicy')
  if (!options.allowRestartRules) return policy === undefined ? [] : [forbidden(at, 'may not be set for non-init containers')]
  if (policy === undefined && rules.length === 0) return []
  const errors = policy === undefined ? [required(at, NO_POLICY)] : POLICIES.includes(policy) ? [] : [notSupported(at, policy, POLICIES)]
  const rulesAt = path.child('restartPolicyRules')
  return [
    ...errors,
    ...validateCount(rules.length, MAX_RULES, rulesAt, options),
    ...rules.flatMap((rule, i) => validateRestartRule(rule, rulesAt.index(i), options)),
  ]
}

/** Validates the restart policy of an init container. A sidecar may have only rules that restart all containers. */
export function validateInitRestart(container: Container, path: FieldPath, options: RestartOptions): FieldError[] {
  const { restartPolicy: policy, restartPolicyRules: rules = [] } = container
  const at = path.child('restartPolicy')
  if (policy === undefined) return options.countsItems && rules.length > 0 ? [required(at, NO_POLICY)] : []
  if (!options.allowRestartRules) return policy === 'Always' ? [] : [notSupported(at, policy, ['Always'])]
  if (policy !== 'Always' || options.allowRestartAll) return validateRestart(container, path, options)
  if (rules.length === 0) return []
  return [forbidden(path.child('restartPolicyRules'), 'restartPolicyRules are not allowed for init containers with restart policy Always')]
}

/** Checks a limit with the message of the release. */
function validateCount(count: number, max: number, path: FieldPath, { countsItems }: RestartOptions): FieldError[] {
  if (count <= max) return []
  return [countsItems ? tooMany(path, count, max) : tooLongError(path, max)]
}

/** Validates a rule. Both the action and the exit codes are required. */
function validateRestartRule({ action, exitCodes }: ContainerRestartRule, path: FieldPath, options: RestartOptions): FieldError[] {
  const actions = options.allowRestartAll ? ALL_ACTIONS : ACTIONS
  const errors = actions.includes(action ?? '') ? [] : [notSupported(path.child('action'), action ?? '', actions)]
  const at = path.child('exitCodes')
  if (!exitCodes) return [...errors, required(at, 'must be specified')]
  const { operator = '', values = [] } = exitCodes
  if (!OPERATORS.includes(operator)) errors.push(notSupported(at.child('operator'), operator, OPERATORS))
  return [...errors, ...validateCount(values.length, MAX_EXIT_CODES, at.child('values'), options)]
}
