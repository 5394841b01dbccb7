import { ruleTree } from '../cel/rules/rule-node.ts'
import { validateRules } from '../cel/rules/rule-validator.ts'
import { SHARED_TURNS } from '../lib/turn.ts'
import type { FieldError } from '../meta/field-error.ts'
import type { JsonObject } from '../meta/object.ts'
import { Correlation } from '../schema/json-schema/correlation.ts'
import type { JsonSchemaProps } from '../schema/json-schema/props.ts'

/**
 * What the rules (x-kubernetes-validations) of a schema of whole objects, at any depth, say of an object, in upstream's order and words. `old`: what it takes the place of. Neither is
 * changed. While `ratchets`, a rule that does not hold of what did not change is only warned of.
 */
export type RuleCheck = (object: JsonObject, old: JsonObject | undefined, ratchets: boolean, warn: (text: string) => void) => Promise<FieldError[]>

/** How upstream calls an object as a whole. */
const WHOLE = '<nil>'

/**
 * Undefined where a schema has no rules. They are compiled when they are first needed: most definitions are never written to.
 * Source: https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation-rules
 */
export function ruleCheck(schema: JsonSchemaProps | undefined): RuleCheck | undefined {
  const tree = schema && ruleTree(schema, true)
  if (!schema || !tree) return undefined
  return async (value, old, ratchets, warn) => {
    const correlated = old && ratchets ? new Correlation(value, old, schema) : undefined
    const { errors, warnings } = await validateRules(tree, { value, old, correlated, turns: SHARED_TURNS })
    for (const text of warnings) warn(text)
    return errors.map(error => (error.field === '' ? { ...error, field: WHOLE } : error))
  }
}
