import type { Features } from '../../../lifecycle/gates.ts'
import { isSince } from '../../../lifecycle/release.ts'
import { type JsonSchemaProps, someSchema } from '../../../schema/json-schema/props.ts'
import type { CustomResourceDefinition } from '../v1.types.ts'

const RULES = 'x-kubernetes-validations'

const schemasOf = ({ spec }: CustomResourceDefinition): JsonSchemaProps[] =>
  (spec.versions ?? []).flatMap(({ schema }) => (schema?.openAPIV3Schema ? [schema.openAPIV3Schema] : []))

const hasSchema = (definition: CustomResourceDefinition, holds: (schema: JsonSchemaProps) => boolean): boolean =>
  schemasOf(definition).some(schema => someSchema(schema, holds))

/** Takes out of the schemas of a definition what gates keep from rules, where the old definition has nothing of it. `next` is mutated. */
export function dropDisabledRules(next: CustomResourceDefinition, old: CustomResourceDefinition | undefined, features: Features): void {
  if (!features.enabled('CustomResourceValidationExpressions')) dropRules(next, old)
  // Releases before do not know the field; it comes with this gate.
  if (!features.enabled('CRDValidationRatcheting') && isSince(features.release, '1.29')) dropOptionalOldSelf(next, old)
}

/** As 1.24 does, where rules are an alpha feature. */
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
