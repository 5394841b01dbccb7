import type { JsonSchemaProps } from '../../api/apiextensions/json-schema-props.ts'
import { isStepDone, runAtOnce, type Steps } from '../../lib/steps.ts'
import { memberNames } from '../../lib/wide-objects.ts'

/** Array.isArray that narrows readonly lists. */
const isReadonlyList = (value: unknown): value is readonly unknown[] => Array.isArray(value)

/** Returns the schema of all items. Undefined if there is none, or a list of schemas. */
export function itemsSchema({ items }: JsonSchemaProps): JsonSchemaProps | undefined {
  return items === undefined || items === null || isReadonlyList(items) ? undefined : items
}

/** Schemas of items by position. Custom resources cannot have them. */
export const positionalItems = ({ items }: JsonSchemaProps): readonly JsonSchemaProps[] => (isReadonlyList(items) ? items : [])

/** Returns the schema of members that are not properties. */
export function additionalSchema({ additionalProperties }: JsonSchemaProps): JsonSchemaProps | undefined {
  return typeof additionalProperties === 'object' ? additionalProperties : undefined
}

/** Returns the schema of a property. Names such as `constructor` do not find members of the prototype. */
export const propertySchema = ({ properties }: JsonSchemaProps, name: string): JsonSchemaProps | undefined =>
  properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined

/** Whether the predicate holds for the schema or any nested one. */
export const someSchema = (schema: JsonSchemaProps | undefined, holds: (schema: JsonSchemaProps) => boolean): boolean =>
  runAtOnce(someSchemaInSteps(schema, holds))

/** Like `someSchema`, in steps, for schemas that may be large. */
export function* someSchemaInSteps(schema: JsonSchemaProps | undefined, holds: (schema: JsonSchemaProps) => boolean): Steps<boolean> {
  const open = schema === undefined ? [] : [schema]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (holds(next)) return true
    if (isStepDone()) yield
    for (const inner of innerSchemas(next)) open.push(inner)
    const { properties = {} } = next
    for (const name of yield* memberNames(properties)) {
      const property = properties[name]
      if (property) open.push(property)
    }
  }
  return false
}

/** Returns the schemas directly within one, in every position but the properties. */
function innerSchemas(schema: JsonSchemaProps): JsonSchemaProps[] {
  const { allOf = [], anyOf = [], oneOf = [], not, patternProperties = {}, definitions = {}, dependencies = {}, additionalItems } = schema
  const maybe = [itemsSchema(schema), not, additionalSchema(schema), typeof additionalItems === 'object' ? additionalItems : undefined]
  return [
    ...positionalItems(schema),
    ...allOf,
    ...anyOf,
    ...oneOf,
    ...maybe.filter(inner => inner !== undefined),
    ...Object.values(patternProperties),
    ...Object.values(definitions),
    ...Object.values(dependencies).filter(
      (inner): inner is JsonSchemaProps => typeof inner === 'object' && inner !== null && !isReadonlyList(inner),
    ),
  ]
}

/** Whether the value is an embedded API object. */
export const isEmbedded = (schema: JsonSchemaProps | undefined): boolean => schema?.['x-kubernetes-embedded-resource'] === true
