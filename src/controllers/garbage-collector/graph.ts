import type { ObjectMeta, OwnerReference } from '../../api/meta/object.ts'
import { ShardedMap } from '../../lib/sharded-map.ts'
import { isStepDone, type Steps } from '../../lib/steps.ts'
import { deepEqualBySize } from '../../meta/equal.ts'
import { AbsentOwners } from './absent-owners.ts'
import { alternativeTo, partition } from './alternatives.ts'
import type { Coordinates } from './coordinates.ts'
import { coordinatesOf, referredTo, refersTo, sameCoordinates } from './coordinates.ts'

/** Finalizer of an object whose dependents are kept when it is deleted. */
export const ORPHAN = 'orphan'
/** Finalizer of an object that is deleted after its dependents. */
export const FOREGROUND = 'foregroundDeletion'

/** Number of owners that are remembered as absent. */
const ABSENT_OWNERS = 500
/** Shared list of objects without owners. */
const NO_OWNERS: readonly OwnerReference[] = []
/** Shared set of nodes without dependents, which most are. Never modified. */
const NO_DEPENDENTS = new Set<Node>()

/** An object, or an owner that is known only from references. Only the graph modifies nodes. */
export interface Node extends Coordinates {
  /** References as observed. Empty for a virtual node. */
  readonly owners: readonly OwnerReference[]
  /** Objects that refer to this one by its UID. */
  readonly dependents: ReadonlySet<Node>
  /** Known only from references, so its coordinates may be wrong. */
  readonly virtual: boolean
  /** Whether the deletion has begun. */
  readonly deleting: boolean
  /** Whether it is deleted after its dependents (foreground deletion). */
  readonly waiting: boolean
  /** Whether its dependents are kept when it is deleted (orphan deletion). */
  readonly orphaning: boolean
}

const uidsOf = (owners: readonly OwnerReference[]): ReadonlySet<string> => new Set(owners.map(({ uid }) => uid))

const VIRTUAL = 1
const DELETING = 2
const WAITING = 4
const ORPHANING = 8

/** One exists per object in the cluster, so flags are stored as bits. */
class Writable implements Node {
  apiVersion: string
  kind: string
  namespace: string
  name: string
  uid: string
  owners: readonly OwnerReference[]
  dependents: Set<Node> = NO_DEPENDENTS
  #bits: number

  constructor({ apiVersion, kind, namespace, name, uid }: Coordinates, owners: readonly OwnerReference[], bits: number) {
    this.apiVersion = apiVersion
    this.kind = kind
    this.namespace = namespace
    this.name = name
    this.uid = uid
    this.owners = owners
    this.#bits = bits
  }

  get virtual(): boolean {
    return (this.#bits & VIRTUAL) !== 0
  }

  set virtual(value: boolean) {
    this.#set(VIRTUAL, value)
  }

  get deleting(): boolean {
    return (this.#bits & DELETING) !== 0
  }

  set deleting(value: boolean) {
    this.#set(DELETING, value)
  }

  get waiting(): boolean {
    return (this.#bits & WAITING) !== 0
  }

  set waiting(value: boolean) {
    this.#set(WAITING, value)
  }

  get orphaning(): boolean {
    return (this.#bits & ORPHANING) !== 0
  }

  set orphaning(value: boolean) {
    this.#set(ORPHANING, value)
  }

  #set(bit: number, value: boolean): void {
    this.#bits = value ? this.#bits | bit : this.#bits & ~bit
  }
}

/** Requests of the graph to the collector. May repeat a request that is still pending. */
export interface GraphOutlet {
  /** Requests to check whether the object and its owners exist, and whether its deletion can complete. */
  examine(uid: string): void
  /** Requests to remove the object from its dependents' ownerReferences, and then its finalizer. */
  orphan(uid: string): void
  /** Reports that a dependent refers to an owner that is known to be in another namespace. */
  invalidNamespace(dependent: Coordinates, owner: Coordinates): void
}

/**
 * Ownership graph, built from watch events and owner references. Pure: performs no I/O and reports through the outlet
 * what must be examined. Changes run in steps, because an object may have tens of thousands of owners or dependents.
 * One change begins after the previous one has ended.
 * https://kubernetes.io/docs/concepts/overview/working-with-objects/owners-dependents/
 */
export class OwnerGraph {
  /** Owners that are known not to exist. */
  readonly absent = new AbsentOwners(ABSENT_OWNERS)
  readonly #outlet: GraphOutlet
  readonly #nodes = new ShardedMap<Writable>()
  /** Interned namespace strings. */
  readonly #namespaces = new Map<string, string>()

  constructor(outlet: GraphOutlet) {
    this.#outlet = outlet
  }

  /** Number of nodes, virtual ones included. */
  get size(): number {
    return this.#nodes.size
  }

  get(uid: string): Node | undefined {
    return this.#nodes.get(uid)
  }

  /** Coordinates of all observed objects of a kind. */
  seen(apiVersion: string, kind: string): Coordinates[] {
    return [...this.#nodes.values()].filter(node => !node.virtual && node.kind === kind && node.apiVersion === apiVersion)
  }

  /** Adds or updates an observed object. */
  *put(apiVersion: string, kind: string, meta: ObjectMeta): Steps<void> {
    const { uid, name = '', namespace = '', ownerReferences: owners = NO_OWNERS } = meta
    if (uid === undefined) return
    const deleting = meta.deletionTimestamp !== undefined
    let node = this.#nodes.get(uid)
    if (node === undefined) {
      node = new Writable({ apiVersion, kind, namespace: this.#shared(namespace), name, uid }, owners, deleting ? DELETING : 0)
      this.#nodes.set(uid, node)
      yield* this.#addToOwners(node, owners)
    } else {
      yield* this.#confirm(node, { apiVersion, kind, namespace, name, uid })
      node.deleting = deleting
      if (!(yield* deepEqualBySize(node.owners, owners))) yield* this.#changeOwners(node, owners)
    }
    yield* this.#noticeDeletion(node, deleting ? (meta.finalizers ?? []) : [])
  }

  /** Removes a deleted object. */
  *remove(object: Coordinates): Steps<void> {
    const node = this.#nodes.get(object.uid)
    if (node === undefined) return
    yield* this.#confirm(node, object)
    yield* this.#drop(node)
  }

  /**
   * Records that no object of this UID exists at these coordinates. Returns true if dependents have other coordinates
   * for it, which must be examined later.
   */
  *notFound(at: Coordinates): Steps<boolean> {
    const node = this.#nodes.get(at.uid)
    if (node === undefined) return false
    if (node.virtual) {
      const { agreeing, disagreeing } = yield* partition(node.dependents, at)
      if (disagreeing.length > 0) {
        yield* this.#examineOwnerless(agreeing, at)
        const other = sameCoordinates(node, at) ? yield* alternativeTo(at, disagreeing) : undefined
        if (other) Object.assign(node, other)
        return other !== undefined
      }
    } else if (!sameCoordinates(node, at)) {
      yield* this.#examineOwnerless((yield* partition(node.dependents, at)).agreeing, at)
      return false
    }
    yield* this.#drop(node)
    return false
  }

  /** Returns the interned string, so that nodes of a namespace share its memory. */
  #shared(namespace: string): string {
    const known = this.#namespaces.get(namespace)
    if (known === undefined) this.#namespaces.set(namespace, namespace)
    return known ?? namespace
  }

  /** Replaces the assumed coordinates of a node with observed ones. */
  *#confirm(node: Writable, seen: Coordinates): Steps<void> {
    if (node.virtual) {
      node.virtual = false
      if (sameCoordinates(node, seen)) return
      for (const dependent of (yield* partition(node.dependents, seen)).disagreeing) {
        if (isStepDone()) yield
        if (seen.namespace !== '' && dependent.namespace !== seen.namespace) this.#reportInvalidNamespace(dependent, seen.uid)
        this.#outlet.examine(dependent.uid)
      }
    }
    if (!sameCoordinates(node, seen)) Object.assign(node, seen)
  }

  /** Replaces the ownerReferences of an object. Owners that it no longer blocks are examined. */
  *#changeOwners(node: Writable, next: readonly OwnerReference[]): Steps<void> {
    const before = node.owners
    const had = uidsOf(before)
    yield
    const has = uidsOf(next)
    yield
    const blocked = uidsOf(next.filter(({ blockOwnerDeletion }) => blockOwnerDeletion === true))
    yield
    const removed = before.filter(({ uid }) => !has.has(uid))
    const added = next.filter(({ uid }) => !had.has(uid))
    node.owners = next
    yield* this.#addToOwners(node, added)
    for (const { uid } of removed) {
      if (isStepDone()) yield
      this.#leave(node, uid)
    }
    for (const { uid, blockOwnerDeletion } of before) {
      if (isStepDone()) yield
      if (blockOwnerDeletion === true && !blocked.has(uid) && this.#nodes.has(uid)) this.#outlet.examine(uid)
    }
  }

  /**
   * Adds the node to its owners' dependents. An unknown owner becomes a virtual node and is examined. A dependent whose
   * reference does not match the owner is examined too.
   */
  *#addToOwners(node: Node, owners: readonly OwnerReference[]): Steps<void> {
    let doubtful = false
    for (const reference of owners) {
      if (isStepDone()) yield
      let owner = this.#nodes.get(reference.uid)
      const known = owner !== undefined
      if (owner === undefined) {
        owner = new Writable(referredTo(reference, node.namespace), NO_OWNERS, VIRTUAL)
        this.#nodes.set(reference.uid, owner)
      }
      if (owner.dependents === NO_DEPENDENTS) owner.dependents = new Set([node])
      else owner.dependents.add(node)
      if (!known) this.#outlet.examine(owner.uid)
      else if (!doubtful) doubtful = this.#isDoubtful(node, reference, owner)
    }
    if (doubtful) this.#outlet.examine(node.uid)
  }

  /**
   * Whether a reference may not match the owner, so that the dependent must be examined. Reports an owner in another
   * namespace.
   */
  #isDoubtful(node: Node, reference: OwnerReference, owner: Node): boolean {
    if (owner.namespace !== '' && owner.namespace !== node.namespace) {
      if (!owner.virtual) this.#reportInvalidNamespace(node, owner.uid)
      return true
    }
    return !refersTo(reference, owner) || (owner.virtual && owner.namespace !== node.namespace)
  }

  /** Reports the owner under the coordinates that the dependent assumes. */
  #reportInvalidNamespace(dependent: Node, uid: string): void {
    const reference = dependent.owners.find(owner => owner.uid === uid)
    if (reference) this.#outlet.invalidNamespace(coordinatesOf(dependent), referredTo(reference, dependent.namespace))
  }

  /** Updates the deletion state of an object from its finalizers, and requests the work that follows. */
  *#noticeDeletion(node: Writable, finalizers: readonly string[]): Steps<void> {
    const orphaning = finalizers.includes(ORPHAN)
    const waiting = !orphaning && finalizers.includes(FOREGROUND)
    const begins = { orphaning: orphaning && !node.orphaning, waiting: waiting && !node.waiting }
    node.orphaning = orphaning
    node.waiting = waiting
    if (begins.orphaning) this.#outlet.orphan(node.uid)
    if (!begins.waiting) return
    for (const { uid } of node.dependents) {
      if (isStepDone()) yield
      this.#outlet.examine(uid)
    }
    this.#outlet.examine(node.uid)
  }

  /** Notes that the owner is absent and examines its dependents, which may have other owners. */
  *#examineOwnerless(dependents: readonly Node[], owner: Coordinates): Steps<void> {
    if (dependents.length > 0) this.absent.add(owner)
    for (const { uid } of dependents) {
      if (isStepDone()) yield
      this.#outlet.examine(uid)
    }
  }

  /** Removes a node. Its dependents and the owners that wait for it are examined. */
  *#drop(node: Writable): Steps<void> {
    this.#nodes.delete(node.uid)
    for (const { uid } of node.owners) {
      if (isStepDone()) yield
      this.#leave(node, uid)
    }
    const dependents = [...node.dependents].filter(dependent => dependent !== node)
    yield* this.#examineOwnerless(dependents, coordinatesOf(node))
    for (const { uid } of node.owners) {
      if (isStepDone()) yield
      if (this.#nodes.get(uid)?.waiting) this.#outlet.examine(uid)
    }
  }

  /** Removes a dependent from its owner. A virtual owner is removed with its last dependent. */
  #leave(node: Node, ownerUid: string): void {
    const owner = this.#nodes.get(ownerUid)
    if (owner === undefined || owner.dependents === NO_DEPENDENTS) return
    owner.dependents.delete(node)
    if (owner.dependents.size > 0) return
    owner.dependents = NO_DEPENDENTS
    if (owner.virtual) this.#nodes.delete(ownerUid)
  }
}
