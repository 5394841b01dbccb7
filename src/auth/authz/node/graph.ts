/** Kinds of objects that pods refer to, with upstream's names. */
export type ReferenceKind = 'configmap' | 'secret' | 'pvc' | 'resourceclaim' | 'serviceAccount'
/** Kinds of objects that belong to one node. */
export type OwnedKind = 'volumeattachment' | 'resourceslice' | 'podcertificaterequest'
/** Kinds that the graph can connect to nodes. */
export type VertexKind = ReferenceKind | OwnedKind | 'pod' | 'pv'

/** Reference of a pod to an object in its namespace. */
export interface PodReference {
  readonly kind: ReferenceKind
  readonly name: string
}

/** Referenced object, with the number of pods per node that refer to it. */
interface ReferenceTarget {
  readonly id: string
  readonly isClaim: boolean
  readonly nodes: Map<string, number>
}

interface PlacedPod {
  readonly node: string
  readonly targets: ReadonlySet<ReferenceTarget>
}

interface ClaimedVolume {
  /** Key `NAMESPACE/NAME`. */
  readonly claim: string
  readonly secrets: ReadonlySet<string>
}

const namespacedName = (namespace: string, name: string): string => `${namespace}/${name}`
const vertexId = (kind: ReferenceKind, key: string): string => `${kind}:${key}`

/** Changes a count and removes the entry at zero. Returns true if the entry was added or removed. */
function changeCount<K>(counts: Map<K, number>, key: K, by: 1 | -1): boolean {
  const now = (counts.get(key) ?? 0) + by
  if (now > 0) counts.set(key, now)
  else counts.delete(key)
  return by === 1 ? now === 1 : now <= 0
}

/**
 * Objects that the pods of each node refer to: secrets, config maps, claims, service accounts, and through claims also
 * volumes and their secrets. Maintained by its owner. Size is proportional to the scheduled pods. Keys are
 * `NAMESPACE/NAME`, or `/NAME` for cluster-scoped objects.
 */
export class NodeGraph {
  readonly #pods = new Map<string, PlacedPod>()
  readonly #targets = new Map<string, ReferenceTarget>()
  /** Node name to the claims of its pods. */
  readonly #claims = new Map<string, Set<string>>()
  readonly #volumes = new Map<string, ClaimedVolume>()
  /** Secret to the claims of the volumes that need it, with the number of those volumes. */
  readonly #bySecret = new Map<string, Map<string, number>>()
  readonly #owned: Readonly<Record<OwnedKind, Map<string, string>>> = {
    volumeattachment: new Map(),
    resourceslice: new Map(),
    podcertificaterequest: new Map(),
  }

  /** Adds or updates a pod. Returns false if nothing changed, as for most updates, which only affect the status. */
  putPod(namespace: string, name: string, node: string, references: readonly PodReference[]): boolean {
    const key = namespacedName(namespace, name)
    const known = this.#pods.get(key)
    if (known?.node === node && this.#isSame(known, namespace, references)) return false
    if (known) this.#release(known)
    const targets = new Set(references.map(({ kind, name: referred }) => this.#targetOf(kind, namespacedName(namespace, referred))))
    for (const target of targets)
      if (changeCount(target.nodes, node, 1) && target.isClaim) {
        const claims = this.#claims.get(node) ?? new Set()
        this.#claims.set(node, claims.add(target.id))
      }
    this.#pods.set(key, { node, targets })
    return true
  }

  /** Removes a pod. Returns false if it was not scheduled. */
  removePod(namespace: string, name: string): boolean {
    const key = namespacedName(namespace, name)
    const known = this.#pods.get(key)
    if (!known) return false
    this.#release(known)
    return this.#pods.delete(key)
  }

  /**
   * Adds or updates a volume. One without a claim belongs to no node. @param secrets keys of the secrets that kubelets
   * need for it.
   */
  putVolume(name: string, claim: { readonly namespace: string; readonly name: string } | undefined, secrets: readonly string[]): void {
    this.removeVolume(name)
    if (!claim) return
    const volume = { claim: namespacedName(claim.namespace, claim.name), secrets: new Set(secrets) }
    this.#volumes.set(name, volume)
    for (const secret of volume.secrets) {
      const claims = this.#bySecret.get(secret) ?? new Map<string, number>()
      this.#bySecret.set(secret, claims)
      changeCount(claims, volume.claim, 1)
    }
  }

  /** Removes a volume. */
  removeVolume(name: string): void {
    const volume = this.#volumes.get(name)
    if (!volume) return
    this.#volumes.delete(name)
    for (const secret of volume.secrets) {
      const claims = this.#bySecret.get(secret)
      if (!claims) continue
      changeCount(claims, volume.claim, -1)
      if (claims.size === 0) this.#bySecret.delete(secret)
    }
  }

  /** Adds or updates an object of one node. @param node empty if it has none. */
  putOwned(kind: OwnedKind, namespace: string, name: string, node: string): void {
    if (node === '') this.#owned[kind].delete(namespacedName(namespace, name))
    else this.#owned[kind].set(namespacedName(namespace, name), node)
  }

  removeOwned(kind: OwnedKind, namespace: string, name: string): void {
    this.#owned[kind].delete(namespacedName(namespace, name))
  }

  /** Keys of all objects of a kind. */
  keys(kind: OwnedKind | 'pod' | 'pv'): Iterable<string> {
    if (kind === 'pod') return this.#pods.keys()
    return kind === 'pv' ? [...this.#volumes.keys()].map(name => namespacedName('', name)) : this.#owned[kind].keys()
  }

  /**
   * Whether the object belongs to the node, or is referenced by a pod of the node or by a volume that such a pod
   * claims.
   */
  leadsTo(node: string, kind: VertexKind, namespace: string, name: string): boolean {
    const key = namespacedName(namespace, name)
    switch (kind) {
      case 'pod':
        return this.#pods.get(key)?.node === node
      case 'pv': {
        const volume = this.#volumes.get(name)
        return volume !== undefined && this.#isReferred('pvc', volume.claim, node)
      }
      case 'volumeattachment':
      case 'resourceslice':
      case 'podcertificaterequest':
        return this.#owned[kind].get(key) === node
      case 'secret':
        return this.#isReferred('secret', key, node) || this.#isOfClaim(key, node)
      case 'configmap':
      case 'pvc':
      case 'resourceclaim':
      case 'serviceAccount':
        return this.#isReferred(kind, key, node)
    }
  }

  #isReferred(kind: ReferenceKind, key: string, node: string): boolean {
    return this.#targets.get(vertexId(kind, key))?.nodes.has(node) ?? false
  }

  /**
   * Whether a pod of the node claims a volume that needs the secret. Iterates the smaller set, because many volumes can
   * need one secret.
   */
  #isOfClaim(secret: string, node: string): boolean {
    const claims = this.#bySecret.get(secret)
    const ofNode = this.#claims.get(node)
    if (!claims || !ofNode) return false
    if (claims.size <= ofNode.size) return [...claims.keys()].some(claim => ofNode.has(vertexId('pvc', claim)))
    return [...ofNode].some(id => claims.has(id.slice('pvc:'.length)))
  }

  #isSame({ targets }: PlacedPod, namespace: string, references: readonly PodReference[]): boolean {
    const now = new Set(references.map(({ kind, name }) => this.#targets.get(vertexId(kind, namespacedName(namespace, name)))))
    return now.size === targets.size && [...now].every(target => target !== undefined && targets.has(target))
  }

  /** Returns the node of a referenced object, and creates it if needed. */
  #targetOf(kind: ReferenceKind, key: string): ReferenceTarget {
    const id = vertexId(kind, key)
    const known = this.#targets.get(id)
    if (known) return known
    const made = { id, isClaim: kind === 'pvc', nodes: new Map<string, number>() }
    this.#targets.set(id, made)
    return made
  }

  /** Removes the references of a pod. Objects without references are dropped. */
  #release({ node, targets }: PlacedPod): void {
    for (const target of targets) {
      if (!changeCount(target.nodes, node, -1)) continue
      if (target.nodes.size === 0) this.#targets.delete(target.id)
      const claims = this.#claims.get(node)
      if (!target.isClaim || !claims) continue
      claims.delete(target.id)
      if (claims.size === 0) this.#claims.delete(node)
    }
  }
}
