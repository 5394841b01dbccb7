import { compileInSteps } from '../../../cel/compile.ts'
import { baseEnvironment, type Environment } from '../../../cel/environment.ts'
import { namedResourcesEnvironment } from '../../../cel/named-resources-environment.ts'
import { programFault } from '../../../cel/program-fault.ts'
import { BOOL, isPlainType } from '../../../cel/type.ts'
import type { Steps } from '../../../lib/steps.ts'
import { type FieldError, invalid, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'

/** Faults of selectors by their text. Valid selectors have no entry. */
export type NamedSelectorFaults = ReadonlyMap<string, string>

/**
 * Compiles selectors of instances, each once, with one step per expression. `minor` is the minor version that must be
 * able to compile them (`oldestReader`). Source: k8s.io/dynamic-resource-allocation,
 * structured/namedresources/cel/compile.go, 1.30.
 */
export function* compileNamedSelectors(selectors: Iterable<string>, minor: number): Steps<NamedSelectorFaults> {
  const environment = namedResourcesEnvironment(baseEnvironment(minor))
  const faults = new Map<string, string>()
  for (const selector of new Set(selectors)) {
    if (selector === '') continue
    const fault = yield* selectorFault(selector, environment)
    if (fault !== undefined) faults.set(selector, fault)
    yield
  }
  return faults
}

function* selectorFault(selector: string, environment: Environment): Steps<string | undefined> {
  const { issues, checked } = yield* compileInSteps(selector, environment)
  if (!checked) return `compilation failed: ${issues}`
  if (!isPlainType(checked.result, BOOL)) return 'must evaluate to bool'
  const fault = yield* programFault(checked, environment)
  return fault === undefined ? undefined : `program instantiation failed: ${fault}`
}

/** Validates the selector of a request or filter. */
export function validateNamedSelector(
  { selector }: { readonly selector: string },
  faults: NamedSelectorFaults,
  path: FieldPath,
): FieldError[] {
  const at = path.child('selector')
  if (selector === '') return [required(at)]
  const fault = faults.get(selector)
  return fault === undefined ? [] : [invalid(at, selector, fault)]
}
