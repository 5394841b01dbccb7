import type { KubeObject, OwnerReference } from '../../api/meta/object.ts'
import type { SerialSteps } from '../../lib/serial-steps.ts'
import { nextTurn, turnIsSpent } from '../../lib/turn.ts'
import type { Coordinates } from './coordinates.ts'
import { coordinatesOf, referredTo } from './coordinates.ts'
import { dispositionOf, type OwnersByState } from './disposition.ts'
import type { Node, OwnerGraph } from './graph.ts'
import { FOREGROUND, ORPHAN } from './graph.ts'
import type { Objects, Propagation } from './objects.ts'
import { UnreachableError } from './objects.ts'

/** Maximum number of dependents that are orphaned concurrently. */
const ORPHANS_AT_ONCE = 8
/** Initial limit of objects of unknown kinds. Above it, deleted ones are pruned. */
const FEW_UNKNOWN = 1000

/** The object must be examined again later. Not a failure. */
export class LookAgain extends Error {
  override readonly name = 'LookAgain'
}

/** Decides about one object at a time. Reports findings to the graph. An error makes the queue retry the object. */
export class Collector {
  /** Objects that involve kinds that are not served. Examined again when the kinds change. */
  readonly unknown = new Set<string>()
  #manyUnknown = FEW_UNKNOWN
  readonly #graph: OwnerGraph
  readonly #changes: SerialSteps
  readonly #objects: Objects
  /** Resolves when the watches have delivered all earlier changes. */
  readonly #settled: () => Promise<void>
  readonly #examineSoon: (uid: string) => void

  constructor(graph: OwnerGraph, changes: SerialSteps, objects: Objects, settled: () => Promise<void>, examineSoon: (uid: string) => void) {
    this.#graph = graph
    this.#changes = changes
    this.#objects = objects
    this.#settled = settled
    this.#examineSoon = examineSoon
  }

  /**
   * Deletes the object if none of its owners exists, removes references to owners that do not exist, and removes the
   * foreground finalizer once no dependent blocks it.
   */
  async examine(uid: string): Promise<void> {
    if (turnIsSpent()) await nextTurn()
    const node = this.#graph.get(uid)
    if (!node || (node.deleting && !node.waiting)) return
    if (!node.virtual && !node.waiting && node.owners.length === 0) return
    try {
      await this.#examineNode(node)
    } catch (error) {
      if (!(error instanceof UnreachableError)) throw error
      if (error.reason === 'unknown kind') this.#waitForKind(uid)
    }
  }

  /**
   * Removes the owner, which is being deleted, from the ownerReferences of its dependents, then removes its orphan
   * finalizer.
   */
  async orphan(uid: string): Promise<void> {
    await this.#settled()
    const owner = this.#graph.get(uid)
    if (!owner?.orphaning) return
    const dependents = [...owner.dependents].values()
    const worker = async () => {
      for (const dependent of dependents) {
        if (turnIsSpent()) await nextTurn()
        await this.#objects.removeOwners(coordinatesOf(dependent), [uid])
      }
    }
    await Promise.all(Array.from({ length: ORPHANS_AT_ONCE }, worker))
    await this.#objects.removeFinalizer(coordinatesOf(owner), ORPHAN)
  }

  /**
   * Adds an object to `unknown`. At the limit, deleted objects are pruned, and the limit grows with what remains, so
   * that pruning stays rare.
   */
  #waitForKind(uid: string): void {
    this.unknown.add(uid)
    if (this.unknown.size <= this.#manyUnknown) return
    for (const other of this.unknown) if (!this.#graph.get(other)) this.unknown.delete(other)
    this.#manyUnknown = Math.max(FEW_UNKNOWN, 2 * this.unknown.size)
  }

  /**
   * Reads the object from the store, because the graph lags behind. Throws LookAgain until a watch has delivered the
   * object.
   */
  async #examineNode(node: Node): Promise<void> {
    const object = coordinatesOf(node)
    const now = await this.#objects.get(object)
    if (!now) {
      if (await this.#changes.run(this.#graph.notFound(object))) throw new LookAgain('it may be elsewhere')
      return
    }
    if (node.waiting) await this.#finishWaiting(node)
    else if ((now.metadata.ownerReferences ?? []).length > 0) await this.#collect(node, now)
    // The watch that would deliver it may have been interrupted: the object could have been created and deleted
    // meanwhile.
    if (this.#graph.get(node.uid)?.virtual) throw new LookAgain('no watch has shown it yet')
  }

  /**
   * Foreground deletion: removes the finalizer if no dependent blocks it. Otherwise examines the blocking dependents.
   */
  async #finishWaiting(node: Node): Promise<void> {
    const blocks = ({ owners }: Node): boolean => owners.some(owner => owner.uid === node.uid && owner.blockOwnerDeletion === true)
    const blocking = [...node.dependents].filter(dependent => dependent !== node && blocks(dependent))
    if (blocking.length === 0) await this.#objects.removeFinalizer(coordinatesOf(node), FOREGROUND)
    else for (const dependent of blocking) if (!dependent.waiting) this.#examineSoon(dependent.uid)
  }

  /**
   * If a solid owner exists, keeps the object and removes references to the others. Otherwise deletes it: in the
   * foreground if an owner waits for it and it has dependents itself, else as its finalizers request.
   */
  async #collect(node: Node, now: KubeObject): Promise<void> {
    const object = coordinatesOf(node)
    const owners = await this.#classify(object, now.metadata.ownerReferences ?? [])
    const disposition = dispositionOf(owners, node.dependents.size > 0)
    if (disposition === 'keep') return
    if (disposition === 'release') return this.#objects.removeOwners(object, [...owners.dangling, ...owners.waiting])
    if (disposition === 'delete foreground') {
      // Breaks a cycle of foreground deletions, in which each object would wait for the other.
      if ([...node.dependents].some(({ waiting }) => waiting)) await this.#objects.unblockOwners(object)
      const latest = (await this.#objects.get(object)) ?? now
      await this.#objects.delete(object, latest.metadata, 'Foreground')
      return
    }
    await this.#objects.delete(object, now.metadata, propagationOf(now))
  }

  /**
   * Classifies owners: dangling if the owner does not exist, waiting if it is in foreground deletion, otherwise solid.
   */
  async #classify(dependent: Coordinates, references: readonly OwnerReference[]): Promise<OwnersByState> {
    const owners = { solid: [] as string[], dangling: [] as string[], waiting: [] as string[] }
    for (const reference of references) {
      // Reads of the watch cache do not end the turn.
      if (turnIsSpent()) await nextTurn()
      const owner = await this.#ownerOf(dependent, reference)
      const { deletionTimestamp, finalizers = [] } = owner?.metadata ?? {}
      if (!owner) owners.dangling.push(reference.uid)
      else if (deletionTimestamp !== undefined && finalizers.includes(FOREGROUND)) owners.waiting.push(reference.uid)
      else owners.solid.push(reference.uid)
    }
    return owners
  }

  /** Returns the owner from the dependent's namespace or the cluster scope. Undefined if it does not exist. */
  async #ownerOf(dependent: Coordinates, reference: OwnerReference): Promise<KubeObject | undefined> {
    const { absent } = this.#graph
    const ofCluster = referredTo(reference, '')
    const inNamespace = referredTo(reference, dependent.namespace)
    if (absent.has(ofCluster) || absent.has(inNamespace)) return undefined
    const found = await this.#objects.get(inNamespace)
    if (!found) absent.add(this.#objects.isNamespaced(reference) === false ? ofCluster : inNamespace)
    return found
  }
}

/** Propagation policy from the finalizer that is already set. */
function propagationOf({ metadata: { finalizers = [] } }: KubeObject): Propagation {
  if (finalizers.includes(ORPHAN)) return 'Orphan'
  return finalizers.includes(FOREGROUND) ? 'Foreground' : 'Background'
}
