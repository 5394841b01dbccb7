import type { DeviceSelector } from '../../api/resource/v1beta2.types.ts'
import { compileInSteps } from '../../cel/compile.ts'
import { estimateCostInSteps } from '../../cel/cost/estimate.ts'
import { deviceEnvironment, deviceSizes } from '../../cel/device-environment.ts'
import { baseEnvironment, type Environment } from '../../cel/environment.ts'
import { programFault } from '../../cel/program-fault.ts'
import { BOOL, isPlainType, typeText } from '../../cel/type.ts'
import type { Steps } from '../../lib/steps.ts'
import type { Release } from '../../lifecycle/release.ts'
import type { FieldError } from '../../meta/field-error.ts'
import { forbidden, invalid, required, tooLongError } from '../../meta/field-error.ts'
import type { FieldPath } from '../../meta/field-path.ts'
import { longerThan } from '../../meta/names.ts'
import { validateList } from './lists.ts'

const MAX_SELECTORS = 32
/** Limit on an expression in bytes. */
const MAX_EXPRESSION = 10 * 1024
/** Limit on the CEL cost of an expression for one device. */
const MAX_COST = 1_000_000n

type Judge = (path: FieldPath) => FieldError[]

/** Faults of expressions by their text. */
export type SelectorFaults = ReadonlyMap<string, Judge>

/**
 * Compiles the expressions of selectors, each once, with one step per expression. `minor` is the minor version that
 * must be able to compile them (`oldestReader`). Source: pkg/apis/resource/validation in k8s.io/kubernetes.
 */
export function* compileSelectors(lists: Iterable<readonly DeviceSelector[] | null | undefined>, minor: number): Steps<SelectorFaults> {
  const environment = deviceEnvironment(baseEnvironment(minor), minor)
  const faults = new Map<string, Judge>()
  for (const list of lists) {
    for (const { cel } of list ?? []) {
      if (!cel || faults.has(cel.expression)) continue
      faults.set(cel.expression, yield* judgeOf(cel.expression, environment))
      yield
    }
  }
  return faults
}

/**
 * Returns a function because the same expression can stand at several paths. Length, compilation, result type and cost
 * are checked in this order; the first fault counts.
 */
function* judgeOf(expression: string, environment: Environment): Steps<Judge> {
  if (longerThan(expression, MAX_EXPRESSION)) return path => [tooLongError(path, MAX_EXPRESSION)]
  const { issues, checked } = yield* compileInSteps(expression, environment)
  const refused =
    (fault: string): Judge =>
    path => [invalid(path, expression, fault)]
  if (!checked) return refused(`compilation failed: ${issues}`)
  const { result } = checked
  if (!isPlainType(result, BOOL) && result.kind !== 'any')
    return refused(`must evaluate to bool or the unknown type, not ${typeText(result)}`)
  const fault = yield* programFault(checked, environment)
  if (fault !== undefined) return refused(`program instantiation failed: ${fault}`)
  const { max } = yield* estimateCostInSteps(checked, deviceSizes)
  return max > MAX_COST ? path => [forbidden(path, 'too complex, exceeds cost limit')] : () => []
}

/**
 * Validates selectors.
 * @param faults result of `compileSelectors` for all expressions in the list.
 */
export const validateSelectors = (
  selectors: readonly DeviceSelector[] | null | undefined,
  faults: SelectorFaults,
  release: Release,
  path: FieldPath,
): FieldError[] =>
  validateList(selectors, path, {
    max: MAX_SELECTORS,
    release,
    check: ({ cel }, at) => (cel ? (faults.get(cel.expression)?.(at.child('cel', 'expression')) ?? []) : [required(at.child('cel'))]),
  })
