import { ShardedMap } from '../../lib/sharded-map.ts'
import { deepEqual } from '../../meta/equal.ts'
import type { ObjectMeta, OwnerReference } from '../../meta/object.ts'
import { AbsentOwners } from './absent-owners.ts'
import { alternativeTo, partition } from './alternatives.ts'
import type { Coordinates } from './coordinates.ts'
import { coordinatesOf, referredTo, refersTo, sameCoordinates } from './coordinates.ts'

/** Finalizers that say what is to become of the dependents of an object that is being deleted. */
export const ORPHAN = 'orphan'
/** Finalizer of an object that goes after its dependents. */
export const FOREGROUND = 'foregroundDeletion'

const ABSENT_OWNERS = 500
const NO_OWNERS: readonly OwnerReference[] = []
/** Of every object without dependents, and of most there are none: nothing is added to it. */
const NO_DEPENDENTS = new Set<Node>()

/** An object, or one that others refer to as their owner. Only the graph changes it. */
export interface Node extends Coordinates {
  readonly owners: readonly OwnerReference[]
  readonly dependents: ReadonlySet<Node>
  /** Nobody has seen it: a dependent refers to it. Where it is may be wrong. */
  readonly virtual: boolean
  readonly deleting: boolean
  /** It is being deleted, after its dependents. */
  readonly waiting: boolean
  /** It is being deleted, and its dependents are to be left behind. */
  readonly orphaning: boolean
}

const uidsOf = (owners: readonly OwnerReference[]): ReadonlySet<string> => new Set(owners.map(({ uid }) => uid))

const VIRTUAL = 1
const DELETING = 2
const WAITING = 4
const ORPHANING = 8

/** There is one of every object of the cluster: what is true or false of it takes a bit. */
class Writable implements Node {
  apiVersion: string
  kind: string
  namespace: string
  name: string
  uid: string
  owners: readonly OwnerReference[]
  dependents: Set<Node> = NO_DEPENDENTS
  private bits: number

  constructor({ apiVersion, kind, namespace, name, uid }: Coordinates, owners: readonly OwnerReference[], bits: number) {
    this.apiVersion = apiVersion
    this.kind = kind
    this.namespace = namespace
    this.name = name
    this.uid = uid
    this.owners = owners
    this.bits = bits
  }

  get virtual(): boolean {
    return (this.bits & VIRTUAL) !== 0
  }

  set virtual(value: boolean) {
    this.set(VIRTUAL, value)
  }

  get deleting(): boolean {
    return (this.bits & DELETING) !== 0
  }

  set deleting(value: boolean) {
    this.set(DELETING, value)
  }

  get waiting(): boolean {
    return (this.bits & WAITING) !== 0
  }

  set waiting(value: boolean) {
    this.set(WAITING, value)
  }

  get orphaning(): boolean {
    return (this.bits & ORPHANING) !== 0
  }

  set orphaning(value: boolean) {
    this.set(ORPHANING, value)
  }

  private set(bit: number, value: boolean): void {
    this.bits = value ? this.bits | bit : this.bits & ~bit
  }
}

/** What the graph asks for. It may ask again for what is asked for already. */
export interface GraphOutlet {
  /** To find out whether the object exists, has owners that do, or may finish its deletion. */
  examine(uid: string): void
  /** To take the object out of its dependents' owners, and then its finalizer. */
  orphan(uid: string): void
  /** The dependent refers to an owner that is known to be in another namespace. */
  invalidNamespace(dependent: Coordinates, owner: Coordinates): void
}

/**
 * Who owns whom, from what watches have shown and from what references say. Pure: it asks nobody, and says what is to be looked at.
 * https://kubernetes.io/docs/concepts/overview/working-with-objects/owners-dependents/
 */
export class OwnerGraph {
  /** Owners that are known not to be there. */
  readonly absent = new AbsentOwners(ABSENT_OWNERS)
  private readonly outlet: GraphOutlet
  private readonly nodes = new ShardedMap<Writable>()
  /** One string of each namespace. */
  private readonly namespaces = new Map<string, string>()

  constructor(outlet: GraphOutlet) {
    this.outlet = outlet
  }

  get size(): number {
    return this.nodes.size
  }

  get(uid: string): Node | undefined {
    return this.nodes.get(uid)
  }

  /** Objects of the kind that were seen. */
  seen(apiVersion: string, kind: string): Coordinates[] {
    return [...this.nodes.values()].filter(node => !node.virtual && node.kind === kind && node.apiVersion === apiVersion)
  }

  /** An object is there, or has changed. */
  put(apiVersion: string, kind: string, meta: ObjectMeta): void {
    const { uid, name = '', namespace = '', ownerReferences: owners = NO_OWNERS } = meta
    if (uid === undefined) return
    const deleting = meta.deletionTimestamp !== undefined
    let node = this.nodes.get(uid)
    if (node === undefined) {
      node = new Writable({ apiVersion, kind, namespace: this.shared(namespace), name, uid }, owners, deleting ? DELETING : 0)
      this.nodes.set(uid, node)
      this.addToOwners(node, owners)
    } else {
      this.confirm(node, { apiVersion, kind, namespace, name, uid })
      node.deleting = deleting
      if (!deepEqual(node.owners, owners)) this.changeOwners(node, owners)
    }
    this.noticeDeletion(node, deleting ? (meta.finalizers ?? []) : [])
  }

  /** An object has gone. */
  remove(object: Coordinates): void {
    const node = this.nodes.get(object.uid)
    if (node === undefined) return
    this.confirm(node, object)
    this.drop(node)
  }

  /** There is no object of this uid at these coordinates. True where it is said to be elsewhere, and that is to be looked at after a while. */
  notFound(at: Coordinates): boolean {
    const node = this.nodes.get(at.uid)
    if (node === undefined) return false
    if (node.virtual) {
      const { agreeing, disagreeing } = partition(node.dependents, at)
      if (disagreeing.length > 0) {
        this.examineOwnerless(agreeing, at)
        const other = sameCoordinates(node, at) ? alternativeTo(at, disagreeing) : undefined
        if (other) Object.assign(node, other)
        return other !== undefined
      }
    } else if (!sameCoordinates(node, at)) {
      this.examineOwnerless(partition(node.dependents, at).agreeing, at)
      return false
    }
    this.drop(node)
    return false
  }

  private shared(namespace: string): string {
    const known = this.namespaces.get(namespace)
    if (known === undefined) this.namespaces.set(namespace, namespace)
    return known ?? namespace
  }

  /** What is known of an object's place gives way to what a watch has shown. */
  private confirm(node: Writable, seen: Coordinates): void {
    if (node.virtual) {
      node.virtual = false
      if (sameCoordinates(node, seen)) return
      for (const dependent of partition(node.dependents, seen).disagreeing) {
        if (seen.namespace !== '' && dependent.namespace !== seen.namespace) this.reportInvalidNamespace(dependent, seen.uid)
        this.outlet.examine(dependent.uid)
      }
    }
    if (!sameCoordinates(node, seen)) Object.assign(node, seen)
  }

  private changeOwners(node: Writable, next: readonly OwnerReference[]): void {
    const before = node.owners
    const had = uidsOf(before)
    const has = uidsOf(next)
    const blocked = uidsOf(next.filter(({ blockOwnerDeletion }) => blockOwnerDeletion === true))
    const removed = before.filter(({ uid }) => !has.has(uid))
    const added = next.filter(({ uid }) => !had.has(uid))
    node.owners = next
    this.addToOwners(node, added)
    for (const { uid } of removed) this.leave(node, uid)
    for (const { uid, blockOwnerDeletion } of before) {
      if (blockOwnerDeletion === true && !blocked.has(uid) && this.nodes.has(uid)) this.outlet.examine(uid)
    }
  }

  /** An owner that nobody has seen is made up, and looked for. A dependent whose reference does not fit the owner is looked at. */
  private addToOwners(node: Node, owners: readonly OwnerReference[]): void {
    let doubtful = false
    for (const reference of owners) {
      let owner = this.nodes.get(reference.uid)
      const known = owner !== undefined
      if (owner === undefined) {
        owner = new Writable(referredTo(reference, node.namespace), NO_OWNERS, VIRTUAL)
        this.nodes.set(reference.uid, owner)
      }
      if (owner.dependents === NO_DEPENDENTS) owner.dependents = new Set([node])
      else owner.dependents.add(node)
      if (!known) this.outlet.examine(owner.uid)
      else if (!doubtful) doubtful = this.isDoubtful(node, reference, owner)
    }
    if (doubtful) this.outlet.examine(node.uid)
  }

  private isDoubtful(node: Node, reference: OwnerReference, owner: Node): boolean {
    if (owner.namespace !== '' && owner.namespace !== node.namespace) {
      if (!owner.virtual) this.reportInvalidNamespace(node, owner.uid)
      return true
    }
    return !refersTo(reference, owner) || (owner.virtual && owner.namespace !== node.namespace)
  }

  private reportInvalidNamespace(dependent: Node, uid: string): void {
    const reference = dependent.owners.find(owner => owner.uid === uid)
    if (reference) this.outlet.invalidNamespace(coordinatesOf(dependent), referredTo(reference, dependent.namespace))
  }

  private noticeDeletion(node: Writable, finalizers: readonly string[]): void {
    const orphaning = finalizers.includes(ORPHAN)
    const waiting = !orphaning && finalizers.includes(FOREGROUND)
    const begins = { orphaning: orphaning && !node.orphaning, waiting: waiting && !node.waiting }
    node.orphaning = orphaning
    node.waiting = waiting
    if (begins.orphaning) this.outlet.orphan(node.uid)
    if (!begins.waiting) return
    for (const { uid } of node.dependents) this.outlet.examine(uid)
    this.outlet.examine(node.uid)
  }

  private examineOwnerless(dependents: readonly Node[], owner: Coordinates): void {
    if (dependents.length > 0) this.absent.add(owner)
    for (const { uid } of dependents) this.outlet.examine(uid)
  }

  private drop(node: Writable): void {
    this.nodes.delete(node.uid)
    for (const { uid } of node.owners) this.leave(node, uid)
    this.examineOwnerless(
      [...node.dependents].filter(dependent => dependent !== node),
      coordinatesOf(node),
    )
    for (const { uid } of node.owners) if (this.nodes.get(uid)?.waiting) this.outlet.examine(uid)
  }

  /** An owner that was made up goes with its last dependent. */
  private leave(node: Node, ownerUid: string): void {
    const owner = this.nodes.get(ownerUid)
    if (owner === undefined || owner.dependents === NO_DEPENDENTS) return
    owner.dependents.delete(node)
    if (owner.dependents.size > 0) return
    owner.dependents = NO_DEPENDENTS
    if (owner.virtual) this.nodes.delete(ownerUid)
  }
}
