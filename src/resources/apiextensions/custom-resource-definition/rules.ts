import type { JsonSchemaProps, ValidationRule } from '../../../api/apiextensions/json-schema-props.ts'
import { enumValues } from '../../../catalog/types.ts'
import type { Steps } from '../../../lib/steps.ts'
import { type FieldError, invalid, notSupported, required, words } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { itemErrors } from '../../../meta/item-errors.ts'
import { followSchemaPath, SchemaPathError } from '../../../schema/json-schema/schema-path.ts'
import { structuralFault } from '../../../schema/json-schema/structural-form.ts'

const RULES = 'x-kubernetes-validations'
const REASONS = enumValues('apiextensions.FieldValueErrorReason')
const LINE_BREAK = /[\n\r]/

/** Validates the rules of a schema, except for their expressions. */
export function* validateSchemaRules(schema: JsonSchemaProps, path: FieldPath): Steps<FieldError[]> {
  const rules = schema[RULES]
  return rules ? yield* itemErrors(rules, path.child(RULES), (rule, at) => ruleErrors(rule, schema, at)) : []
}

/** Rule and message have at most one error together. A rule that spans several lines needs a message. */
function ruleErrors(
  { rule, message = '', messageExpression = '', reason, fieldPath = '' }: ValidationRule,
  schema: JsonSchemaProps,
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = []
  const text = message.trim()
  const at = path.child('message')
  if (rule.trim() === '') errors.push(required(path.child('rule'), 'rule is not specified'))
  else if (message !== '' && text === '')
    errors.push(invalid(at, message, words('message must be non-empty if specified', 'must be non-empty if specified')))
  else if (LINE_BREAK.test(text))
    errors.push(invalid(at, message, words('message must not contain line breaks', 'must not contain line breaks')))
  else if (LINE_BREAK.test(rule.trim()) && text === '') errors.push(required(at, 'message must be specified if rule contains line breaks'))
  if (messageExpression !== '' && messageExpression.trim() === '') {
    errors.push(required(path.child('messageExpression'), 'messageExpression must be non-empty if specified'))
  }
  if (reason !== undefined && !REASONS.includes(reason)) errors.push(notSupported(path.child('reason'), reason, REASONS))
  return fieldPath === '' ? errors : [...errors, ...fieldPathErrors(fieldPath, schema, path.child('fieldPath'))]
}

function fieldPathErrors(text: string, schema: JsonSchemaProps, path: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  if (text.trim() === '')
    errors.push(invalid(path, text, words('fieldPath must be non-empty if specified', 'must be non-empty if specified')))
  if (LINE_BREAK.test(text))
    errors.push(invalid(path, text, words('fieldPath must not contain line breaks', 'must not contain line breaks')))
  return leadsSomewhere(text, schema)
    ? errors
    : [...errors, invalid(path, text, words('fieldPath must be a valid path', 'must be a valid path'))]
}

/**
 * Reports whether a path exists in the schema. True if the schema is not structural, since the path cannot be followed
 * then.
 */
function leadsSomewhere(text: string, schema: JsonSchemaProps): boolean {
  if (structuralFault(schema) !== undefined) return true
  try {
    followSchemaPath(text, schema)
    return true
  } catch (error) {
    if (error instanceof SchemaPathError) return false
    throw error
  }
}
