import { type FieldError, forbidden, notSupported, required, tooLong, tooMany } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import type { Container, ContainerRestartRule, PodSpec } from '../v1.types.ts'

const POLICIES = ['Always', 'Never', 'OnFailure']
const OPERATORS = ['In', 'NotIn']
const ACTIONS = ['Restart']
/** Rules may end a whole pod and begin it again: the gate RestartAllContainersOnContainerExits. */
const ALL_ACTIONS = ['Restart', 'RestartAllContainers']
const MAX_RULES = 20
const MAX_EXIT_CODES = 255
const NO_POLICY = 'must specify restartPolicy when restart rules are used'

/** What gates and the old object allow of restarts. */
export interface RestartOptions {
  /** Containers may have a restartPolicy, and rules. */
  readonly allowRestartRules: boolean
  readonly allowRestartAll: boolean
  /** How upstream counts what is too much: releases before 1.35 speak of bytes. */
  readonly countsItems: boolean
}

/** Whether a spec has what only the gate ContainerRestartRules lets in. */
export const usesRestartRules = ({ initContainers = [], containers }: PodSpec): boolean =>
  initContainers.some(({ restartPolicy = 'Always', restartPolicyRules = [] }) => restartPolicy !== 'Always' || restartPolicyRules.length > 0) ||
  (containers ?? []).some(({ restartPolicy }) => restartPolicy !== undefined)

export const restartsAll = ({ initContainers = [], containers }: PodSpec): boolean =>
  [...initContainers, ...(containers ?? [])].some(({ restartPolicyRules = [] }) => restartPolicyRules.some(({ action }) => action === 'RestartAllContainers'))

/** Whether a container may run again after it ended so: the first rule that matches counts, then its own policy, then that of the pod. */
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

/** Of a container that is neither ephemeral nor a sidecar. Source: pkg/apis/core/validation in k8s.io/kubernetes, since 1.34. */
export function validateRestart({ restartPolicy: policy, restartPolicyRules: rules = [] }: Container, path: FieldPath, options: RestartOptions): FieldError[] {
  const at = path.child('restartPolicy')
  if (!options.allowRestartRules) return policy === undefined ? [] : [forbidden(at, 'may not be set for non-init containers')]
  if (policy === undefined && rules.length === 0) return []
  const errors = policy === undefined ? [required(at, NO_POLICY)] : POLICIES.includes(policy) ? [] : [notSupported(at, policy, POLICIES)]
  const rulesAt = path.child('restartPolicyRules')
  return [...errors, ...validateCount(rules.length, MAX_RULES, rulesAt, options), ...rules.flatMap((rule, i) => validateRule(rule, rulesAt.index(i), options))]
}

/** Of an init container: a sidecar has rules only for the pod as a whole. */
export function validateInitRestart(container: Container, path: FieldPath, options: RestartOptions): FieldError[] {
  const { restartPolicy: policy, restartPolicyRules: rules = [] } = container
  const at = path.child('restartPolicy')
  if (policy === undefined) return options.countsItems && rules.length > 0 ? [required(at, NO_POLICY)] : []
  if (!options.allowRestartRules) return policy === 'Always' ? [] : [notSupported(at, policy, ['Always'])]
  if (policy !== 'Always' || options.allowRestartAll) return validateRestart(container, path, options)
  if (rules.length === 0) return []
  return [forbidden(path.child('restartPolicyRules'), 'restartPolicyRules are not allowed for init containers with restart policy Always')]
}

function validateCount(count: number, max: number, path: FieldPath, { countsItems }: RestartOptions): FieldError[] {
  if (count <= max) return []
  return [countsItems ? tooMany(path, count, max) : tooLong(path, max)]
}

function validateRule({ action, exitCodes }: ContainerRestartRule, path: FieldPath, options: RestartOptions): FieldError[] {
  const actions = options.allowRestartAll ? ALL_ACTIONS : ACTIONS
  const errors = actions.includes(action ?? '') ? [] : [notSupported(path.child('action'), action ?? '', actions)]
  const at = path.child('exitCodes')
  if (!exitCodes) return [...errors, required(at, 'must be specified')]
  const { operator = '', values = [] } = exitCodes
  if (!OPERATORS.includes(operator)) errors.push(notSupported(at.child('operator'), operator, OPERATORS))
  return [...errors, ...validateCount(values.length, MAX_EXIT_CODES, at.child('values'), options)]
}
