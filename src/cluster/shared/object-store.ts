import type { TypedObject } from '../../api/meta/object.ts'
import { objectKey } from '../../clients/api-client.ts'
import { isStepDone } from '../../lib/steps.ts'
import { controllerOf } from './owner.ts'

/** Reads of an informer's objects. They are shared and must not be changed. */
export interface ObjectReader<T extends TypedObject> {
  /** @param key `namespace/name`, or the name of an object without a namespace. */
  get(key: string): T | undefined
  /** Objects in the order in which they were first stored. */
  list(): Iterable<T>
  /** Objects of a namespace. The list is a copy. */
  inNamespace(namespace: string): readonly T[]
  /** Objects whose controller reference has this uid. */
  controlledBy(uid: string): readonly T[]
  /** Objects of the namespace without a controller reference. */
  orphansIn(namespace: string): readonly T[]
  /** Objects for which an index of this name has the value. */
  by(index: string, value: string): readonly T[]
  /** Number of objects that `by` returns. */
  count(index: string, value: string): number
}

/** Returns the values under which an index lists an object. */
export type IndexFunction<T> = (object: T) => readonly string[]

const NONE: readonly never[] = []
/** Names of the indexes that every store has. */
const NAMESPACE = 'namespace'
const CONTROLLER = 'controller'
const ORPHAN = 'orphan'

/** The objects of one kind, indexed by namespace, by controller and by indexes of the caller. */
export class ObjectStore<T extends TypedObject> implements ObjectReader<T> {
  readonly #objects = new Map<string, T>()
  readonly #indexes = new Map<string, { readonly of: IndexFunction<T>; readonly keys: Map<string, Map<string, T>> }>()

  constructor() {
    this.addIndex(NAMESPACE, ({ metadata: { namespace } }) => (namespace ? [namespace] : NONE))
    this.addIndex(CONTROLLER, object => {
      const controller = controllerOf(object)
      return controller ? [controller.uid] : NONE
    })
    this.addIndex(ORPHAN, object => (controllerOf(object) ? NONE : [object.metadata.namespace ?? '']))
  }

  get size(): number {
    return this.#objects.size
  }

  /** Adds an index, unless there is one of this name. */
  addIndex(name: string, of: IndexFunction<T>): void {
    if (this.#indexes.has(name)) return
    this.#indexes.set(name, { of, keys: new Map() })
    for (const [key, object] of this.#objects) this.#enter(name, key, object)
  }

  keys(): Iterable<string> {
    return this.#objects.keys()
  }

  get(key: string): T | undefined {
    return this.#objects.get(key)
  }

  list(): Iterable<T> {
    return this.#objects.values()
  }

  inNamespace(namespace: string): readonly T[] {
    return this.by(NAMESPACE, namespace)
  }

  controlledBy(uid: string): readonly T[] {
    return this.by(CONTROLLER, uid)
  }

  orphansIn(namespace: string): readonly T[] {
    return this.by(ORPHAN, namespace)
  }

  count(index: string, value: string): number {
    return this.#indexes.get(index)?.keys.get(value)?.size ?? 0
  }

  by(index: string, value: string): readonly T[] {
    const found = this.#indexes.get(index)?.keys.get(value)
    return found ? [...found.values()] : NONE
  }

  /**
   * Stores an object. Returns the one that it replaces.
   * @param isIndexed whether `index` has run for it
   */
  put(object: T, isIndexed = false): T | undefined {
    const key = objectKey(object)
    const old = this.#objects.get(key)
    if (old && !isIndexed) this.#leaveAll(key, old)
    this.#objects.set(key, object)
    if (!isIndexed) for (const name of this.#indexes.keys()) this.#enter(name, key, object)
    return old
  }

  /**
   * Removes an object. Returns it if it was stored.
   * @param isIndexed whether `index` has run for its removal
   */
  remove(key: string, isIndexed = false): T | undefined {
    const old = this.#objects.get(key)
    if (!old) return undefined
    this.#objects.delete(key)
    if (!isIndexed) this.#leaveAll(key, old)
    return old
  }

  /**
   * Moves an object to its next state in all indexes, in steps: a large object may have tens of thousands of values.
   * Until the end, indexes list either state. `next` is undefined if the object is removed.
   */
  *index(key: string, next: T | undefined): Generator<undefined> {
    const old = this.#objects.get(key)
    for (const { of, keys } of this.#indexes.values()) {
      yield
      const values = new Set(next && of(next))
      for (const value of old ? of(old) : NONE) {
        if (isStepDone()) yield
        if (!values.has(value)) leave(keys, value, key)
      }
      if (next)
        for (const value of values) {
          if (isStepDone()) yield
          enter(keys, value, key, next)
        }
    }
  }

  /** Adds an object to an index, under each of its values. */
  #enter(name: string, key: string, object: T): void {
    const index = this.#indexes.get(name)
    if (index) for (const value of index.of(object)) enter(index.keys, value, key, object)
  }

  /** Removes an object from all indexes. The object must be the one that was entered. */
  #leaveAll(key: string, object: T): void {
    for (const { of, keys } of this.#indexes.values()) for (const value of of(object)) leave(keys, value, key)
  }
}

function enter<T>(keys: Map<string, Map<string, T>>, value: string, key: string, object: T): void {
  const objects = keys.get(value)
  if (objects) objects.set(key, object)
  else keys.set(value, new Map([[key, object]]))
}

function leave<T>(keys: Map<string, Map<string, T>>, value: string, key: string): void {
  const objects = keys.get(value)
  objects?.delete(key)
  if (objects?.size === 0) keys.delete(value)
}
