import type { JsonSchemaProps } from '../../api/apiextensions/json-schema-props.ts'
import { isLongStepDone, isStepDone, runAtOnce, type Steps } from '../../lib/steps.ts'
import { memberNames } from '../../lib/wide-objects.ts'
import { additionalSchema, itemsSchema, positionalItems } from './props.ts'

/**
 * Returns why a schema has no structural form, with upstream's text (NewStructural); undefined if it has one. Schemas
 * that pass the validation of custom resource definitions always have one.
 */
export const structuralFault = (schema: JsonSchemaProps): string | undefined => runAtOnce(findStructuralFault(schema))

/** Like `structuralFault`, in steps, for schemas that may be large. */
export function* findStructuralFault(schema: JsonSchemaProps): Steps<string | undefined> {
  let known = faults.get(schema)
  if (known === undefined) {
    if (isLongStepDone()) yield
    known = (yield* findFault(schema)) ?? NONE
    faults.set(schema, known)
  }
  return known === NONE ? undefined : known
}

/** Cached results, because CEL rules need them at every depth. */
const faults = new WeakMap<JsonSchemaProps, string>()
/** Stands for no fault in the WeakMap. No fault is empty. */
const NONE = ''

/** Checks in upstream's order: the schema itself, its junctors, then its parts. */
function* findFault(schema: JsonSchemaProps): Steps<string | undefined> {
  const unsupported = unsupportedMember(schema)
  if (unsupported !== undefined) return `OpenAPIV3Schema '${unsupported}' is not supported`
  const inJunctors = yield* firstFault([
    ...(schema.not ? [schema.not] : []),
    ...(schema.allOf ?? []),
    ...(schema.anyOf ?? []),
    ...(schema.oneOf ?? []),
  ])
  if (inJunctors !== undefined) return inJunctors
  if (schema['x-kubernetes-preserve-unknown-fields'] === false)
    return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined"
  if (positionalItems(schema).length > 0) return "OpenAPIV3Schema 'items' must be a schema, but is an array"
  return (yield* firstFault([itemsSchema(schema)])) ?? (yield* propertiesFault(schema)) ?? (yield* firstFault([additionalSchema(schema)]))
}

function* propertiesFault({ properties = {} }: JsonSchemaProps): Steps<string | undefined> {
  for (const name of yield* memberNames(properties)) {
    const fault = yield* firstFault([properties[name]])
    if (fault !== undefined) return fault
  }
  return undefined
}

function* firstFault(schemas: readonly (JsonSchemaProps | undefined)[]): Steps<string | undefined> {
  for (const schema of schemas) {
    if (schema === undefined || faults.get(schema) === NONE) {
      if (isStepDone()) yield
      continue
    }
    const fault = yield* findStructuralFault(schema)
    if (fault !== undefined) return fault
  }
  return undefined
}

/** Returns a member of JSONSchemaProps that custom resources cannot use. */
function unsupportedMember(schema: JsonSchemaProps): string | undefined {
  if (schema.id) return 'id'
  if (schema.$schema) return 'schema'
  if (schema.$ref) return '$ref'
  if (schema.patternProperties) return 'patternProperties'
  if (schema.dependencies) return 'dependencies'
  if (schema.additionalItems !== undefined) return 'additionalItems'
  return schema.definitions ? 'definitions' : undefined
}
