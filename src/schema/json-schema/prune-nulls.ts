import type { JsonSchemaProps } from '../../api/apiextensions/json-schema-props.ts'
import type { Json, JsonObject } from '../../api/meta/object.ts'
import { isStepDone, type Steps } from '../../lib/steps.ts'
import { memberNames } from '../../lib/wide-objects.ts'
import { additionalSchema, itemsSchema, propertySchema } from './props.ts'

/** A list or object whose members have not been visited. */
interface UnvisitedNode {
  readonly value: JsonObject | Json[]
  readonly schema: JsonSchemaProps | undefined
}

/** Removes, in place, null members whose schema is not nullable and has no default. Items of lists are kept. */
export function* pruneNulls(value: Json, schema: JsonSchemaProps | undefined): Steps<void> {
  const places: UnvisitedNode[] = []
  const visit = (member: Json, inner: JsonSchemaProps | undefined): void => {
    if (typeof member === 'object' && member !== null) places.push({ value: member, schema: inner })
  }
  visit(value, schema)
  for (let place = places.pop(); place !== undefined; place = places.pop()) {
    const { value: at, schema: known } = place
    if (Array.isArray(at)) {
      const items = known && itemsSchema(known)
      for (const item of at) {
        visit(item, items)
        if (isStepDone()) yield
      }
      continue
    }
    for (const name of yield* memberNames(at)) {
      const member = at[name] ?? null
      const inner = known && (propertySchema(known, name) ?? additionalSchema(known))
      if (member === null && inner !== undefined && !inner.nullable && inner.default === undefined) delete at[name]
      else visit(member, inner)
      if (isStepDone()) yield
    }
  }
}
