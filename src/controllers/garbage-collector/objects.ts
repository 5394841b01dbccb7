import type { KubeObject, ObjectMeta, OwnerReference } from '../../api/meta/object.ts'
import type { ResourceAccess } from '../../catalog/resource-access.ts'
import { deepEqual } from '../../meta/equal.ts'
import { isStatusError } from '../../meta/status.ts'
import type { Coordinates } from './coordinates.ts'
import type { OwnerKinds } from './kinds.ts'

/**
 * The owner cannot be read: its kind is not served, or is namespaced while the dependent is cluster-scoped. An
 * immediate retry does not help.
 */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError'
  readonly reason: 'unknown kind' | 'namespaced owner'

  constructor(reason: UnreachableError['reason'], { apiVersion, kind }: Coordinates) {
    super(
      reason === 'unknown kind'
        ? `unable to get REST mapping for ${apiVersion}/${kind}.`
        : 'cluster-scoped objects cannot refer to namespaced owners',
    )
    this.reason = reason
  }
}

/** DeleteOptions.propagationPolicy. */
export type Propagation = 'Orphan' | 'Foreground' | 'Background'

/** Reads and writes of the collector. An object with the same name but another UID is treated as not found. */
export class Objects {
  readonly #access: ResourceAccess
  readonly #kinds: OwnerKinds

  constructor(access: ResourceAccess, kinds: OwnerKinds) {
    this.#access = access
    this.#kinds = kinds
  }

  /** Returns the current object, or undefined if it does not exist. Throws UnreachableError. */
  async get(object: Coordinates): Promise<KubeObject | undefined> {
    const { id, namespace } = this.#place(object)
    const found = await this.#access.get(id, namespace, object.name).catch(unlessGone)
    return found?.metadata.uid === object.uid ? found : undefined
  }

  /** Whether the kind is namespaced. Undefined if it is not served. */
  isNamespaced({ apiVersion, kind }: Pick<Coordinates, 'apiVersion' | 'kind'>): boolean | undefined {
    return this.#kinds.find(apiVersion, kind)?.namespaced
  }

  /**
   * Deletes the object at the given resourceVersion, or at a later one if its owners are unchanged. Throws a Conflict
   * if they changed.
   */
  async delete(object: Coordinates, { resourceVersion = '', ownerReferences }: ObjectMeta, propagationPolicy: Propagation): Promise<void> {
    const { id, namespace } = this.#place(object)
    const options = { uid: object.uid, propagationPolicy }
    try {
      await this.#access.delete(id, namespace, object.name, { ...options, resourceVersion })
    } catch (error) {
      if (isStatusError(error, 'NotFound')) return
      if (!isStatusError(error, 'Conflict')) throw error
      const now = await this.get(object)
      if (!now) return
      if (!deepEqual(now.metadata.ownerReferences, ownerReferences)) throw error
      await this.#access.delete(id, namespace, object.name, options).catch(unlessGone)
    }
  }

  /** Removes the references to these UIDs. Writes nothing if there are none. */
  async removeOwners(object: Coordinates, uids: readonly string[]): Promise<void> {
    const removed = new Set(uids)
    await this.#changeOwners(object, owners => owners.filter(({ uid }) => !removed.has(uid)))
  }

  /** Sets blockOwnerDeletion to false in all references. */
  async unblockOwners(object: Coordinates): Promise<void> {
    await this.#changeOwners(object, owners =>
      owners.map(owner => (owner.blockOwnerDeletion === true ? { ...owner, blockOwnerDeletion: false } : owner)),
    )
  }

  /** Removes the finalizer. Writes nothing if the object does not have it. */
  async removeFinalizer(object: Coordinates, finalizer: string): Promise<void> {
    await this.#change(object, ({ finalizers = [], ...meta }) => {
      const kept = finalizers.filter(other => other !== finalizer)
      return kept.length === finalizers.length ? undefined : { ...meta, ...(kept.length > 0 && { finalizers: kept }) }
    })
  }

  #changeOwners(object: Coordinates, change: (owners: OwnerReference[]) => OwnerReference[]): Promise<void> {
    return this.#change(object, ({ ownerReferences = [], ...meta }) => {
      const next = change(ownerReferences)
      return deepEqual(next, ownerReferences) ? undefined : { ...meta, ...(next.length > 0 && { ownerReferences: next }) }
    })
  }

  /** Updates the metadata unless `change` returns undefined. Ignores objects that do not exist or have another UID. */
  async #change(object: Coordinates, change: (meta: ObjectMeta) => ObjectMeta | undefined): Promise<void> {
    const { id, namespace } = this.#place(object)
    const next = (now: KubeObject): KubeObject | undefined => {
      const metadata = now.metadata.uid === object.uid ? change(now.metadata) : undefined
      return metadata && { ...now, metadata }
    }
    await this.#access.update(id, namespace, object.name, next).catch(unlessGone)
  }

  /** Resource and namespace of the object. Throws UnreachableError. */
  #place(object: Coordinates) {
    const kind = this.#kinds.find(object.apiVersion, object.kind)
    if (!kind) throw new UnreachableError('unknown kind', object)
    if (kind.namespaced && object.namespace === '') throw new UnreachableError('namespaced owner', object)
    return { id: kind.id, namespace: kind.namespaced ? object.namespace : '' }
  }
}

/** Returns undefined for NotFound and rethrows other errors. */
const unlessGone = (error: unknown): undefined => {
  if (!isStatusError(error, 'NotFound')) throw error
}
