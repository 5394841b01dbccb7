import type { SuccessPolicy, SuccessPolicyRule } from '../../../api/batch/v1.types.ts'
import { errorMessage } from '../../../lib/error-message.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { invalid, required, tooLongError, tooMany } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { longerThan } from '../../../meta/names.ts'
import { validateNonNegative } from '../../../meta/object-meta-validation.ts'
import { countIndexes } from './indexes.ts'

const MAX_RULES = 20
const MAX_INDEXES_LENGTH = 64 * 1024

/**
 * Validates a rule, which has indexes, a count, or both. The count is at most `completions`, and at most the number of
 * indexes. Invalid indexes count as 0, so a count above 0 is one more error.
 */
function validateSuccessRule({ succeededIndexes, succeededCount }: SuccessPolicyRule, completions: number, path: FieldPath): FieldError[] {
  if (succeededIndexes === undefined && succeededCount === undefined) {
    return [required(path, 'at least one of succeededCount or succeededIndexes must be specified')]
  }
  const errors: FieldError[] = []
  let named = 0
  if (succeededIndexes !== undefined) {
    const at = path.child('succeededIndexes')
    if (longerThan(succeededIndexes, MAX_INDEXES_LENGTH)) errors.push(tooLongError(at, MAX_INDEXES_LENGTH))
    try {
      named = countIndexes(succeededIndexes, completions)
    } catch (error) {
      errors.push(invalid(at, succeededIndexes, `error parsing succeededIndexes: ${errorMessage(error)}`))
    }
  }
  if (succeededCount === undefined) return errors
  const at = path.child('succeededCount')
  errors.push(...validateNonNegative(succeededCount, at))
  const atMost = (limit: number, what: string): FieldError =>
    invalid(at, succeededCount, `must be less than or equal to ${limit} (the number of ${what})`)
  if (succeededCount > completions) errors.push(atMost(completions, 'specified completions'))
  if (succeededIndexes !== undefined && succeededCount > named)
    errors.push(atMost(named, 'indexes in the specified succeededIndexes field'))
  return errors
}

/** Validates spec.successPolicy of an indexed job at `path` (KEP-3998). */
export function validateSuccessPolicy(policy: SuccessPolicy, completions: number, path: FieldPath): FieldError[] {
  const rules = policy.rules ?? []
  const at = path.child('rules')
  const errors: FieldError[] = []
  if (rules.length === 0) errors.push(required(at, 'at least one rules must be specified when the successPolicy is specified'))
  if (rules.length > MAX_RULES) errors.push(tooMany(at, rules.length, MAX_RULES))
  return [...errors, ...rules.flatMap((rule, i) => validateSuccessRule(rule, completions, at.index(i)))]
}
