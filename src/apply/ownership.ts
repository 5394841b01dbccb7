import { isSteps, resultOf, type Steps } from '../lib/steps.ts'
import { turnIsLong } from '../lib/turn.ts'
import { decodedObject, type JsonObject, type KubeObject } from '../meta/object.ts'
import { decode } from '../schema/decode.ts'
import type { FormName, Schema, StructSchema } from '../schema/schema.ts'
import { ApplyError } from './apply-error.ts'
import { difference, fieldSetOf, type MadeSet, recursiveDifference, union } from './field-set.ts'
import { type Managed, setFields } from './managed.ts'
import type { PathElement } from './path-element.ts'
import { EMPTY, type FieldSet, isEmpty } from './set-node.ts'
import { OpenNode, type SetRule, walked } from './set-walk.ts'
import { compare } from './typed.ts'
import { childSchema, shapeOf } from './typed-schema.ts'

/** An object in some version, with that version's schema. */
export interface Versioned {
  readonly schema: StructSchema
  readonly object: KubeObject
}

/** A write, in the version of its request. */
export interface Change {
  readonly schema: StructSchema
  readonly apiVersion: string
  readonly old: KubeObject
  readonly next: KubeObject
  /** Paths that the (sub)resource may not write, and so does not own. */
  readonly resetFields?: readonly (readonly string[])[] | undefined
  /** An object, of the version that it says it is of, in another one, in which some manager's fields are recorded; undefined (or no such function): that version is not served. */
  readonly convert?: ((object: KubeObject, apiVersion: string) => Versioned | undefined | Steps<Versioned | undefined>) | undefined
}

/** What a change does, in paths of one version. */
export interface Touch {
  readonly schema: StructSchema
  /** Added or modified. */
  readonly touched: FieldSet
  readonly removed: FieldSet
}

/** What a change does in paths of a version; undefined for one that is not served. */
export type Touches = (apiVersion: string) => Steps<Touch | undefined>

/** What a (sub)resource may not write in versions other than that of the request. Upstream names no such fields of custom kinds. */
const RESET_ELSEWHERE: Readonly<Record<FormName, (resetFields: Change['resetFields']) => Change['resetFields']>> = {
  typed: resetFields => resetFields,
  unstructured: () => undefined,
}

/** What a change does, by version. */
export function touchesOf(change: Change): Touches {
  const { convert, resetFields, schema } = change
  const otherReset = RESET_ELSEWHERE[schema.form.name](resetFields)
  /** Of versions that were asked for. Most objects have managers of one alone. */
  let own: Touch | undefined
  const others = new Map<string, Touch | undefined>()
  const inVersion = (object: KubeObject, which: 'old' | 'new', to: string): Steps<Versioned | undefined> =>
    prefixErrors(`failed to convert ${which} object: `, resultOf(convert?.(object, to)))
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

/** What the steps return. The text of an ApplyError of theirs begins with `failed`. */
export function* prefixErrors<T>(failed: string, steps: Steps<T>): Steps<T> {
  try {
    return yield* steps
  } catch (error) {
    throw error instanceof ApplyError ? new ApplyError(error.code, failed + error.message) : error
  }
}

function* touchOf(schema: StructSchema, old: KubeObject, next: KubeObject, resetFields: Change['resetFields']): Steps<Touch> {
  const { added, modified, removed } = yield* compare(schema, old, next)
  if (turnIsLong()) yield
  const both = union(added, modified)
  const touched = isSteps(both) ? yield* both : both
  if (turnIsLong()) yield
  if (resetFields === undefined || resetFields.length === 0) return { schema, touched, removed }
  const touchedOwn = withoutReset(touched, resetFields)
  const removedOwn = withoutReset(removed, resetFields)
  return { schema, touched: isSteps(touchedOwn) ? yield* touchedOwn : touchedOwn, removed: isSteps(removedOwn) ? yield* removedOwn : removedOwn }
}

/** What a change touches or removes belongs to nobody else any more; managers of versions that are not served are gone. */
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

/** The object as comparisons see it: managed fields don't manage themselves. */
export function untracked(object: KubeObject): KubeObject {
  if (object.metadata?.managedFields === undefined) return object
  const { managedFields: _, ...metadata } = object.metadata
  return { ...object, metadata }
}

/** What decoding makes of nothing, by type: shared, and never changed. */
const zeros = new WeakMap<StructSchema, JsonObject>()

/** What stands in an empty object of the type: creating an object does not claim structs and lists that are always there. */
export function emptyObject(schema: StructSchema, apiVersion: string, kind: string): KubeObject {
  let zero = zeros.get(schema)
  if (!zero) {
    zero = decode(schema, {})
    zeros.set(schema, zero)
  }
  return decodedObject({ ...zero, kind, apiVersion })
}

/** By the list of paths, which is a constant of its resource. */
const resetSets = new WeakMap<object, FieldSet>()

/** A set without the paths that a (sub)resource may not write, and all below them. */
export function withoutReset(set: FieldSet, paths: Change['resetFields']): MadeSet {
  if (paths === undefined || paths.length === 0) return set
  let reset = resetSets.get(paths)
  if (!reset) {
    reset = fieldSetOf(paths)
    resetSets.set(paths, reset)
  }
  return recursiveDifference(set, reset)
}

/** Members of the metadata that the server writes. Source: stripMeta of apimachinery's managedfields. */
const IDENTITY = ['name', 'namespace', 'creationTimestamp', 'selfLink', 'uid', 'clusterName', 'generation', 'managedFields', 'resourceVersion']
const UNOWNED = fieldSetOf([['apiVersion'], ['kind'], ['metadata'], ...IDENTITY.map(name => ['metadata', name])])

/** What the server writes, or what identifies the object, has no owner. */
export const ownable = (set: FieldSet): MadeSet => difference(set, UNOWNED)

/** Sets that are known to fit a schema. */
const fitting = new WeakMap<FieldSet, Schema>()

/** A set that was written when the schema tracked more: paths below what is one value by now become that value's own path. Returns the same set if it fits. */
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

/** The node itself if nothing below it can change. */
function fitted(node: FieldSet, element: PathElement, schema: Schema | undefined): FieldSet | OpenNode {
  if (schema === undefined || isEmpty(node)) return node
  const composite = schema.type === 'struct' || schema.type === 'map' || schema.type === 'list'
  if (!composite) return node
  if (shapeOf(schema) === 'leaf') return EMPTY
  return new OpenNode(element, node, EMPTY, node['.'] !== undefined, schema)
}
