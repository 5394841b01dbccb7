import { repeats } from '../../lib/repeats.ts'
import type { Release } from '../../lifecycle/release.ts'
import { duplicate, type FieldError, invalid, verbatim } from '../../meta/field-error.ts'
import type { FieldPath } from '../../meta/field-path.ts'
import { isQualifiedName } from '../../meta/names.ts'
import { validateList } from './lists.ts'

/** Limit on each of the two lists. */
const MAX_CONDITIONS = 4

/** Lists of a device that has attributes to wait for. */
interface BindingConditions {
  /** Optional. Types of conditions that must all be true before a pod is bound. */
  readonly bindingConditions?: readonly string[]
  /** Optional. Types of conditions of which each one, if true, prevents binding. */
  readonly bindingFailureConditions?: readonly string[]
}

const validateConditionType = (name: string, path: FieldPath): FieldError[] => isQualifiedName(name).map(text => invalid(path, name, text))

/**
 * Validates conditions that must be true before a pod is bound, and those that prevent binding. They must be set
 * together and be disjoint. Source: pkg/apis/resource/validation in k8s.io/kubernetes, since 1.34.
 */
export function validateBindingConditions(
  { bindingConditions: ready = [], bindingFailureConditions: failed = [] }: BindingConditions,
  release: Release,
  path: FieldPath,
): FieldError[] {
  const readyAt = path.child('bindingConditions')
  const failedAt = path.child('bindingFailureConditions')
  const rules = { max: MAX_CONDITIONS, release, check: validateConditionType }
  const isReady = new Set(ready)
  const again = { ready: repeats(ready), failed: repeats(failed) }
  return [
    ...validateList(ready, readyAt, rules),
    ...validateList(failed, failedAt, rules),
    ...ready.flatMap((name, i) => (again.ready[i] ? [duplicate(readyAt.index(i), name)] : [])),
    ...failed.flatMap((name, i) => [
      ...(again.failed[i] ? [duplicate(failedAt.index(i), name)] : []),
      ...(isReady.has(name) ? [invalid(failedAt.index(i), name, 'bindingFailureConditions must not overlap with bindingConditions')] : []),
    ]),
    ...(ready.length === 0 && failed.length > 0
      ? [invalid(readyAt, verbatim('null'), 'bindingConditions are required to use bindingFailureConditions')]
      : []),
    ...(failed.length === 0 && ready.length > 0
      ? [invalid(failedAt, verbatim('null'), 'bindingFailureConditions are required to use bindingConditions')]
      : []),
  ]
}
