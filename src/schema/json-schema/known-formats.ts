import type { JsonSchemaProps } from '../../api/apiextensions/json-schema-props.ts'
import { isStepDone, runIfSteps, type Steps } from '../../lib/steps.ts'
import { memberNames, noteCopy } from '../../lib/wide-objects.ts'
import { setMember } from '../../meta/equal.ts'
import { isTextFormat } from './formats.ts'
import { isNumberFormat } from './number-checks.ts'
import { additionalSchema, itemsSchema } from './props.ts'
import type { ValueRules } from './value-rules.ts'

/** Returns a copy of a schema without the formats that are not checked for custom kinds. */
export const withKnownFormats = (schema: JsonSchemaProps, rules: ValueRules): Steps<JsonSchemaProps> =>
  everywhere(schema, ({ format, ...rest }) => ({ ...rest, ...(format !== undefined && isChecked(format, rest, rules) && { format }) }))

/** Whether the release checks a format. Before it checked those of numbers, it did so for any type. */
function isChecked(format: string, schema: JsonSchemaProps, rules: ValueRules): boolean {
  return rules.checksRanges ? isKnownFormat(format, schema, rules) : isTextFormat(format, rules)
}

/** Reports whether a format is known for the type of its schema. Others are warned of. */
export function isKnownFormat(format: string, { type = '' }: JsonSchemaProps, rules: ValueRules): boolean {
  if (type === '' || type === 'string') return isTextFormat(format, rules)
  return rules.checksRanges && isNumberFormat(format, type)
}

/**
 * Returns a copy of a schema without x-kubernetes-int-or-string, so that such values are not restricted. Upstream
 * validates defaults like this.
 */
export const withoutIntOrString = (schema: JsonSchemaProps): Steps<JsonSchemaProps> =>
  everywhere(schema, ({ 'x-kubernetes-int-or-string': _, ...rest }) => rest)

/** Returns a copy in which the schema and all nested ones are changed, in steps. */
function* everywhere(schema: JsonSchemaProps, change: (schema: JsonSchemaProps) => JsonSchemaProps): Steps<JsonSchemaProps> {
  const inner = (each: JsonSchemaProps): JsonSchemaProps | Steps<JsonSchemaProps> =>
    isLeaf(each) ? change(each) : everywhere(each, change)
  const list = function* (schemas: readonly JsonSchemaProps[]): Steps<JsonSchemaProps[]> {
    const copy: JsonSchemaProps[] = []
    for (const each of schemas) {
      if (isStepDone()) yield
      copy.push(yield* runIfSteps(inner(each)))
    }
    return copy
  }
  const { allOf, anyOf, oneOf, not, properties } = schema
  const items = itemsSchema(schema)
  const additional = additionalSchema(schema)
  return {
    ...change(schema),
    ...(allOf && { allOf: yield* list(allOf) }),
    ...(anyOf && { anyOf: yield* list(anyOf) }),
    ...(oneOf && { oneOf: yield* list(oneOf) }),
    ...(not && { not: yield* runIfSteps(inner(not)) }),
    ...(items && { items: yield* runIfSteps(inner(items)) }),
    ...(additional && { additionalProperties: yield* runIfSteps(inner(additional)) }),
    ...(properties && { properties: yield* changedProperties(properties, inner) }),
  }
}

function* changedProperties(
  properties: Readonly<Record<string, JsonSchemaProps>>,
  inner: (schema: JsonSchemaProps) => JsonSchemaProps | Steps<JsonSchemaProps>,
): Steps<Record<string, JsonSchemaProps>> {
  const copy = noteCopy<Record<string, JsonSchemaProps>>(properties, {})
  for (const name of yield* memberNames(properties)) {
    if (isStepDone()) yield
    const member = properties[name]
    if (member) setMember(copy, name, yield* runIfSteps(inner(member)))
  }
  return copy
}

/** Most schemas have no nested ones and need no generator. */
const isLeaf = ({ allOf, anyOf, oneOf, not, properties, items, additionalProperties }: JsonSchemaProps): boolean =>
  (allOf ?? anyOf ?? oneOf ?? not ?? properties ?? items ?? additionalProperties) === undefined
