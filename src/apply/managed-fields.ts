import type { KubeObject, ManagedFieldsEntry } from '../api/meta/object.ts'
import { compareText } from '../lib/compare-text.ts'
import { isStepDone, isSteps, runAtOnce, type Steps } from '../lib/steps.ts'
import { turnIsLong } from '../lib/turn.ts'
import type { StructSchema } from '../schema/schema.ts'
import { ApplyError } from './apply-error.ts'
import { union, unionOf } from './field-set.ts'
import { decodeManagedInSteps, encodeManaged, type Managed, type Manager, managerIdentity } from './managed.ts'
import { emptyObject, type OwnedWrite, ownable, takeFromOthers, touchesOf, untracked } from './ownership.ts'
import { EMPTY, type FieldSet, isEmptySet } from './set-node.ts'
import { TypedError } from './typed-list.ts'
import { misfitOf } from './typed-validate.ts'

/** Arguments of an update of managed fields by a create, update or patch. */
export interface UpdateArgs {
  /** Schema of the version of the request. */
  readonly schema: StructSchema
  /** The existing object. Undefined if the request creates it. */
  readonly old: KubeObject | undefined
  /**
   * The new object, before admission and the strategy's hooks. Its `metadata.managedFields` are those of the request:
   * an empty list, or a single empty entry, resets tracking; other entries replace the existing ones; if unset, the
   * existing ones are kept.
   */
  readonly next: KubeObject
  readonly manager: string
  readonly apiVersion: string
  readonly subresource?: string | undefined
  /** Paths that writes to this resource or subresource do not own. */
  readonly resetFields?: OwnedWrite['resetFields']
  /** Optional. Reset fields in versions other than the request's. */
  readonly resetElsewhere?: OwnedWrite['resetElsewhere']
  /** Time of the request: RFC 3339 in whole seconds. */
  readonly now: string
  /** Optional. Needed if managers may name other versions than the request's. */
  readonly convert?: OwnedWrite['convert']
}

/**
 * Returns the managed fields of an object after a create, update or patch. Returns none if tracking was reset, if the
 * existing object has none, or if it does not match its schema. The entries share immutable `fieldsV1`.
 * https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management
 */
export const updateManagedFields = (args: UpdateArgs): ManagedFieldsEntry[] => runAtOnce(updateManagedInSteps(args))

/** `updateManagedFields` in steps, for objects that may be large. */
export function* updateManagedInSteps(args: UpdateArgs): Steps<ManagedFieldsEntry[]> {
  const managed = yield* startingPoint(args)
  // An object without managers stays untracked until the first apply.
  if (managed.size === 0 && args.old !== undefined) return []
  const misfit = args.old && misfitOf(args.schema, args.old)
  if (misfit && (yield* misfit) !== undefined) return []
  try {
    return encodeManaged(yield* update(args, managed))
  } catch (error) {
    if (error instanceof TypedError || (error instanceof ApplyError && error.code === 'internal')) return []
    throw error
  }
}

/**
 * The managers before the write: those of the request if it has valid ones, otherwise those of the existing object.
 * Requests of subresources cannot set managers.
 */
function* startingPoint({ old, next, subresource }: UpdateArgs): Steps<Managed> {
  const requested = next.metadata.managedFields
  if (!subresource && requested) {
    if (isReset(requested)) return new Map()
    const managed = yield* decodeManagedInSteps(requested)
    if (managed && managed.size > 0) return managed
  }
  return (yield* decodeManagedInSteps(old?.metadata.managedFields)) ?? new Map()
}

/** Whether the entries are an empty list or a single empty entry, which is the documented way to reset tracking. */
function isReset(entries: readonly ManagedFieldsEntry[]): boolean {
  const [only] = entries
  return only === undefined || (entries.length === 1 && Object.keys(only).length === 0)
}

/** Updates the managers for a write. A create is compared with an empty object. */
function update(args: UpdateArgs, before: Managed): Steps<Managed> {
  const { schema, next, apiVersion, subresource = '', resetFields, resetElsewhere, convert } = args
  const old = args.old ?? emptyObject(schema, apiVersion, next.kind)
  return recordUpdate({ schema, apiVersion, old, next: untracked(next), resetFields, resetElsewhere, convert }, before, {
    manager: args.manager || 'unknown',
    subresource,
    time: args.now,
  })
}

/**
 * Assigns the fields that a change touches to the updater, and removes them from all other managers. Returns a new map.
 */
export function* recordUpdate(
  change: OwnedWrite,
  before: Managed,
  by: { manager: string; subresource: string; time: string },
): Steps<Managed> {
  const touchIn = touchesOf(change)
  const touched = (yield* touchIn(change.apiVersion))?.touched ?? EMPTY
  const managed: Managed = before.size === 0 ? new Map() : yield* takeFromOthers(before, touchIn)
  if (turnIsLong()) yield
  const wanted = ownable(touched)
  const own = isSteps(wanted) ? yield* wanted : wanted
  if (!isEmptySet(own)) {
    const manager = { manager: by.manager, operation: 'Update', apiVersion: change.apiVersion, subresource: by.subresource } as const
    const identity = managerIdentity(manager)
    const set = union(own, managed.get(identity)?.set ?? EMPTY)
    managed.set(identity, { set: isSteps(set) ? yield* set : set, time: by.time, ...manager })
  }
  return managed.size <= MAX_UPDATERS ? managed : yield* capUpdaters(managed)
}

/** Largest number of Update entries of one object, as upstream. Apply entries are not counted. */
const MAX_UPDATERS = 10

/** Merges the oldest Update entries of a version into one, `ancient-changes`, until at most 10 are left. */
function* capUpdaters(managed: Managed): Steps<Managed> {
  let count = 0
  for (const { operation } of managed.values()) if (operation === 'Update') count++
  if (count <= MAX_UPDATERS) return managed
  const updaters = [...managed].filter(([, manager]) => manager.operation === 'Update')
  updaters.sort(([a, x], [b, y]) => compareText(x.time ?? '', y.time ?? '') || compareText(a, b))
  const firsts = new Map<string, string>()
  const buckets = new Map<
    string,
    { readonly manager: Omit<Manager, 'set' | 'time'>; readonly sets: FieldSet[]; time: string | undefined }
  >()
  for (const [identity, manager] of updaters) {
    if (isStepDone()) yield
    if (count <= MAX_UPDATERS) break
    const { apiVersion, set, time } = manager
    const first = firsts.get(apiVersion)
    if (first === undefined) {
      firsts.set(apiVersion, identity)
      continue
    }
    const ancient = { manager: 'ancient-changes', operation: 'Update', apiVersion, subresource: '' } as const
    const ancientIdentity = managerIdentity(ancient)
    if (identity === ancientIdentity) continue
    let bucket = buckets.get(ancientIdentity)
    if (bucket === undefined) {
      const begun = managed.has(ancientIdentity) ? ancientIdentity : first
      bucket = { manager: ancient, sets: [managed.get(begun)?.set ?? EMPTY], time }
      managed.delete(begun)
      buckets.set(ancientIdentity, bucket)
    }
    bucket.sets.push(set)
    bucket.time = time
    managed.delete(identity)
    count--
  }
  for (const [identity, { manager, sets, time }] of buckets) managed.set(identity, { ...manager, set: yield* unionOf(sets), time })
  return managed
}
