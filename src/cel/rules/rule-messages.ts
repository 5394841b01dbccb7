import type { ValidationRule } from '../../api/apiextensions/json-schema-props.ts'
import type { Json } from '../../api/meta/object.ts'
import { formatDouble } from '../../lib/format-double.ts'
import { quote } from '../../lib/go-quote.ts'
import {
  duplicate,
  duplicateStructure,
  type FieldError,
  forbidden,
  invalid,
  invalidStructure,
  replacedSince,
  required,
  verbatim,
} from '../../meta/field-error.ts'
import type { FieldPath } from '../../meta/field-path.ts'
import type { ProgramOutcome } from '../program/program.ts'

/** Limit for the result of a message expression, in bytes. */
const MAX_MESSAGE = 5 * 1024

/** Returns the message of a rule, or its expression. Evaluation errors quote it. */
export const ruleText = ({ rule, message = '' }: ValidationRule): string => (message === '' ? rule : message).trim()

/** Returns the message of a violated rule. */
export const defaultMessage = (rule: ValidationRule): string => (rule.message ? rule.message.trim() : `failed rule: ${ruleText(rule)}`)

/** A value that violates a rule. */
interface Violation {
  readonly path: FieldPath
  /** Type of the schema, which errors print before 1.35. */
  readonly type: string
  readonly value: Json
  /** Whether a whole number was decoded as a float by Go. */
  readonly isFloat: boolean
}

/** Returns the error of a violated rule. Since 1.35 it prints the value, unless that is an object or a list. */
export function ruleError({ reason }: ValidationRule, violation: Violation, message: string): FieldError {
  const { path, type } = violation
  const isOmitted = type === 'object' || type === 'array'
  switch (reason) {
    case 'FieldValueForbidden':
      return forbidden(path, message)
    case 'FieldValueRequired':
      return required(path, message)
    case 'FieldValueDuplicate':
      return replacedSince('1.35', duplicate(path, type), () =>
        isOmitted ? duplicateStructure(path) : duplicate(path, printedValue(violation)),
      )
    default:
      return replacedSince('1.35', invalid(path, type, message), () =>
        isOmitted ? invalidStructure(path, message) : invalid(path, printedValue(violation), message),
      )
  }
}

const printedValue = ({ value, isFloat }: Violation): unknown =>
  isFloat && typeof value === 'number' ? verbatim(formatDouble(value)) : value

/**
 * Outcome of a message expression. `text` is unset if the rule's own message is to be used. `exhausted` is the error if
 * the budget is used up.
 */
export type Message = { readonly cost: number; readonly text?: string } | { readonly exhausted: string }

/**
 * Returns the message of a violated rule.
 * @param expression text of the message expression, which errors quote.
 * @param budget remaining cost budget.
 */
export function ruleMessage(outcome: ProgramOutcome, expression: string, budget: number): Message {
  if (outcome.cost > budget)
    return { exhausted: 'messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run' }
  if (outcome.error !== undefined) {
    if (!outcome.isLimit) return { cost: outcome.cost }
    return {
      exhausted: `no further validation rules will be run due to call cost exceeds limit for messageExpression: ${quote(expression)}`,
    }
  }
  const text = typeof outcome.value === 'string' ? outcome.value.trim() : ''
  const isUsable = text !== '' && Buffer.byteLength(text) <= MAX_MESSAGE && !text.includes('\n')
  return isUsable ? { cost: outcome.cost, text } : { cost: outcome.cost }
}
