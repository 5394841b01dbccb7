import type { Steps } from '../lib/steps.ts'
import type { Json, KubeObject } from '../meta/object.ts'
import type { StructSchema } from '../schema/schema.ts'
import { difference, EMPTY, ensureNamedFieldsAreMembers, type FieldSet, intersection, isEmpty, union } from './field-set.ts'
import type { Manager } from './managed.ts'
import type { Change, Versioned } from './ownership.ts'
import { removeItems } from './typed-merge.ts'
import { toFieldSet } from './typed-paths.ts'

interface Request {
  readonly schema: StructSchema
  readonly apiVersion: string
  readonly convert: Change['convert']
}

/**
 * The merged object without what the manager applied last, does not apply now, and nobody owns. `managers` has the manager with its new set. Struct fields that lead
 * to what is owned count as owned, and what was not applied last stays even if nobody owns it.
 */
export function* prune(request: Request, merged: KubeObject, managers: readonly Manager[], last: Manager): Steps<KubeObject> {
  if (isEmpty(last.set)) return merged
  const into = (object: KubeObject, from: string, to: string): Versioned | undefined =>
    from === to ? { schema: schemaOf(request, object, to), object } : request.convert?.(object, to)
  const then = into(merged, request.apiVersion, last.apiVersion)
  if (then === undefined) return merged
  let pruned = without(then, named(last.set, then.schema))
  for (const [apiVersion, owned] of ownedByVersion(managers, last.apiVersion)) {
    const whole = into(then.object, last.apiVersion, apiVersion)
    const part = whole && into(pruned, last.apiVersion, apiVersion)
    if (whole === undefined || part === undefined) continue
    yield
    const kept = union(yield* fieldsOf(part), named(owned, whole.schema))
    yield
    const back = into(without(whole, difference(yield* fieldsOf(whole), kept)), apiVersion, last.apiVersion)
    yield
    if (back !== undefined) pruned = back.object
  }
  const dangling = intersection(difference(yield* fieldsOf(then), yield* fieldsOf({ schema: then.schema, object: pruned })), named(last.set, then.schema))
  yield
  return into(without(then, dangling), last.apiVersion, request.apiVersion)?.object ?? merged
}

const schemaOf = (request: Request, object: KubeObject, apiVersion: string): StructSchema =>
  apiVersion === request.apiVersion ? request.schema : (request.convert?.(object, apiVersion)?.schema ?? request.schema)

const named = (set: FieldSet, schema: StructSchema): FieldSet => ensureNamedFieldsAreMembers(set, schema)

function* fieldsOf({ schema, object }: Versioned): Steps<FieldSet> {
  return named(yield* toFieldSet(schema, object as never), schema)
}

const without = ({ schema, object }: Versioned, set: FieldSet): KubeObject => removeItems(schema, object as unknown as Json, set) as unknown as KubeObject

/** What is owned at all, by version; the version that the object was last applied in comes first. */
function ownedByVersion(managers: readonly Manager[], first: string): [string, FieldSet][] {
  const owned = new Map<string, FieldSet>()
  for (const { apiVersion, set } of managers) owned.set(apiVersion, union(owned.get(apiVersion) ?? EMPTY, set))
  return [...owned].sort(([a], [b]) => Number(b === first) - Number(a === first))
}
