import { nextTurn, turnIsSpent } from '../../lib/turn.ts'
import type { KubeObject, OwnerReference } from '../../meta/object.ts'
import type { Coordinates } from './coordinates.ts'
import { coordinatesOf, referredTo } from './coordinates.ts'
import type { Node, OwnerGraph } from './graph.ts'
import { FOREGROUND, ORPHAN } from './graph.ts'
import type { Objects, Propagation } from './objects.ts'
import { UnreachableError } from './objects.ts'

/** Dependents that lose an owner at the same time. */
const ORPHANS_AT_ONCE = 8
/** Objects of kinds that are not known; with more, those that have gone are looked for. */
const FEW_UNKNOWN = 1000

/** Nothing is wrong, but the object has to be looked at again after a while. */
export class LookAgain extends Error {
  override readonly name = 'LookAgain'
}

/** The owners of an object by what has become of them. */
interface Owners {
  readonly solid: string[]
  readonly dangling: string[]
  /** They are being deleted, after their dependents. */
  readonly waiting: string[]
}

/** Decides about one object at a time. It reports what it finds to the graph; what it throws asks to be called again. */
export class Collector {
  /** Objects that have to do with kinds that are not served: to be examined again when the kinds change. */
  readonly unknown = new Set<string>()
  private manyUnknown = FEW_UNKNOWN
  private readonly graph: OwnerGraph
  private readonly objects: Objects
  /** Resolves when the watches have shown what they had to show. */
  private readonly settled: () => Promise<void>
  private readonly examineSoon: (uid: string) => void

  constructor(graph: OwnerGraph, objects: Objects, settled: () => Promise<void>, examineSoon: (uid: string) => void) {
    this.graph = graph
    this.objects = objects
    this.settled = settled
    this.examineSoon = examineSoon
  }

  /** Deletes the object if it has lost all its owners, takes those out that it has lost, and lets it go if it waits for dependents and none is left. */
  async examine(uid: string): Promise<void> {
    if (turnIsSpent()) await nextTurn()
    const node = this.graph.get(uid)
    if (!node || (node.deleting && !node.waiting)) return
    if (!node.virtual && !node.waiting && node.owners.length === 0) return
    try {
      await this.examineNode(node)
    } catch (error) {
      if (!(error instanceof UnreachableError)) throw error
      if (error.reason === 'unknown kind') this.waitForKind(uid)
    }
  }

  /** Takes the object, which is being deleted, out of its dependents' owners, and then lets it go. */
  async orphan(uid: string): Promise<void> {
    await this.settled()
    const owner = this.graph.get(uid)
    if (!owner?.orphaning) return
    const dependents = [...owner.dependents].values()
    const worker = async () => {
      for (const dependent of dependents) {
        if (turnIsSpent()) await nextTurn()
        await this.objects.removeOwners(coordinatesOf(dependent), [uid])
      }
    }
    await Promise.all(Array.from({ length: ORPHANS_AT_ONCE }, worker))
    await this.objects.removeFinalizer(coordinatesOf(owner), ORPHAN)
  }

  /** Objects that have gone meanwhile are dropped from the set when it is full; the bound grows with what remains, so that this stays rare. */
  private waitForKind(uid: string): void {
    this.unknown.add(uid)
    if (this.unknown.size <= this.manyUnknown) return
    for (const other of this.unknown) if (!this.graph.get(other)) this.unknown.delete(other)
    this.manyUnknown = Math.max(FEW_UNKNOWN, 2 * this.unknown.size)
  }

  /** Looks at the object in the store, not in the graph: the graph lags behind. Throws LookAgain while no watch has shown the object. */
  private async examineNode(node: Node): Promise<void> {
    const object = coordinatesOf(node)
    const now = await this.objects.get(object)
    if (!now) {
      if (this.graph.notFound(object)) throw new LookAgain('it may be elsewhere')
      return
    }
    if (node.waiting) await this.finishWaiting(node)
    else if ((now.metadata.ownerReferences ?? []).length > 0) await this.collect(node, now)
    // A watch that shows it may have been cut: it could have come and gone meanwhile.
    if (this.graph.get(node.uid)?.virtual) throw new LookAgain('no watch has shown it yet')
  }

  /** Deletion in the foreground: the finalizer goes when no dependent blocks it. Until then the dependents that block are examined. */
  private async finishWaiting(node: Node): Promise<void> {
    const blocks = ({ owners }: Node): boolean => owners.some(owner => owner.uid === node.uid && owner.blockOwnerDeletion === true)
    const blocking = [...node.dependents].filter(dependent => dependent !== node && blocks(dependent))
    if (blocking.length === 0) await this.objects.removeFinalizer(coordinatesOf(node), FOREGROUND)
    else for (const dependent of blocking) if (!dependent.waiting) this.examineSoon(dependent.uid)
  }

  /**
   * A solid owner keeps the object, and lost ones are taken out. Without one, it goes: in the foreground if an owner waits and it has dependents itself, else as its finalizers
   * say.
   */
  private async collect(node: Node, now: KubeObject): Promise<void> {
    const object = coordinatesOf(node)
    const owners = await this.classify(object, now.metadata.ownerReferences ?? [])
    if (owners.solid.length > 0) {
      const lost = [...owners.dangling, ...owners.waiting]
      if (lost.length > 0) await this.objects.removeOwners(object, lost)
      return
    }
    if (owners.waiting.length > 0 && node.dependents.size > 0) {
      // Each would wait for the other: this one's owners no longer wait for it.
      if ([...node.dependents].some(({ waiting }) => waiting)) await this.objects.unblockOwners(object)
      const latest = (await this.objects.get(object)) ?? now
      await this.objects.delete(object, latest.metadata, 'Foreground')
      return
    }
    await this.objects.delete(object, now.metadata, propagationOf(now))
  }

  /** An owner that does not exist is dangling, one in foreground deletion is waiting, any other is solid. */
  private async classify(dependent: Coordinates, references: readonly OwnerReference[]): Promise<Owners> {
    const owners: Owners = { solid: [], dangling: [], waiting: [] }
    for (const reference of references) {
      const owner = await this.ownerOf(dependent, reference)
      const { deletionTimestamp, finalizers = [] } = owner?.metadata ?? {}
      if (!owner) owners.dangling.push(reference.uid)
      else if (deletionTimestamp !== undefined && finalizers.includes(FOREGROUND)) owners.waiting.push(reference.uid)
      else owners.solid.push(reference.uid)
    }
    return owners
  }

  /** Undefined where there is none: not in the dependent's namespace, nor of the whole cluster. */
  private async ownerOf(dependent: Coordinates, reference: OwnerReference): Promise<KubeObject | undefined> {
    const { absent } = this.graph
    const ofCluster = referredTo(reference, '')
    const inNamespace = referredTo(reference, dependent.namespace)
    if (absent.has(ofCluster) || absent.has(inNamespace)) return undefined
    const found = await this.objects.get(inNamespace)
    if (!found) absent.add(this.objects.isNamespaced(reference) === false ? ofCluster : inNamespace)
    return found
  }
}

/** The finalizer that is set already decides how the object is deleted. */
function propagationOf({ metadata: { finalizers = [] } }: KubeObject): Propagation {
  if (finalizers.includes(ORPHAN)) return 'Orphan'
  return finalizers.includes(FOREGROUND) ? 'Foreground' : 'Background'
}
