import type { ResourceAccess } from '../../catalog/definition.ts'
import { deepEqual } from '../../meta/equal.ts'
import type { KubeObject, ObjectMeta, OwnerReference } from '../../meta/object.ts'
import { isStatusError } from '../../meta/status.ts'
import type { Coordinates } from './coordinates.ts'
import type { OwnerKinds } from './kinds.ts'

/** Why an object cannot be looked at: its kind is not served (now), or is one of namespaces where no namespace is given. Asking again at once does not help. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError'
  readonly reason: 'unknown kind' | 'namespaced owner'

  constructor(reason: UnreachableError['reason'], { apiVersion, kind }: Coordinates) {
    super(reason === 'unknown kind' ? `unable to get REST mapping for ${apiVersion}/${kind}.` : 'cluster-scoped objects cannot refer to namespaced owners')
    this.reason = reason
  }
}

/** DeleteOptions.propagationPolicy. */
export type Propagation = 'Orphan' | 'Foreground' | 'Background'

/** Reads and writes of the collector. An object of the same name with another uid is another object, and left alone. */
export class Objects {
  private readonly access: ResourceAccess
  private readonly kinds: OwnerKinds

  constructor(access: ResourceAccess, kinds: OwnerKinds) {
    this.access = access
    this.kinds = kinds
  }

  /** As it is now; undefined where it has gone. Throws UnreachableError. */
  async get(object: Coordinates): Promise<KubeObject | undefined> {
    const { id, namespace } = this.place(object)
    const found = await this.access.get(id, namespace, object.name).catch(unlessGone)
    return found?.metadata.uid === object.uid ? found : undefined
  }

  /** Undefined where the kind is not served. */
  isNamespaced({ apiVersion, kind }: Pick<Coordinates, 'apiVersion' | 'kind'>): boolean | undefined {
    return this.kinds.find(apiVersion, kind)?.namespaced
  }

  /** Deletes it as it was read; later, too, if nothing has changed about its owners meanwhile. Throws a Conflict where they have. */
  async delete(object: Coordinates, { resourceVersion = '', ownerReferences }: ObjectMeta, propagationPolicy: Propagation): Promise<void> {
    const { id, namespace } = this.place(object)
    const options = { uid: object.uid, propagationPolicy }
    try {
      await this.access.delete(id, namespace, object.name, { ...options, resourceVersion })
    } catch (error) {
      if (isStatusError(error, 'NotFound')) return
      if (!isStatusError(error, 'Conflict')) throw error
      const now = await this.get(object)
      if (!now) return
      if (!deepEqual(now.metadata.ownerReferences, ownerReferences)) throw error
      await this.access.delete(id, namespace, object.name, options).catch(unlessGone)
    }
  }

  /** Takes the references to these uids out; writes nothing where there are none. */
  async removeOwners(object: Coordinates, uids: readonly string[]): Promise<void> {
    const removed = new Set(uids)
    await this.changeOwners(object, owners => owners.filter(({ uid }) => !removed.has(uid)))
  }

  /** No owner has to wait for it any longer. */
  async unblockOwners(object: Coordinates): Promise<void> {
    await this.changeOwners(object, owners => owners.map(owner => (owner.blockOwnerDeletion === true ? { ...owner, blockOwnerDeletion: false } : owner)))
  }

  /** Writes nothing where the object lacks the finalizer. */
  async removeFinalizer(object: Coordinates, finalizer: string): Promise<void> {
    await this.change(object, ({ finalizers = [], ...meta }) => {
      const kept = finalizers.filter(other => other !== finalizer)
      return kept.length === finalizers.length ? undefined : { ...meta, ...(kept.length > 0 && { finalizers: kept }) }
    })
  }

  private changeOwners(object: Coordinates, change: (owners: OwnerReference[]) => OwnerReference[]): Promise<void> {
    return this.change(object, ({ ownerReferences = [], ...meta }) => {
      const next = change(ownerReferences)
      return deepEqual(next, ownerReferences) ? undefined : { ...meta, ...(next.length > 0 && { ownerReferences: next }) }
    })
  }

  /** `change` returns undefined where nothing is to be written. An object with another uid is left alone, one that has gone is no error. */
  private async change(object: Coordinates, change: (meta: ObjectMeta) => ObjectMeta | undefined): Promise<void> {
    const { id, namespace } = this.place(object)
    const next = (now: KubeObject): KubeObject | undefined => {
      const metadata = now.metadata.uid === object.uid ? change(now.metadata) : undefined
      return metadata && { ...now, metadata }
    }
    await this.access.update(id, namespace, object.name, next).catch(unlessGone)
  }

  /** Where the object is served. Throws UnreachableError. */
  private place(object: Coordinates) {
    const kind = this.kinds.find(object.apiVersion, object.kind)
    if (!kind) throw new UnreachableError('unknown kind', object)
    if (kind.namespaced && object.namespace === '') throw new UnreachableError('namespaced owner', object)
    return { id: kind.id, namespace: kind.namespaced ? object.namespace : '' }
  }
}

/** Undefined for NotFound; throws anything else. */
const unlessGone = (error: unknown): undefined => {
  if (!isStatusError(error, 'NotFound')) throw error
}
