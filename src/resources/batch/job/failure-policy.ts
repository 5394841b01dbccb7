import type {
  JobSpec,
  PodFailurePolicy,
  PodFailurePolicyOnExitCodesRequirement,
  PodFailurePolicyOnPodConditionsPattern,
  PodFailurePolicyRule,
} from '../../../api/batch/v1.types.ts'
import { enumValues, enumValuesIn } from '../../../catalog/types.ts'
import { quote } from '../../../lib/go-quote.ts'
import type { Release } from '../../../lifecycle/release.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { duplicate, invalid, invalidStructure, notSupported, required, tooMany, verbatim } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { isQualifiedName } from '../../../meta/names.ts'

const OPERATORS = enumValues('batch.PodFailurePolicyOnExitCodesOperator')
const STATUSES = ['False', 'True', 'Unknown']
/** Limits: rules of a policy, patterns of a rule, exit codes of a rule. */
const MAX_RULES = 20
const MAX_PATTERNS = 20
const MAX_VALUES = 255

/** Upstream lists the valid values both if a value is missing and if it is unknown. */
const validateEnum = (value: string, supported: readonly string[], path: FieldPath): FieldError[] => {
  if (!value) return [required(path, `valid values: [${supported.map(quote).join(' ')}]`)]
  return supported.includes(value) ? [] : [notSupported(path, value, supported)]
}

/**
 * Validates exit codes. They are sorted and unique, and `In` may not contain 0, which is no failure. Wrong order is
 * reported last. `containers` are those of the template, including init containers.
 */
function validateExitCodes(
  requirement: PodFailurePolicyOnExitCodesRequirement,
  containers: ReadonlySet<string>,
  path: FieldPath,
): FieldError[] {
  const { operator, containerName } = requirement
  const values = requirement.values ?? []
  const at = path.child('values')
  const printed = verbatim(requirement.values ? `[]int32{${values.join(', ')}}` : '[]int32(nil)', () =>
    JSON.stringify(requirement.values ?? null),
  )
  const errors = validateEnum(operator, OPERATORS, path.child('operator'))
  if (typeof containerName === 'string' && !containers.has(containerName)) {
    errors.push(
      invalid(path.child('containerName'), containerName, 'must be one of the container or initContainer names in the pod template'),
    )
  }
  if (values.length === 0) errors.push(invalid(at, printed, 'at least one value is required'))
  else if (values.length > MAX_VALUES) errors.push(tooMany(at, values.length, MAX_VALUES))
  const seen = new Set<number>()
  let before = Number.NEGATIVE_INFINITY
  let ordered = true
  for (const [i, value] of values.entries()) {
    if (operator === 'In' && value === 0) errors.push(invalid(at.index(i), value, 'must not be 0 for the In operator'))
    if (seen.has(value)) errors.push(duplicate(at.index(i), value))
    seen.add(value)
    ordered &&= before <= value
    before = value
  }
  return ordered ? errors : [...errors, invalid(at, printed, 'must be ordered')]
}

/**
 * Validates conditions. Types are qualified names. The status is required: defaults have set it if the client did not.
 */
const validatePodConditions = (patterns: readonly PodFailurePolicyOnPodConditionsPattern[], path: FieldPath): FieldError[] => [
  ...(patterns.length > MAX_PATTERNS ? [tooMany(path, patterns.length, MAX_PATTERNS)] : []),
  ...patterns.flatMap(({ type, status }, i) => [
    ...isQualifiedName(type).map(text => invalid(path.index(i).child('type'), type, text)),
    ...validateEnum(status, STATUSES, path.index(i).child('status')),
  ]),
]

/** The parts of a job that its rules refer to. */
interface RuleContext {
  readonly spec: JobSpec
  /** Names of containers and init containers. */
  readonly containers: ReadonlySet<string>
  readonly actions: readonly string[]
}

/**
 * Validates a rule, which has either exit codes or pod conditions. FailIndex (since 1.28) requires a backoff limit per
 * index.
 */
function validateFailureRule(rule: PodFailurePolicyRule, { spec, containers, actions }: RuleContext, path: FieldPath): FieldError[] {
  const { action, onExitCodes } = rule
  const onPodConditions = rule.onPodConditions ?? []
  const errors: FieldError[] = []
  if (action === 'FailIndex' && actions.includes(action) && spec.backoffLimitPerIndex === undefined) {
    errors.push(invalid(path.child('action'), action, 'requires the backoffLimitPerIndex to be set'))
  }
  errors.push(...validateEnum(action, actions, path.child('action')))
  if (onExitCodes) errors.push(...validateExitCodes(onExitCodes, containers, path.child('onExitCodes')))
  errors.push(...validatePodConditions(onPodConditions, path.child('onPodConditions')))
  if (onExitCodes && onPodConditions.length > 0)
    errors.push(invalidStructure(path, 'specifying both OnExitCodes and OnPodConditions is not supported'))
  if (!onExitCodes && onPodConditions.length === 0)
    errors.push(invalidStructure(path, 'specifying one of OnExitCodes and OnPodConditions is required'))
  return errors
}

/**
 * Validates spec.podFailurePolicy at `path` (KEP-3329). Too many rules are one more error: each is validated
 * nevertheless.
 */
export function validateFailurePolicy(spec: JobSpec, policy: PodFailurePolicy, path: FieldPath, release: Release): FieldError[] {
  const rules = policy.rules ?? []
  const at = path.child('rules')
  const { containers, initContainers } = spec.template.spec
  const context = {
    spec,
    containers: new Set([...(containers ?? []), ...(initContainers ?? [])].map(({ name }) => name)),
    actions: enumValuesIn(release, 'batch.PodFailurePolicyAction'),
  }
  return [
    ...(rules.length > MAX_RULES ? [tooMany(at, rules.length, MAX_RULES)] : []),
    ...rules.flatMap((rule, i) => validateFailureRule(rule, context, at.index(i))),
  ]
}
