import { decodedObject, type JsonObject, type KubeObject } from '../api/meta/object.ts'
import { isSteps, runIfSteps, type Steps } from '../lib/steps.ts'
import { turnIsLong } from '../lib/turn.ts'
import { decode } from '../schema/decode.ts'
import type { FormName, Schema, StructSchema } from '../schema/schema.ts'
import { ApplyError } from './apply-error.ts'
import { difference, fieldSetOf, type MadeSet, recursiveDifference, union } from './field-set.ts'
import { type Managed, setFields } from './managed.ts'
import type { PathElement } from './path-element.ts'
import { EMPTY, type FieldSet, isEmptySet } from './set-node.ts'
import { OpenNode, type SetRule, walked } from './set-walk.ts'
import { compareObjects } from './typed.ts'
import { childSchema, shapeOf } from './typed-schema.ts'

/** An object with the schema of its version. */
export interface Versioned {
  readonly schema: StructSchema
  readonly object: KubeObject
}

/** A write in the version of its request. */
export interface OwnedWrite {
  readonly schema: StructSchema
  readonly apiVersion: string
  readonly old: KubeObject
  readonly next: KubeObject
  /** Paths that writes to the resource or subresource do not own. */
  readonly resetFields?: readonly (readonly string[])[] | undefined
  /**
   * Optional. Reset fields in versions other than the request's. Default: `resetFields` for built-in kinds, none for
   * custom kinds.
   */
  readonly resetElsewhere?: readonly (readonly string[])[] | undefined
  /**
   * Optional. Converts an object from the version of its apiVersion to that of a manager. Returns undefined if that
   * version is not served, as if the function were omitted.
   */
  readonly convert?: ((object: KubeObject, apiVersion: string) => Versioned | undefined | Steps<Versioned | undefined>) | undefined
}

/** Fields that a change affects, as paths of one version. */
export interface Touch {
  readonly schema: StructSchema
  /** Added and modified fields. */
  readonly touched: FieldSet
  readonly removed: FieldSet
}

/** Returns the fields that a change affects, as paths of a version. Undefined if the version is not served. */
export type Touches = (apiVersion: string) => Steps<Touch | undefined>

/** Default reset fields in versions other than the request's. */
const RESET_ELSEWHERE: Readonly<Record<FormName, (resetFields: OwnedWrite['resetFields']) => OwnedWrite['resetFields']>> = {
  typed: resetFields => resetFields,
  unstructured: () => undefined,
}

/** Returns a function that computes the affected fields of a change by version. Results are kept for each version. */
export function touchesOf(change: OwnedWrite): Touches {
  const { convert, resetFields, schema } = change
  const otherReset = change.resetElsewhere ?? RESET_ELSEWHERE[schema.form.name](resetFields)
  /** Result for the version of the request. Most objects have managers of this version only. */
  let own: Touch | undefined
  const others = new Map<string, Touch | undefined>()
  const inVersion = (object: KubeObject, which: 'old' | 'new', to: string): Steps<Versioned | undefined> =>
    prefixErrors(`failed to convert ${which} object: `, runIfSteps(convert?.(object, to)))
  return function* (apiVersion) {
    if (apiVersion === change.apiVersion) {
      own ??= yield* touchOf(change.schema, change.old, change.next, resetFields)
      return own
    }
    if (others.has(apiVersion)) return others.get(apiVersion)
    const old = yield* inVersion(change.old, 'old', apiVersion)
    if (turnIsLong()) yield
    const next = old && (yield* inVersion(change.next, 'new', apiVersion))
    const touch = old && next && (yield* touchOf(old.schema, old.object, next.object, otherReset))
    others.set(apiVersion, touch)
    return touch
  }
}

/** Runs steps and returns their result. Prefixes the message of an ApplyError with `failed`. */
export function* prefixErrors<T>(failed: string, steps: Steps<T>): Steps<T> {
  try {
    return yield* steps
  } catch (error) {
    throw error instanceof ApplyError ? new ApplyError(error.code, failed + error.message) : error
  }
}

function* touchOf(schema: StructSchema, old: KubeObject, next: KubeObject, resetFields: OwnedWrite['resetFields']): Steps<Touch> {
  const { added, modified, removed } = yield* compareObjects(schema, old, next)
  if (turnIsLong()) yield
  const both = union(added, modified)
  const touched = isSteps(both) ? yield* both : both
  if (turnIsLong()) yield
  if (resetFields === undefined || resetFields.length === 0) return { schema, touched, removed }
  const touchedOwn = withoutReset(touched, resetFields)
  const removedOwn = withoutReset(removed, resetFields)
  return {
    schema,
    touched: isSteps(touchedOwn) ? yield* touchedOwn : touchedOwn,
    removed: isSteps(removedOwn) ? yield* removedOwn : removedOwn,
  }
}

/**
 * Removes the affected fields of a change from all managers except `self`. Managers of versions that are not served are
 * dropped. Returns a new map.
 */
export function* takeFromOthers(before: Managed, touchIn: Touches, self?: string): Steps<Managed> {
  const managed: Managed = new Map(before)
  for (const [identity, manager] of before) {
    if (identity === self) continue
    if (turnIsLong()) yield
    const touch = yield* touchIn(manager.apiVersion)
    if (touch === undefined) managed.delete(identity)
    else {
      const fitting = reconcile(manager.set, touch.schema)
      const untouched = difference(isSteps(fitting) ? yield* fitting : fitting, touch.touched)
      const left = difference(isSteps(untouched) ? yield* untouched : untouched, touch.removed)
      setFields(managed, identity, manager, isSteps(left) ? yield* left : left)
    }
  }
  return managed
}

/** Returns the object without its managed fields, which have no managers themselves. */
export function untracked(object: KubeObject): KubeObject {
  if (object.metadata?.managedFields === undefined) return object
  const { managedFields: _, ...metadata } = object.metadata
  return { ...object, metadata }
}

/** Decoded empty objects by type. They are shared and must not be changed. */
const zeros = new WeakMap<StructSchema, JsonObject>()

/**
 * Returns an empty object of the type, for comparison with a new one. It has the structs and lists that are never
 * omitted, so that a create does not own them.
 */
export function emptyObject(schema: StructSchema, apiVersion: string, kind: string): KubeObject {
  let zero = zeros.get(schema)
  if (!zero) {
    zero = decode(schema, {})
    zeros.set(schema, zero)
  }
  return decodedObject({ ...zero, kind, apiVersion })
}

/** Sets of reset fields, by the identity of the list of paths, which is a constant of its resource. */
const resetSets = new WeakMap<object, FieldSet>()

/** Removes the reset fields, and all paths below them, from a set. */
export function withoutReset(set: FieldSet, paths: OwnedWrite['resetFields']): MadeSet {
  if (paths === undefined || paths.length === 0) return set
  let reset = resetSets.get(paths)
  if (!reset) {
    reset = fieldSetOf(paths)
    resetSets.set(paths, reset)
  }
  return recursiveDifference(set, reset)
}

/** Members of the metadata that the server writes. Source: stripMeta in apimachinery's managedfields. */
const IDENTITY = [
  'name',
  'namespace',
  'creationTimestamp',
  'selfLink',
  'uid',
  'clusterName',
  'generation',
  'managedFields',
  'resourceVersion',
]
const UNOWNED = fieldSetOf([['apiVersion'], ['kind'], ['metadata'], ...IDENTITY.map(name => ['metadata', name])])

/** Removes the fields that no manager owns: those that identify the object, and those that the server writes. */
export const ownable = (set: FieldSet): MadeSet => difference(set, UNOWNED)

/** Sets that `reconcile` has returned, with their schema. */
const fitting = new WeakMap<FieldSet, Schema>()

/**
 * Adapts a set that may be older than the schema: paths below a value that is atomic now become the path of that value.
 * Returns the same set if none are.
 */
export function reconcile(set: FieldSet, schema: Schema): MadeSet {
  if (fitting.get(set) === schema) return set
  const reconciled = fitted(set, '', schema)
  if (!(reconciled instanceof OpenNode)) return noteFit(reconciled, schema)
  const walk = walked(fit, reconciled)
  return isSteps(walk) ? noteFitOf(walk, schema) : noteFit(walk, schema)
}

function noteFit(set: FieldSet, schema: Schema): FieldSet {
  fitting.set(set, schema)
  return set
}

function* noteFitOf(walk: Steps<FieldSet>, schema: Schema): Steps<FieldSet> {
  return noteFit(yield* walk, schema)
}

const fit: SetRule = ({ a, schema }, element) => fitted(a[element] ?? EMPTY, element, childSchema(schema, element))

/** Returns the node itself if no path below it can change. */
function fitted(node: FieldSet, element: PathElement, schema: Schema | undefined): FieldSet | OpenNode {
  if (schema === undefined || isEmptySet(node)) return node
  const composite = schema.type === 'struct' || schema.type === 'map' || schema.type === 'list'
  if (!composite) return node
  if (shapeOf(schema) === 'leaf') return EMPTY
  return new OpenNode(element, node, EMPTY, node['.'] !== undefined, schema)
}
