import type { JsonSchemaProps } from '../../../api/apiextensions/json-schema-props.ts'
import type { CustomResourceDefinition } from '../../../api/apiextensions/v1.types.ts'
import type { Features } from '../../../lifecycle/gates.ts'
import { isSince } from '../../../lifecycle/release.ts'
import { someSchema } from '../../../schema/json-schema/props.ts'

const RULES = 'x-kubernetes-validations'

const schemasOf = ({ spec }: CustomResourceDefinition): JsonSchemaProps[] =>
  (spec.versions ?? []).flatMap(({ schema }) => (schema?.openAPIV3Schema ? [schema.openAPIV3Schema] : []))

const hasSchema = (definition: CustomResourceDefinition, holds: (schema: JsonSchemaProps) => boolean): boolean =>
  schemasOf(definition).some(schema => someSchema(schema, holds))

/**
 * Removes fields of disabled gates from the rules in a definition's schemas, unless the old definition uses them.
 * Changes `next` in place.
 */
export function dropDisabledRules(next: CustomResourceDefinition, old: CustomResourceDefinition | undefined, features: Features): void {
  if (!features.enabled('CustomResourceValidationExpressions')) dropRules(next, old)
  // The field was added together with this gate, in 1.29.
  if (!features.enabled('CRDValidationRatcheting') && isSince(features.release, '1.29')) dropOptionalOldSelf(next, old)
}

/** Removes all rules, which are an alpha feature in 1.24. */
function dropRules(next: CustomResourceDefinition, old: CustomResourceDefinition | undefined): void {
  if (old && hasSchema(old, schema => schema[RULES] !== undefined)) return
  hasSchema(next, schema => !Reflect.deleteProperty(schema, RULES))
}

function dropOptionalOldSelf(next: CustomResourceDefinition, old: CustomResourceDefinition | undefined): void {
  if (old && hasSchema(old, schema => (schema[RULES] ?? []).some(({ optionalOldSelf }) => optionalOldSelf !== undefined))) return
  hasSchema(next, schema => {
    for (const rule of schema[RULES] ?? []) Reflect.deleteProperty(rule, 'optionalOldSelf')
    return false
  })
}
