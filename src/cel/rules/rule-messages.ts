import { quote } from '../../lib/go-quote.ts'
import { duplicate, type FieldError, forbidden, invalid, required } from '../../meta/field-error.ts'
import type { FieldPath } from '../../meta/field-path.ts'
import type { ValidationRule } from '../../schema/json-schema/props.ts'
import type { Outcome } from '../program/program.ts'

/** The longest message that an expression may give, in bytes. */
const MAX_MESSAGE = 5 * 1024

/** The rule, or what its author says of it: what errors of an evaluation are about. */
export const ruleText = ({ rule, message = '' }: ValidationRule): string => (message === '' ? rule : message).trim()

/** The message of a rule that does not hold. */
export const defaultMessage = (rule: ValidationRule): string => (rule.message ? rule.message.trim() : `failed rule: ${ruleText(rule)}`)

/** The error of a rule that does not hold. @param type of the schema: errors show it in place of the value. */
export function ruleError({ reason }: ValidationRule, path: FieldPath, type: string, message: string): FieldError {
  switch (reason) {
    case 'FieldValueForbidden':
      return forbidden(path, message)
    case 'FieldValueRequired':
      return required(path, message)
    case 'FieldValueDuplicate':
      return duplicate(path, type)
    default:
      return invalid(path, type, message)
  }
}

/** What came of a message expression: a message, or nothing where the rule's own is to be shown; or why no rule runs any more. */
export type Message = { readonly cost: number; readonly text?: string } | { readonly exhausted: string }

/** @param outcome of the message expression. @param expression its text: errors name it. @param budget what it may cost. */
export function messageOf(outcome: Outcome, expression: string, budget: number): Message {
  if (outcome.cost > budget)
    return { exhausted: 'messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run' }
  if (outcome.error !== undefined) {
    if (!outcome.isLimit) return { cost: outcome.cost }
    return { exhausted: `no further validation rules will be run due to call cost exceeds limit for messageExpression: ${quote(expression)}` }
  }
  const text = typeof outcome.value === 'string' ? outcome.value.trim() : ''
  const isUsable = text !== '' && Buffer.byteLength(text) <= MAX_MESSAGE && !text.includes('\n')
  return isUsable ? { cost: outcome.cost, text } : { cost: outcome.cost }
}
