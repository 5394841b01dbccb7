import type { JsonSchemaProps } from '../api/apiextensions/json-schema-props.ts'
import type { JsonObject } from '../api/meta/object.ts'
import { ruleTreeInSteps } from '../cel/rules/rule-node.ts'
import { runRules } from '../cel/rules/rule-validator.ts'
import type { Steps } from '../lib/steps.ts'
import { SHARED_TURNS } from '../lib/turn.ts'
import { atField, type FieldError } from '../meta/field-error.ts'
import { Correlation } from '../schema/json-schema/correlation.ts'

/**
 * Evaluates all x-kubernetes-validations rules of a schema on an object. Errors are in upstream's order and words. Does
 * not change its arguments. With `ratchets`, rules that fail on unchanged values are only reported to `warn`. @param
 * old the object before the update.
 */
export type RuleCheck = (
  object: JsonObject,
  old: JsonObject | undefined,
  ratchets: boolean,
  warn: (violation: FieldError) => void,
) => Promise<FieldError[]>

/** Path of the whole object in upstream's errors. */
const WHOLE = '<nil>'

/**
 * Returns the rule check of a schema, or undefined if it has no rules. Rules are compiled on first use, because objects
 * of most definitions are never written.
 * https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation-rules
 */
export function* ruleCheck(schema: JsonSchemaProps | undefined): Steps<RuleCheck | undefined> {
  const tree = schema && (yield* ruleTreeInSteps(schema, true))
  if (!schema || !tree) return undefined
  return async (value, old, ratchets, warn) => {
    const correlated = old && ratchets ? new Correlation(value, old, schema) : undefined
    const { errors, warnings } = await runRules(tree, { value, old, correlated, turns: SHARED_TURNS })
    for (const violation of warnings) warn(violation)
    return errors.map(error => (error.field === '' ? atField(error, WHOLE) : error))
  }
}
