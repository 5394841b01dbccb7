import type { JsonSchemaProps } from '../../../api/apiextensions/json-schema-props.ts'
import type { CustomResourceDefinition } from '../../../api/apiextensions/v1.types.ts'
import type { HookContext } from '../../../catalog/strategy.ts'
import type { Steps } from '../../../lib/steps.ts'
import { isSince } from '../../../lifecycle/release.ts'
import { isKnownFormat } from '../../../schema/json-schema/known-formats.ts'
import { itemsSchema, someSchemaInSteps } from '../../../schema/json-schema/props.ts'
import { valueRulesOf } from '../../shared/value-rules.ts'
import { schemasOf, shareParts } from './spec.ts'

/** Returns the warning about a schema. */
type SchemaWarning = (schema: JsonSchemaProps) => string | undefined

/** Since 1.37: server-side apply and expressions treat a set of objects or lists as atomic. */
const ofSet: SchemaWarning = schema => {
  const type = schema['x-kubernetes-list-type'] === 'set' ? itemsSchema(schema)?.type : undefined
  if (type !== 'object' && type !== 'array') return undefined
  return `x-kubernetes-list-type: set for items of type "${type}" is not supported by server-side apply or CEL validation rules`
}

/**
 * Returns the warnings of 1.34 and later about the schemas of a definition: formats that are not checked, and sets
 * whose items are not scalars. Those of the stored definition are not repeated.
 */
export function* definitionWarnings(
  next: CustomResourceDefinition,
  old: CustomResourceDefinition | undefined,
  { features }: HookContext,
): Steps<string[]> {
  const { release } = features
  if (!isSince(release, '1.34')) return []
  const rules = valueRulesOf(features)
  const ofFormat: SchemaWarning = schema =>
    schema.format && !isKnownFormat(schema.format, schema, rules) && hasFormats(schema, rules.checksRanges)
      ? `unrecognized format ${JSON.stringify(schema.format)}`
      : undefined
  const warnings: string[] = []
  for (const warning of isSince(release, '1.37') ? [ofFormat, ofSet] : [ofFormat]) {
    const before = old ? yield* warningsOf(old, warning) : []
    for (const text of (yield* warningsOf(next, warning)).sort()) if (!before.includes(text)) warnings.push(text)
  }
  return warnings
}

/** Types whose formats are recognized: that of strings, and since 1.36 those of numbers. */
const hasFormats = ({ type = '' }: JsonSchemaProps, withNumbers: boolean): boolean =>
  type === 'string' || (withNumbers && (type === '' || type === 'integer' || type === 'number'))

function* warningsOf({ spec }: CustomResourceDefinition, warning: SchemaWarning): Steps<string[]> {
  const found = new Set<string>()
  for (const schema of schemasOf(shareParts(spec)))
    yield* someSchemaInSteps(schema, inner => {
      const text = warning(inner)
      if (text !== undefined) found.add(text)
      return false
    })
  return [...found]
}
