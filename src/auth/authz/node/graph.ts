/** What pods refer to, by the words of upstream's graph. */
export type ReferenceKind = 'configmap' | 'secret' | 'pvc' | 'resourceclaim' | 'serviceAccount'
/** What is of one node by itself. */
export type OwnedKind = 'volumeattachment' | 'resourceslice' | 'podcertificaterequest'
/** Everything of which the graph knows to which nodes it leads. */
export type VertexKind = ReferenceKind | OwnedKind | 'pod' | 'pv'

/** An object in the pod's namespace. */
export interface Reference {
  readonly kind: ReferenceKind
  readonly name: string
}

/** What pods refer to, with the number of pods that do on each node. */
interface Target {
  readonly id: string
  readonly isClaim: boolean
  readonly nodes: Map<string, number>
}

interface PlacedPod {
  readonly node: string
  readonly targets: ReadonlySet<Target>
}

interface ClaimedVolume {
  /** `NAMESPACE/NAME` */
  readonly claim: string
  readonly secrets: ReadonlySet<string>
}

const keyOf = (namespace: string, name: string): string => `${namespace}/${name}`
const idOf = (kind: ReferenceKind, key: string): string => `${kind}:${key}`

/** Adds to what is counted, and forgets what is counted no more. True where it is counted for the first time, or was for the last. */
function count<K>(counts: Map<K, number>, key: K, by: 1 | -1): boolean {
  const now = (counts.get(key) ?? 0) + by
  if (now > 0) counts.set(key, now)
  else counts.delete(key)
  return by === 1 ? now === 1 : now <= 0
}

/**
 * What the pods of each node refer to: secrets, config maps, claims, accounts, and through claims volumes and their secrets. Kept up to date from outside; it grows with the pods that are on
 * nodes. Keys are `NAMESPACE/NAME`, `/NAME` for what has no namespace.
 */
export class NodeGraph {
  private readonly pods = new Map<string, PlacedPod>()
  private readonly targets = new Map<string, Target>()
  /** Node → the claims of its pods. */
  private readonly claims = new Map<string, Set<string>>()
  private readonly volumes = new Map<string, ClaimedVolume>()
  /** Secret → the claims of the volumes that need it, with the number of those volumes. */
  private readonly bySecret = new Map<string, Map<string, number>>()
  private readonly owned: Readonly<Record<OwnedKind, Map<string, string>>> = {
    volumeattachment: new Map(),
    resourceslice: new Map(),
    podcertificaterequest: new Map(),
  }

  /** Puts the pod on its node. False where nothing has changed by it: most updates of pods are of their status. */
  putPod(namespace: string, name: string, node: string, references: readonly Reference[]): boolean {
    const key = keyOf(namespace, name)
    const known = this.pods.get(key)
    if (known?.node === node && this.isSame(known, namespace, references)) return false
    if (known) this.release(known)
    const targets = new Set(references.map(({ kind, name: referred }) => this.targetOf(kind, keyOf(namespace, referred))))
    for (const target of targets)
      if (count(target.nodes, node, 1) && target.isClaim) {
        const claims = this.claims.get(node) ?? new Set()
        this.claims.set(node, claims.add(target.id))
      }
    this.pods.set(key, { node, targets })
    return true
  }

  /** False where it was on no node. */
  removePod(namespace: string, name: string): boolean {
    const key = keyOf(namespace, name)
    const known = this.pods.get(key)
    if (!known) return false
    this.release(known)
    return this.pods.delete(key)
  }

  /** A volume without a claim is of no node. `secrets`: those that kubelets read, `NAMESPACE/NAME`. */
  putVolume(name: string, claim: { readonly namespace: string; readonly name: string } | undefined, secrets: readonly string[]): void {
    this.removeVolume(name)
    if (!claim) return
    const volume = { claim: keyOf(claim.namespace, claim.name), secrets: new Set(secrets) }
    this.volumes.set(name, volume)
    for (const secret of volume.secrets) {
      const claims = this.bySecret.get(secret) ?? new Map<string, number>()
      this.bySecret.set(secret, claims)
      count(claims, volume.claim, 1)
    }
  }

  removeVolume(name: string): void {
    const volume = this.volumes.get(name)
    if (!volume) return
    this.volumes.delete(name)
    for (const secret of volume.secrets) {
      const claims = this.bySecret.get(secret)
      if (!claims) continue
      count(claims, volume.claim, -1)
      if (claims.size === 0) this.bySecret.delete(secret)
    }
  }

  /** `node`: empty where the object is of no node. */
  putOwned(kind: OwnedKind, namespace: string, name: string, node: string): void {
    if (node === '') this.owned[kind].delete(keyOf(namespace, name))
    else this.owned[kind].set(keyOf(namespace, name), node)
  }

  removeOwned(kind: OwnedKind, namespace: string, name: string): void {
    this.owned[kind].delete(keyOf(namespace, name))
  }

  /** Of all that has been put and not removed. */
  keys(kind: OwnedKind | 'pod' | 'pv'): Iterable<string> {
    if (kind === 'pod') return this.pods.keys()
    return kind === 'pv' ? [...this.volumes.keys()].map(name => keyOf('', name)) : this.owned[kind].keys()
  }

  /** Whether the object is the node's, is referred to by a pod of it, or by a volume that such a pod claims. */
  leadsTo(node: string, kind: VertexKind, namespace: string, name: string): boolean {
    const key = keyOf(namespace, name)
    switch (kind) {
      case 'pod':
        return this.pods.get(key)?.node === node
      case 'pv': {
        const volume = this.volumes.get(name)
        return volume !== undefined && this.isReferred('pvc', volume.claim, node)
      }
      case 'volumeattachment':
      case 'resourceslice':
      case 'podcertificaterequest':
        return this.owned[kind].get(key) === node
      case 'secret':
        return this.isReferred('secret', key, node) || this.isOfClaim(key, node)
      case 'configmap':
      case 'pvc':
      case 'resourceclaim':
      case 'serviceAccount':
        return this.isReferred(kind, key, node)
    }
  }

  private isReferred(kind: ReferenceKind, key: string, node: string): boolean {
    return this.targets.get(idOf(kind, key))?.nodes.has(node) ?? false
  }

  /** Whether a pod of the node claims a volume that needs the secret. Many volumes may need one secret, and few are claimed on a node. */
  private isOfClaim(secret: string, node: string): boolean {
    const claims = this.bySecret.get(secret)
    const ofNode = this.claims.get(node)
    if (!claims || !ofNode) return false
    if (claims.size <= ofNode.size) return [...claims.keys()].some(claim => ofNode.has(idOf('pvc', claim)))
    return [...ofNode].some(id => claims.has(id.slice('pvc:'.length)))
  }

  private isSame({ targets }: PlacedPod, namespace: string, references: readonly Reference[]): boolean {
    const now = new Set(references.map(({ kind, name }) => this.targets.get(idOf(kind, keyOf(namespace, name)))))
    return now.size === targets.size && [...now].every(target => target !== undefined && targets.has(target))
  }

  private targetOf(kind: ReferenceKind, key: string): Target {
    const id = idOf(kind, key)
    const known = this.targets.get(id)
    if (known) return known
    const made = { id, isClaim: kind === 'pvc', nodes: new Map<string, number>() }
    this.targets.set(id, made)
    return made
  }

  private release({ node, targets }: PlacedPod): void {
    for (const target of targets) {
      if (!count(target.nodes, node, -1)) continue
      if (target.nodes.size === 0) this.targets.delete(target.id)
      const claims = this.claims.get(node)
      if (!target.isClaim || !claims) continue
      claims.delete(target.id)
      if (claims.size === 0) this.claims.delete(node)
    }
  }
}
