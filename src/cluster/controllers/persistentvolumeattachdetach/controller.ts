import type { AttachedVolume, Node, PersistentVolume, PersistentVolumeClaim, Pod } from '../../../api/core/v1.types.ts'
import type { CSIDriver, VolumeAttachment } from '../../../api/storage/v1.types.ts'
import { objectKey } from '../../../clients/api-client.ts'
import { untilAborted } from '../../../lib/on-abort.ts'
import { isStatusError, undefinedIfNotFound } from '../../../meta/status.ts'
import { type ClusterEnvironment, type ClusterPart, queueOf, recorderOf, untilSynced } from '../../shared/environment.ts'
import type { EventRecorder } from '../../shared/event-recorder.ts'
import type { Informer } from '../../shared/informer.ts'
import { CLAIMS, CSI_DRIVERS, NODES, PODS, VOLUME_ATTACHMENTS, VOLUMES } from '../../shared/kinds.ts'
import { LatestObjects } from '../../shared/latest-objects.ts'
import { hasOutOfServiceTaint, isNodeReady } from '../../shared/nodes.ts'
import { podsByClaim } from '../../shared/pod-claims.ts'
import { isPodStopped, podsByNode } from '../../shared/pods.ts'
import { claimKeyOf } from '../../shared/volumes.ts'
import type { KeyQueue } from '../../shared/work-queue.ts'
import { attachmentOf, type DesiredVolume, desiredVolumes, isManaged, isShared, multiAttachError, uniqueVolumeName } from './desired.ts'

const WORKERS = 4
/** Time after which a volume of an unhealthy node is detached although it is mounted, in milliseconds. */
const FORCE_DETACH_MS = 6 * 60_000
const BY_NODE = 'node'
const BY_VOLUME = 'volume'

/**
 * Attaches volumes to the nodes of their pods, and detaches them afterwards. The attacher of a driver carries out
 * VolumeAttachments. A key is a node.
 */
export const persistentVolumeAttachDetach: ClusterPart = (env, signal) => new AttachDetach(env, signal).run()

class AttachDetach {
  readonly #env: ClusterEnvironment
  readonly #signal: AbortSignal
  readonly #nodes: Informer<Node>
  readonly #latestNodes: LatestObjects<Node>
  readonly #pods: Informer<Pod>
  readonly #podsOn: (node: string) => readonly Pod[]
  readonly #podsOf: (claim: string) => readonly Pod[]
  readonly #claims: Informer<PersistentVolumeClaim>
  readonly #volumes: Informer<PersistentVolume>
  readonly #drivers: Informer<CSIDriver>
  readonly #attachments: Informer<VolumeAttachment>
  readonly #recorder: EventRecorder
  readonly #queue: KeyQueue
  /** Times at which mounted volumes were no longer needed, by attachment. */
  readonly #unneededSince = new Map<string, number>()
  /** Errors that events have reported, by attachment and uid of the pod. */
  readonly #reported = new Map<string, Map<string, string>>()
  /** Unique names of volumes that other nodes have, as events have reported, by the node that waits for them. */
  readonly #conflicts = new Map<string, Set<string>>()
  /** Deleted nodes that have attachments, as they were. */
  readonly #deletedNodes = new Map<string, Node>()

  constructor(env: ClusterEnvironment, signal: AbortSignal) {
    const { informers } = env
    this.#env = env
    this.#signal = signal
    this.#nodes = informers.of(NODES)
    this.#latestNodes = new LatestObjects(this.#nodes)
    this.#pods = informers.of(PODS)
    this.#podsOn = podsByNode(this.#pods)
    this.#podsOf = podsByClaim(this.#pods)
    this.#claims = informers.of(CLAIMS)
    this.#volumes = informers.of(VOLUMES)
    this.#drivers = informers.of(CSI_DRIVERS)
    this.#attachments = informers.of(VOLUME_ATTACHMENTS)
    this.#attachments.addIndex(BY_NODE, ({ spec }) => [spec.nodeName])
    this.#attachments.addIndex(BY_VOLUME, ({ spec }) => [spec.source.persistentVolumeName ?? ''])
    this.#recorder = recorderOf(env, 'attachdetach-controller', signal)
    this.#queue = queueOf(env, 'attachdetach', signal, { workers: WORKERS, work: name => this.#sync(name) })
  }

  async run(): Promise<void> {
    const all = [this.#nodes, this.#pods, this.#claims, this.#volumes, this.#drivers, this.#attachments]
    if (!(await untilSynced(all, this.#signal))) return
    const podChanged = ({ spec }: Pod): void => {
      if (spec.nodeName && spec.volumes?.some(volume => volume.persistentVolumeClaim ?? volume.ephemeral)) this.#queue.add(spec.nodeName)
    }
    this.#pods.on({ added: podChanged, updated: podChanged, deleted: podChanged })
    this.#nodes.on({
      added: node => this.#nodeChanged(node),
      updated: node => this.#nodeChanged(node),
      deleted: node => this.#nodeDeleted(node),
    })
    const claimChanged = (claim: PersistentVolumeClaim): void => {
      for (const pod of this.#podsOf(objectKey(claim))) podChanged(pod)
    }
    this.#claims.on({ added: claimChanged, updated: claimChanged })
    const volumeChanged = (volume: PersistentVolume): void => {
      for (const pod of this.#podsOf(claimKeyOf(volume) ?? '')) podChanged(pod)
    }
    this.#volumes.on({ added: volumeChanged, updated: volumeChanged })
    this.#attachments.on({
      added: ({ spec }) => this.#queue.add(spec.nodeName),
      updated: ({ spec }) => this.#queue.add(spec.nodeName),
      deleted: attachment => this.#attachmentGone(attachment),
    })
    await untilAborted(this.#signal)
  }

  /** A node without attachments and pods with volumes needs no pass. */
  #nodeChanged({ metadata: { name = '' }, status }: Node): void {
    if (this.#attachments.store.by(BY_NODE, name).length > 0 || (status?.volumesAttached?.length ?? 0) > 0) this.#queue.add(name)
  }

  #nodeDeleted(node: Node): void {
    const { name = '' } = node.metadata
    this.#conflicts.delete(name)
    if (this.#attachments.store.by(BY_NODE, name).length === 0) return
    this.#deletedNodes.set(name, node)
    this.#queue.add(name)
  }

  /** Looks at the node, and at nodes that wait for the volume. */
  #attachmentGone({ metadata: { name = '' }, spec }: VolumeAttachment): void {
    this.#unneededSince.delete(name)
    this.#reported.delete(name)
    this.#queue.add(spec.nodeName)
    const volume = this.#volumes.store.get(spec.source.persistentVolumeName ?? '')
    for (const { spec: other } of volume ? this.#podsOf(claimKeyOf(volume) ?? '') : []) if (other.nodeName) this.#queue.add(other.nodeName)
  }

  async #sync(name: string): Promise<void> {
    const node = this.#latestNodes.get(name)
    if (node === undefined) return this.#syncDeleted(name)
    this.#deletedNodes.delete(name)
    if (!isManaged(node)) return
    const desired = this.#desiredOn(node)
    const attached = this.#attachedTo(name)
    const unneeded = [...attached].filter(
      ([volume, { metadata }]) => !desired.has(volume) && this.#mayDetach(node, volume, metadata.name ?? ''),
    )
    const going = new Set(unneeded.map(([volume]) => volume))
    const present = [...attached]
      .filter(([volume, attachment]) => attachment.status?.attached && !going.has(volume))
      .map(([volume]) => volume)
    await this.#writeStatus(node, present, desired)
    for (const [, attachment] of unneeded) await this.#detach(attachment)
    for (const volume of this.#conflicts.get(name) ?? []) if (!desired.has(volume)) this.#conflicts.get(name)?.delete(volume)
    for (const [volume, wanted] of desired) {
      const attachment = attached.get(volume)
      // A volume that is needed again gets the whole time for its next unmount.
      this.#unneededSince.delete(attachment?.metadata.name ?? '')
      if (attachment) this.#reportError(attachment, wanted)
      else await this.#attach(wanted, name)
    }
  }

  /** Detaches volumes that no pod needs on a node that was deleted. Mounted volumes are detached after their time. */
  async #syncDeleted(name: string): Promise<void> {
    const attached = this.#attachedTo(name)
    if (attached.size === 0) return void this.#deletedNodes.delete(name)
    // A node that was deleted before this program began is not known to have mounted anything.
    const node = this.#deletedNodes.get(name)
    const desired = this.#desiredOn(node ?? { metadata: { name } })
    for (const [volume, attachment] of attached) {
      const isNeeded = desired.has(volume) || (node !== undefined && !this.#mayDetach(node, volume, attachment.metadata.name ?? ''))
      if (!isNeeded) await this.#detach(attachment)
    }
  }

  #desiredOn(node: Pick<Node, 'metadata'>): Map<string, DesiredVolume> {
    return desiredVolumes(this.#podsOn(node.metadata.name ?? ''), node, {
      claim: key => this.#claims.store.get(key),
      volume: volume => this.#volumes.store.get(volume),
      driver: driver => this.#drivers.store.get(driver),
    })
  }

  /** Returns the attachments of a node by the unique names of their volumes. */
  #attachedTo(node: string): Map<string, VolumeAttachment> {
    const attached = new Map<string, VolumeAttachment>()
    for (const attachment of this.#attachments.store.by(BY_NODE, node)) {
      const csi = this.#volumes.store.get(attachment.spec.source.persistentVolumeName ?? '')?.spec.csi
      if (csi) attached.set(uniqueVolumeName(csi.driver, csi.volumeHandle), attachment)
    }
    return attached
  }

  async #attach(wanted: DesiredVolume, node: string): Promise<void> {
    const { volume } = wanted
    const name = volume.metadata.name ?? ''
    const attachment = attachmentOf(wanted, node)
    const others = this.#attachments.store.by(BY_VOLUME, name).filter(({ spec }) => spec.nodeName !== node)
    if (others.length > 0 && !isShared(volume)) {
      if (!this.#isNewConflict(uniqueVolumeName(wanted.driver, wanted.handle), node)) return
      const nodes = new Set(others.map(({ spec }) => spec.nodeName))
      const users = this.#podsOf(claimKeyOf(volume) ?? '').filter(pod => nodes.has(pod.spec.nodeName ?? '') && !isPodStopped(pod))
      for (const pod of wanted.pods) this.#recordFailure(pod, multiAttachError(name, users, pod.metadata.namespace ?? ''))
      return
    }
    this.#conflicts.get(node)?.delete(uniqueVolumeName(wanted.driver, wanted.handle))
    await this.#env.client.create(VOLUME_ATTACHMENTS, attachment).catch((error: unknown) => {
      if (!isStatusError(error, 'AlreadyExists')) throw error
    })
  }

  /** Notes that other nodes have a volume that a node needs. Returns false if that was noted before. */
  #isNewConflict(volume: string, node: string): boolean {
    const conflicts = this.#conflicts.get(node) ?? new Set<string>()
    this.#conflicts.set(node, conflicts)
    return conflicts.size !== conflicts.add(volume).size
  }

  #recordFailure(pod: Pod, message: string): void {
    this.#recorder.record(PODS, pod, 'Warning', 'FailedAttachVolume', message)
  }

  /** Reports the error of the driver's attacher, each one once. */
  #reportError(attachment: VolumeAttachment, { volume, pods }: DesiredVolume): void {
    const error = attachment.status?.attached ? undefined : attachment.status?.attachError
    if (error === undefined) return void this.#reported.delete(attachment.metadata.name ?? '')
    for (const pod of pods)
      this.#warn(attachment, pod, `AttachVolume.Attach failed for volume "${volume.metadata.name}" : ${error.message ?? ''}`)
  }

  #warn({ metadata: { name = '' } }: VolumeAttachment, pod: Pod, message: string): void {
    const { uid = '' } = pod.metadata
    const reported = this.#reported.get(name) ?? new Map<string, string>()
    if (reported.get(uid) === message) return
    this.#reported.set(name, reported.set(uid, message))
    this.#recordFailure(pod, message)
  }

  /**
   * Reports whether a volume that is not needed may be detached: it is not mounted, or the node is not healthy for long
   * or was declared to be out of service.
   */
  #mayDetach(node: Node, volume: string, attachment: string): boolean {
    if (!node.status?.volumesInUse?.includes(volume)) return true
    if (hasOutOfServiceTaint(node)) return true
    const now = this.#env.clock.now()
    const since = this.#unneededSince.get(attachment) ?? now
    this.#unneededSince.set(attachment, since)
    const left = since + FORCE_DETACH_MS - now
    if (left > 0) this.#queue.addAfter(node.metadata.name ?? '', left)
    return left <= 0 && !isNodeReady(node)
  }

  /** Deletes an attachment. It is gone when the driver's attacher has taken off its finalizer. */
  async #detach({ metadata: { name = '', uid = '', deletionTimestamp } }: VolumeAttachment): Promise<void> {
    this.#unneededSince.delete(name)
    if (deletionTimestamp !== undefined) return
    await this.#env.client.delete(VOLUME_ATTACHMENTS, '', name, { uid }).catch(undefinedIfNotFound)
  }

  /** Lists in the status of a node which volumes are attached to it. Volumes of other plugins are left alone. */
  async #writeStatus(node: Node, present: readonly string[], desired: ReadonlyMap<string, DesiredVolume>): Promise<void> {
    const listed = node.status?.volumesAttached ?? []
    const kept = listed.filter(({ name }) => !name.startsWith(CSI_PREFIX) || present.includes(name))
    const added = present.filter(name => !listed.some(volume => volume.name === name))
    if (kept.length === listed.length && added.length === 0) return
    const volumesAttached: AttachedVolume[] = [...kept, ...added.map(name => ({ name, devicePath: '' }))]
    const { name = '' } = node.metadata
    const status = { volumesAttached: volumesAttached.map(each => ({ ...each })) }
    this.#latestNodes.wrote(await this.#env.client.patch(NODES, { namespace: '', name, subresource: 'status' }, { status }))
    for (const each of added)
      for (const pod of desired.get(each)?.pods ?? []) {
        const message = `AttachVolume.Attach succeeded for volume "${desired.get(each)?.volume.metadata.name}" `
        this.#recorder.record(PODS, pod, 'Normal', 'SuccessfulAttachVolume', message)
      }
  }
}

const CSI_PREFIX = 'kubernetes.io/csi/'
