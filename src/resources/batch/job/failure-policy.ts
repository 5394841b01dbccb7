import { quote } from '../../../lib/go-quote.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { duplicate, invalid, invalidStructure, notSupported, required, tooMany, verbatim } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import type { ApiStruct, Errors } from '../../core/checks.ts'
import { checkQualifiedName } from '../../core/checks.ts'

const ACTIONS = ['Count', 'FailIndex', 'FailJob', 'Ignore']
const OPERATORS = ['In', 'NotIn']
const STATUSES = ['False', 'True', 'Unknown']
const MAX_RULES = 20
const MAX_PATTERNS = 20
const MAX_VALUES = 255

const oneOf = (value: string, supported: readonly string[], path: FieldPath): FieldError[] => {
  if (!value) return [required(path, `valid values: [${supported.map(quote).join(' ')}]`)]
  return supported.includes(value) ? [] : [notSupported(path, value, supported)]
}

function checkExitCodes(requirement: ApiStruct, containers: ReadonlySet<string>, path: FieldPath, errors: Errors): void {
  const { operator, containerName } = requirement
  const values: number[] = requirement.values ?? []
  const at = path.child('values')
  const printed = verbatim(requirement.values ? `[]int32{${values.join(', ')}}` : '[]int32(nil)')
  errors.push(...oneOf(operator, OPERATORS, path.child('operator')))
  if (containerName !== undefined && !containers.has(containerName)) {
    errors.push(invalid(path.child('containerName'), containerName, 'must be one of the container or initContainer names in the pod template'))
  }
  if (values.length === 0) errors.push(invalid(at, printed, 'at least one value is required'))
  else if (values.length > MAX_VALUES) errors.push(tooMany(at, values.length, MAX_VALUES))
  const seen = new Set<number>()
  values.forEach((value, i) => {
    if (operator === 'In' && value === 0) errors.push(invalid(at.index(i), value, 'must not be 0 for the In operator'))
    if (seen.has(value)) errors.push(duplicate(at.index(i), value))
    seen.add(value)
  })
  if (values.some((value, i) => i > 0 && (values[i - 1] as number) > value)) errors.push(invalid(at, printed, 'must be ordered'))
}

function checkConditions(patterns: readonly ApiStruct[], path: FieldPath, errors: Errors): void {
  if (patterns.length > MAX_PATTERNS) errors.push(tooMany(path, patterns.length, MAX_PATTERNS))
  patterns.forEach((pattern, i) => {
    checkQualifiedName(pattern.type ?? '', path.index(i).child('type'), errors)
    errors.push(...oneOf(pattern.status, STATUSES, path.index(i).child('status')))
  })
}

function checkRule(spec: ApiStruct, rule: ApiStruct, containers: ReadonlySet<string>, path: FieldPath, errors: Errors): void {
  const conditions: ApiStruct[] = rule.onPodConditions ?? []
  if (rule.action === 'FailIndex' && spec.backoffLimitPerIndex === undefined) {
    errors.push(invalid(path.child('action'), rule.action, 'requires the backoffLimitPerIndex to be set'))
  }
  errors.push(...oneOf(rule.action, ACTIONS, path.child('action')))
  if (rule.onExitCodes) checkExitCodes(rule.onExitCodes, containers, path.child('onExitCodes'), errors)
  checkConditions(conditions, path.child('onPodConditions'), errors)
  if (rule.onExitCodes && conditions.length > 0) {
    errors.push(invalidStructure(path, 'specifying both OnExitCodes and OnPodConditions is not supported'))
  }
  if (!rule.onExitCodes && conditions.length === 0) errors.push(invalidStructure(path, 'specifying one of OnExitCodes and OnPodConditions is required'))
}

/** spec.podFailurePolicy, where there is one; `path` is its own. */
export function validateFailurePolicy(spec: ApiStruct, path: FieldPath): FieldError[] {
  const rules: ApiStruct[] = spec.podFailurePolicy.rules ?? []
  const errors: Errors = []
  const at = path.child('rules')
  if (rules.length > MAX_RULES) errors.push(tooMany(at, rules.length, MAX_RULES))
  const { containers, initContainers } = spec.template.spec ?? {}
  const names = new Set<string>([...(containers ?? []), ...(initContainers ?? [])].map(({ name = '' }: { name?: string }) => name))
  rules.forEach((rule, i) => {
    checkRule(spec, rule, names, at.index(i), errors)
  })
  return errors
}
