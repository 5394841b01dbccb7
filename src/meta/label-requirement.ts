import { parseInt64 } from '../lib/integer.ts'
import { isStepDone, runAtOnce, type Steps } from '../lib/steps.ts'
import { MOST_ERRORS } from './error-bound.ts'
import type { FieldError } from './field-error.ts'
import { allWorded, fieldErrorText, invalid } from './field-error.ts'
import { FieldPath } from './field-path.ts'
import { isQualifiedName, isValidLabelValue } from './names.ts'
import { SelectorError } from './selector-error.ts'
import { joined } from './wording.ts'

/** Operators as apimachinery names them. `exists` and `!` test for the label, `gt` and `lt` compare integers. */
export type LabelOperator = 'in' | 'notin' | '=' | '==' | '!=' | 'exists' | '!' | 'gt' | 'lt'

/** A requirement of a selector. The operator `nothing` represents an absent selector, which matches no object. */
export interface LabelRequirement {
  readonly key: string
  readonly operator: LabelOperator | 'nothing'
  /** Unique. Sorted if parsed from text. */
  readonly values: readonly string[]
}

/** Creates a validated requirement. Throws with apimachinery's message; an undefined path prints like Go's nil path. */
export const labelRequirement = (key: string, operator: LabelOperator, values: readonly string[]): LabelRequirement =>
  runAtOnce(labelRequirementSteps(key, operator, values))

/**
 * Returns the text of all errors, like apimachinery's aggregates: each message once, in brackets if there are several.
 */
function joinErrors(errors: readonly FieldError[]): string {
  const texts = [...new Set(errors.map(fieldErrorText))]
  return texts.length === 1 ? texts.join('') : `[${texts.join(', ')}]`
}

/** Creates a requirement in steps of some values. The number of errors is limited, as in validation. */
export function* labelRequirementSteps(key: string, operator: LabelOperator, values: readonly string[]): Steps<LabelRequirement> {
  const errors: FieldError[] = []
  const at = (text: string): FieldPath => new FieldPath(text)
  const keyErrors = isQualifiedName(key)
  if (keyErrors.length > 0) errors.push(invalid(at('key'), key, joined(keyErrors, '; ')))
  const bad = (detail: string): number => errors.push(invalid(at('values'), values, detail))
  switch (operator) {
    case 'in':
    case 'notin':
      if (values.length === 0) bad("for 'in', 'notin' operators, values set can't be empty")
      break
    case 'exists':
    case '!':
      if (values.length > 0) bad('values set must be empty for exists and does not exist')
      break
    case 'gt':
    case 'lt':
      if (values.length !== 1) bad("for 'Gt', 'Lt' operators, exactly one value is required")
      for (const [i, value] of values.entries()) {
        if (parseInt64(value) === undefined)
          errors.push(invalid(at(`values[${i}]`), value, "for 'Gt', 'Lt' operators, the value must be an integer"))
      }
      break
    default:
      if (values.length !== 1) bad('exact-match compatibility requires one single value')
  }
  for (const [i, value] of values.entries()) {
    if (isStepDone()) yield
    if (errors.length >= MOST_ERRORS) break
    const valueErrors = isValidLabelValue(value)
    if (valueErrors.length > 0) errors.push(invalid(at(`values[${i}][${key}]`), value, joined(valueErrors, '; ')))
  }
  if (errors.length > 0) {
    throw new SelectorError(joinErrors(errors), wording => joinErrors(allWorded(errors, wording)))
  }
  return { key, operator, values }
}
