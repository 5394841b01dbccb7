import type { Schema } from '../schema/schema.ts'
import { EMPTY, type FieldSet, isEmpty } from './field-set.ts'
import { childSchema, shapeOf } from './typed-schema.ts'

/** Sets that are known to fit a schema. */
const fitting = new WeakMap<FieldSet, Schema>()

/** A set that was written when the schema tracked more: paths below what is one value by now become that value's own path. Returns the same set if it fits. */
export function reconcile(set: FieldSet, schema: Schema): FieldSet {
  if (fitting.get(set) === schema) return set
  const reconciled = reconcileNode(set, schema)
  fitting.set(reconciled, schema)
  return reconciled
}

function reconcileNode(node: FieldSet, schema: Schema | undefined): FieldSet {
  if (schema === undefined || isEmpty(node)) return node
  const composite = schema.type === 'struct' || schema.type === 'map' || schema.type === 'list'
  if (!composite) return node
  if (shapeOf(schema) === 'leaf') return EMPTY
  let out: { [element: string]: FieldSet } | undefined
  for (const element in node) {
    if (element === '.') continue
    const child = node[element] as FieldSet
    const reconciled = reconcileNode(child, childSchema(schema, element))
    if (reconciled === child) continue
    out ??= { ...node }
    out[element] = reconciled
  }
  return out ?? node
}
