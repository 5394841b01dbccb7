import type { PersistentVolume, PersistentVolumeClaim } from '../../api/core/v1.types.ts'
import type { StorageClass } from '../../api/storage/v1.types.ts'
import { objectKey } from '../../clients/api-client.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { quote } from '../../lib/go-quote.ts'
import { untilAborted } from '../../lib/on-abort.ts'
import { eachInSlices } from '../../lib/slices.ts'
import { isStatusError } from '../../meta/status.ts'
import { type ClusterEnvironment, type ClusterPart, queueOf, recorderOf, untilSynced } from '../shared/environment.ts'
import type { EventRecorder } from '../shared/event-recorder.ts'
import type { Informer } from '../shared/informer.ts'
import { CLAIMS, STORAGE_CLASSES, VOLUMES } from '../shared/kinds.ts'
import { classOf, PROVISIONER_FINALIZER, requestedStorage } from '../shared/volumes.ts'
import type { KeyQueue } from '../shared/work-queue.ts'
import { createDefaultObjects, SIMULATED_DRIVER } from './default-objects.ts'
import { isToExpand, resizedStatus, resizingStatus } from './expansion.ts'
import { isPopulatedByOthers, isToDelete, isToProvision, provisionedVolume, volumeName } from './provisioned-volume.ts'

const WORKERS = 4
const DEFAULTS = 'defaults'

/**
 * Simulates a storage driver with its external-provisioner and external-resizer: it offers a default class, creates
 * volumes for claims of its classes, deletes released ones, and expands volumes. There is no storage behind the
 * volumes.
 */
export const volumeDriver: ClusterPart = (env, signal) => new VolumeDriver(env, signal).run()

class VolumeDriver {
  readonly #env: ClusterEnvironment
  readonly #signal: AbortSignal
  readonly #claims: Informer<PersistentVolumeClaim>
  readonly #volumes: Informer<PersistentVolume>
  readonly #classes: Informer<StorageClass>
  readonly #recorder: EventRecorder
  readonly #resizerEvents: EventRecorder
  readonly #defaults: KeyQueue
  readonly #claimQueue: KeyQueue
  readonly #volumeQueue: KeyQueue
  readonly #classQueue: KeyQueue

  constructor(env: ClusterEnvironment, signal: AbortSignal) {
    this.#env = env
    this.#signal = signal
    this.#claims = env.informers.of(CLAIMS)
    this.#volumes = env.informers.of(VOLUMES)
    this.#classes = env.informers.of(STORAGE_CLASSES)
    this.#recorder = recorderOf(env, SIMULATED_DRIVER, signal)
    this.#resizerEvents = recorderOf(env, `external-resizer ${SIMULATED_DRIVER}`, signal)
    this.#defaults = queueOf(env, 'volume_driver_defaults', signal, { workers: 1, work: () => createDefaultObjects(env) })
    this.#claimQueue = queueOf(env, 'volume_driver_claims', signal, { workers: WORKERS, work: key => this.#syncClaim(key) })
    this.#volumeQueue = queueOf(env, 'volume_driver_volumes', signal, { workers: WORKERS, work: name => this.#syncVolume(name) })
    this.#classQueue = queueOf(env, 'volume_driver_classes', signal, { workers: 1, work: name => this.#classAdded(name) })
  }

  async run(): Promise<void> {
    if (!(await untilSynced([this.#claims, this.#volumes, this.#classes], this.#signal))) return
    this.#defaults.add(DEFAULTS)
    this.#claims.onGradually({ added: claim => this.#claimChanged(claim), updated: claim => this.#claimChanged(claim) })
    const look = (volume: PersistentVolume): void => {
      if (isToDelete(volume)) this.#volumeQueue.add(objectKey(volume))
    }
    this.#volumes.onGradually({ added: look, updated: look })
    // A class may come, or come again, after the binder has handed its claims to the driver.
    this.#classes.on({ added: ({ metadata: { name = '' } }) => this.#classQueue.add(name) })
    await untilAborted(this.#signal)
  }

  async #classAdded(name: string): Promise<void> {
    await eachInSlices([...this.#claims.store.list()], claim => {
      if (classOf(claim) === name) this.#claimChanged(claim)
    })
  }

  #claimChanged(claim: PersistentVolumeClaim): void {
    if (isToProvision(claim, this.#classOf(claim)) || isToExpand(claim, this.#volumeOf(claim))) this.#claimQueue.add(objectKey(claim))
  }

  #classOf = (claim: PersistentVolumeClaim): StorageClass | undefined => this.#classes.store.get(classOf(claim))
  #volumeOf = (claim: PersistentVolumeClaim): PersistentVolume | undefined => this.#volumes.store.get(claim.spec.volumeName ?? '')

  async #syncClaim(key: string): Promise<void> {
    const claim = this.#claims.store.get(key)
    if (claim === undefined) return
    const storageClass = this.#classOf(claim)
    const volume = this.#volumeOf(claim)
    if (storageClass && isToProvision(claim, storageClass)) await this.#provision(claim, storageClass)
    else if (volume && isToExpand(claim, volume)) await this.#expand(claim, volume)
  }

  async #provision(claim: PersistentVolumeClaim, storageClass: StorageClass): Promise<void> {
    const { features, client } = this.#env
    const name = volumeName(claim)
    if (this.#volumes.store.get(name)) return
    if (isPopulatedByOthers(claim))
      return this.#record(claim, 'Normal', 'Provisioning', 'Assuming an external populator will provision the volume')
    this.#record(claim, 'Normal', 'Provisioning', `External provisioner is provisioning volume for claim ${quote(objectKey(claim))}`)
    const options = {
      keepsUntilDeleted: features.enabled('HonorPVReclaimPolicy'),
      hasAttributesClass: features.enabled('VolumeAttributesClass'),
    }
    try {
      await client.create(VOLUMES, provisionedVolume(claim, storageClass, options))
    } catch (error) {
      if (isStatusError(error, 'AlreadyExists')) return
      const message = `failed to provision volume with StorageClass ${quote(storageClass.metadata.name ?? '')}: ${errorMessage(error)}`
      this.#record(claim, 'Warning', 'ProvisioningFailed', message)
      throw error
    }
    this.#record(claim, 'Normal', 'ProvisioningSucceeded', `Successfully provisioned volume ${name}`)
  }

  /** Lets a volume grow. The claim reports the beginning and the end. */
  async #expand(claim: PersistentVolumeClaim, volume: PersistentVolume): Promise<void> {
    const { client, features, clock } = this.#env
    const size = requestedStorage(claim) ?? '0'
    const name = volume.metadata.name ?? ''
    this.#resizerEvents.record(CLAIMS, claim, 'Normal', 'Resizing', `External resizer is resizing volume ${name}`)
    const status = resizingStatus(claim, features.enabled('RecoverVolumeExpansionFailure'), clock.now())
    const resizing = await client.update(CLAIMS, { ...claim, status }, 'status')
    await client.patch(VOLUMES, { namespace: '', name }, { spec: { capacity: { storage: size } } })
    await client.update(CLAIMS, { ...resizing, status: resizedStatus(resizing, size) }, 'status')
    this.#resizerEvents.record(CLAIMS, claim, 'Normal', 'VolumeResizeSuccessful', 'Resize volume succeeded')
  }

  async #syncVolume(name: string): Promise<void> {
    const volume = this.#volumes.store.get(name)
    if (volume === undefined || !isToDelete(volume)) return
    const { client } = this.#env
    const { uid = '', deletionTimestamp } = volume.metadata
    try {
      if (deletionTimestamp === undefined) await client.delete(VOLUMES, '', name, { uid })
      const current = await client.get(VOLUMES, '', name)
      const finalizers = current.metadata.finalizers?.filter(finalizer => finalizer !== PROVISIONER_FINALIZER) ?? []
      if (current.metadata.uid === uid && finalizers.length !== (current.metadata.finalizers?.length ?? 0))
        await client.update(VOLUMES, { ...current, metadata: { ...current.metadata, finalizers } })
    } catch (error) {
      if (!isStatusError(error, 'NotFound')) throw error
    }
  }

  #record(claim: PersistentVolumeClaim, type: 'Normal' | 'Warning', reason: string, message: string): void {
    this.#recorder.record(CLAIMS, claim, type, reason, message)
  }
}
