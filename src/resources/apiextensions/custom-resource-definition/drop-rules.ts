import { type JsonSchemaProps, someSchema } from '../../../schema/json-schema/props.ts'
import type { CustomResourceDefinition } from '../v1.types.ts'

const RULES = 'x-kubernetes-validations'

const schemasOf = ({ spec }: CustomResourceDefinition): JsonSchemaProps[] =>
  (spec.versions ?? []).flatMap(({ schema }) => (schema?.openAPIV3Schema ? [schema.openAPIV3Schema] : []))

/** Takes rules out of the schemas of a definition that had none, as 1.24 does, where they are an alpha feature. `next` is mutated. */
export function dropRules(next: CustomResourceDefinition, old: CustomResourceDefinition | undefined): void {
  if (old && schemasOf(old).some(schema => someSchema(schema, inner => inner[RULES] !== undefined))) return
  for (const schema of schemasOf(next)) someSchema(schema, inner => !Reflect.deleteProperty(inner, RULES))
}
