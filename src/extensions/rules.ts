import type { FieldError } from '../meta/field-error.ts'
import type { JsonObject } from '../meta/object.ts'
import type { JsonSchemaProps } from '../schema/json-schema/props.ts'

/** The rules (x-kubernetes-validations) of one schema, ready to be evaluated. */
export interface ObjectRules {
  /** What the rules say of an object, in upstream's order and words. `old`: what it takes the place of; undefined where it is new. Neither is changed. */
  check(object: JsonObject, old: JsonObject | undefined): FieldError[]
}

/**
 * Evaluates rules in the expression language. Where the composition gives none, objects of schemas with rules cannot be written: the answer is 501.
 * Source: https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation-rules
 */
export interface RuleEvaluator {
  /** `schema`: of a whole object, with rules at any depth. */
  compile(schema: JsonSchemaProps): ObjectRules
}
