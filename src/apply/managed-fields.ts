import type { KubeObject, ManagedFieldsEntry } from '../meta/object.ts'
import { decode } from '../schema/decode.ts'
import type { StructSchema } from '../schema/schema.ts'
import { difference, EMPTY, type FieldSet, fieldSetOf, isEmpty, recursiveDifference, union } from './field-set.ts'
import { decodeManaged, encodeManaged, identityOf, type Managed, type Manager, setFields } from './managed.ts'
import { compareText } from './path-element.ts'
import { reconcile } from './reconcile.ts'
import { type Comparison, compare } from './typed.ts'
import { TypedError } from './typed-list.ts'

/** An object before and after, in one version. */
export interface VersionedPair {
  readonly schema: StructSchema
  readonly old: KubeObject
  readonly next: KubeObject
  readonly resetFields?: readonly (readonly string[])[] | undefined
}

export interface UpdateArgs {
  /** Of the version of the request. */
  readonly schema: StructSchema
  /** undefined: the object is being created. */
  readonly old: KubeObject | undefined
  /**
   * What is to be written, before admission and the strategy's hooks. Its `metadata.managedFields` are what the request says: an empty list, or one empty entry,
   * gives up tracking; entries replace the old ones; none means the old ones.
   */
  readonly next: KubeObject
  readonly manager: string
  readonly apiVersion: string
  readonly subresource?: string | undefined
  /** Paths that this (sub)resource may not write, and so does not own. */
  readonly resetFields?: readonly (readonly string[])[] | undefined
  /** RFC 3339 in whole seconds. */
  readonly now: string
  /** The two objects in another version, in which a manager's fields are recorded; undefined (or no such function): the version is not served, its managers are dropped. */
  readonly inVersion?: ((apiVersion: string) => VersionedPair | undefined) | undefined
}

/**
 * The managed fields of an object after a create, update or patch. Returns none where nobody is tracked (any more), or where the object does not fit its schema. The
 * entries hold shared, immutable `fieldsV1`.
 * https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management
 */
export function updateManagedFields(args: UpdateArgs): ManagedFieldsEntry[] {
  const managed = startingPoint(args)
  // An object that nobody tracks stays so, until it is applied to.
  if (managed.size === 0 && args.old !== undefined) return []
  try {
    return encodeManaged(update(args, managed))
  } catch (error) {
    if (error instanceof TypedError) return []
    throw error
  }
}

/** The managers before the write: of the request where it names some, else of the live object. A subresource can't name any. */
function startingPoint({ old, next, subresource }: UpdateArgs): Managed {
  const requested = next.metadata.managedFields
  if (!subresource && requested) {
    if (isReset(requested)) return new Map()
    const managed = decodeManaged(requested)
    if (managed && managed.size > 0) return managed
  }
  return decodeManaged(old?.metadata.managedFields) ?? new Map()
}

const isReset = (entries: readonly ManagedFieldsEntry[]): boolean =>
  entries.length === 0 || (entries.length === 1 && Object.keys(entries[0] as object).length === 0)

function update(args: UpdateArgs, before: Managed): Managed {
  const { schema, next, apiVersion, subresource = '' } = args
  const old = args.old ?? ({ ...zeroOf(schema), kind: next.kind, apiVersion: next.apiVersion } as KubeObject)
  const main = touchedBy({ schema, old, next, resetFields: args.resetFields })
  const managed = takeFromOthers(before, args, main)
  const own = difference(main.touched, STRIPPED)
  if (!isEmpty(own)) {
    const manager = { manager: args.manager || 'unknown', operation: 'Update', apiVersion, subresource } as const
    const identity = identityOf(manager)
    managed.set(identity, { ...manager, set: union(own, managed.get(identity)?.set ?? EMPTY), time: args.now })
  }
  return capUpdaters(managed)
}

interface Touch {
  readonly schema: StructSchema
  /** Added or modified. */
  readonly touched: FieldSet
  readonly removed: FieldSet
}

function touchedBy({ schema, old, next, resetFields }: VersionedPair): Touch {
  const { added, modified, removed } = without(compare(schema, old, untracked(next)), resetFields)
  return { schema, touched: union(added, modified), removed }
}

function without(comparison: Comparison, paths: VersionedPair['resetFields']): Comparison {
  if (paths === undefined || paths.length === 0) return comparison
  const reset = resetSet(paths)
  return {
    added: recursiveDifference(comparison.added, reset),
    modified: recursiveDifference(comparison.modified, reset),
    removed: recursiveDifference(comparison.removed, reset),
  }
}

/** What a change touches or removes belongs to nobody else any more. */
function takeFromOthers(before: Managed, args: UpdateArgs, main: Touch): Managed {
  const managed: Managed = new Map(before)
  const touches = new Map<string, Touch | undefined>([[args.apiVersion, main]])
  for (const [identity, manager] of before) {
    let touch = touches.get(manager.apiVersion)
    if (touch === undefined && !touches.has(manager.apiVersion)) {
      const pair = args.old && args.inVersion?.(manager.apiVersion)
      touch = pair && touchedBy(pair)
      touches.set(manager.apiVersion, touch)
    }
    if (touch === undefined) managed.delete(identity)
    else setFields(managed, identity, manager, difference(difference(reconcile(manager.set, touch.schema), touch.touched), touch.removed))
  }
  return managed
}

/** The object as comparisons see it: managed fields don't manage themselves. */
function untracked(object: KubeObject): KubeObject {
  if (object.metadata.managedFields === undefined) return object
  const { managedFields: _, ...metadata } = object.metadata
  return { ...object, metadata }
}

const zeros = new WeakMap<StructSchema, object>()

/** What stands in an empty object of the type: creating an object does not claim structs and lists that are always there. */
function zeroOf(schema: StructSchema): object {
  let zero = zeros.get(schema)
  if (!zero) {
    zero = decode(schema, {})
    zeros.set(schema, zero)
  }
  return zero
}

const resetSets = new WeakMap<object, FieldSet>()

function resetSet(paths: readonly (readonly string[])[]): FieldSet {
  let set = resetSets.get(paths)
  if (!set) {
    set = fieldSetOf(paths)
    resetSets.set(paths, set)
  }
  return set
}

/** What the server writes, or what identifies the object, has no owner. */
const STRIPPED = fieldSetOf([
  ['apiVersion'],
  ['kind'],
  ['metadata'],
  ...['name', 'namespace', 'creationTimestamp', 'selfLink', 'uid', 'clusterName', 'generation', 'managedFields', 'resourceVersion'].map(name => [
    'metadata',
    name,
  ]),
])

const MAX_UPDATERS = 10

/** Merges the oldest updaters of a version into one entry, `ancient-changes`, until there are few enough. */
function capUpdaters(managed: Managed): Managed {
  let count = 0
  for (const { operation } of managed.values()) if (operation === 'Update') count++
  if (count <= MAX_UPDATERS) return managed
  const updaters = [...managed].filter(([, manager]) => manager.operation === 'Update')
  updaters.sort(([a, x], [b, y]) => compareText(x.time ?? '', y.time ?? '') || compareText(a, b))
  const firsts = new Map<string, string>()
  for (const [identity, manager] of updaters) {
    if (count <= MAX_UPDATERS) break
    const { apiVersion, set, time } = manager
    const first = firsts.get(apiVersion)
    if (first === undefined) {
      firsts.set(apiVersion, identity)
      continue
    }
    const bucket = { manager: 'ancient-changes', operation: 'Update', apiVersion, subresource: '' } as const
    const bucketIdentity = identityOf(bucket)
    let ancient: Manager | undefined = managed.get(bucketIdentity)
    if (ancient === undefined) {
      ancient = managed.get(first) as Manager
      managed.delete(first)
    }
    managed.set(bucketIdentity, { ...bucket, set: union(set, ancient.set), time })
    managed.delete(identity)
    count--
  }
  return managed
}
