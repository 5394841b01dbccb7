import type { PersistentVolume, PersistentVolumeClaim, Pod } from '../../../api/core/v1.types.ts'
import type { StorageClass } from '../../../api/storage/v1.types.ts'
import { objectKey } from '../../../clients/api-client.ts'
import { errorMessage } from '../../../lib/error-message.ts'
import { quote } from '../../../lib/go-quote.ts'
import { untilAborted } from '../../../lib/on-abort.ts'
import { startInTurns } from '../../../lib/steps.ts'
import { isStatusError, undefinedIfNotFound } from '../../../meta/status.ts'
import { migratedDriver } from '../../shared/csi-migration.ts'
import { type ClusterEnvironment, type ClusterPart, queueOf, recorderOf, untilSynced } from '../../shared/environment.ts'
import type { EventRecorder } from '../../shared/event-recorder.ts'
import type { Informer } from '../../shared/informer.ts'
import { CLAIMS, PODS, STORAGE_CLASSES, VOLUMES } from '../../shared/kinds.ts'
import { LatestObjects } from '../../shared/latest-objects.ts'
import { podsByClaim } from '../../shared/pod-claims.ts'
import { BIND_COMPLETED, boundToClaim, claimKeyOf, classOf, defaultClass, hasAnnotation, namedClass } from '../../shared/volumes.ts'
import type { KeyQueue } from '../../shared/work-queue.ts'
import {
  boundToVolume,
  claimStatus,
  unbound,
  withClaimMigration,
  withoutPluginFinalizer,
  withPluginMarks,
  withProvisioner,
} from './binding.ts'
import { type BinderEvent, type ClaimDecision, decideClaim } from './claim-decision.ts'
import { decideReclaim, decideVolume, PLUGIN_PREFIX, podsInUse } from './volume-decision.ts'

/** Index of volumes by the class for which they are available, and by the claim that they refer to. */
const CANDIDATES = 'candidates'
const ofClass = (name: string): string => `class ${name}`
const ofClaim = (key: string): string => `claim ${key}`
/** Index of claims without a volume by their class. A claim without a class also has the value NO_CLASS. */
const UNBOUND = 'unbound'
const NO_CLASS = 'no class'
/** Index of claims by the volume that they name. */
const NAMED = 'named volume'

/** Time after which a volume that could not be recycled is looked at again, in milliseconds. */
const RESYNC_MS = 15_000

/**
 * Binds claims and volumes to each other, and carries out the reclaim policy of released volumes. Keys are claims, and
 * volumes in a queue of their own.
 */
export const persistentVolumeBinder: ClusterPart = (env, signal) => new Binder(env, signal).run()

class Binder {
  readonly #env: ClusterEnvironment
  readonly #signal: AbortSignal
  readonly #claims: Informer<PersistentVolumeClaim>
  readonly #volumes: Informer<PersistentVolume>
  readonly #classes: Informer<StorageClass>
  readonly #pods: Informer<Pod>
  readonly #podsOf: (claim: string) => readonly Pod[]
  readonly #latestClaims: LatestObjects<PersistentVolumeClaim>
  readonly #latestVolumes: LatestObjects<PersistentVolume>
  readonly #recorder: EventRecorder
  readonly #claimQueue: KeyQueue
  readonly #volumeQueue: KeyQueue
  /** Values of the index of claims without a volume, for which a volume or class may have come. */
  readonly #unboundQueue: KeyQueue

  constructor(env: ClusterEnvironment, signal: AbortSignal) {
    this.#env = env
    this.#signal = signal
    this.#claims = env.informers.of(CLAIMS)
    this.#volumes = env.informers.of(VOLUMES)
    this.#classes = env.informers.of(STORAGE_CLASSES)
    this.#pods = env.informers.of(PODS)
    this.#podsOf = podsByClaim(this.#pods)
    this.#volumes.addIndex(CANDIDATES, volume => {
      const claim = claimKeyOf(volume)
      return [claim === undefined ? ofClass(classOf(volume)) : ofClaim(claim)]
    })
    this.#claims.addIndex(UNBOUND, claim => {
      if (hasAnnotation(claim, BIND_COMPLETED)) return []
      return namedClass(claim) === undefined ? [ofClass(''), NO_CLASS] : [ofClass(classOf(claim))]
    })
    this.#claims.addIndex(NAMED, ({ spec: { volumeName } }) => (volumeName ? [volumeName] : []))
    this.#latestClaims = new LatestObjects(this.#claims)
    this.#latestVolumes = new LatestObjects(this.#volumes)
    this.#recorder = recorderOf(env, 'persistentvolume-controller', signal)
    // One worker each: a volume must not be taken for two claims at once.
    this.#claimQueue = queueOf(env, 'claims', signal, { workers: 1, work: key => this.#syncClaim(key) })
    this.#volumeQueue = queueOf(env, 'volumes', signal, { workers: 1, work: name => this.#syncVolume(name) })
    this.#unboundQueue = queueOf(env, 'unbound_claims', signal, { workers: 1, work: value => this.#lookAtUnbound(value) })
  }

  async run(): Promise<void> {
    if (!(await untilSynced([this.#claims, this.#volumes, this.#classes, this.#pods], this.#signal))) return
    this.#claims.onGradually({
      added: claim => this.#claimQueue.add(objectKey(claim)),
      updated: claim => this.#claimQueue.add(objectKey(claim)),
      deleted: claim => this.#claimDeleted(claim),
    })
    this.#volumes.onGradually({
      added: volume => this.#volumeChanged(volume),
      updated: volume => this.#volumeChanged(volume),
      deleted: volume => {
        const claim = claimKeyOf(volume)
        if (claim !== undefined) this.#claimQueue.add(claim)
      },
    })
    this.#classes.on({ added: one => this.#classChanged(one), updated: one => this.#classChanged(one) })
    await untilAborted(this.#signal)
  }

  /**
   * Looks at the volume of a claim, also if the claim was deleted before it named the volume. Upstream finds such
   * volumes when it looks at all again, every 15 seconds.
   */
  #claimDeleted(claim: PersistentVolumeClaim): void {
    if (claim.spec.volumeName) this.#volumeQueue.add(claim.spec.volumeName)
    for (const { metadata } of this.#volumes.store.by(CANDIDATES, ofClaim(objectKey(claim)))) this.#volumeQueue.add(metadata.name ?? '')
  }

  #volumeChanged(volume: PersistentVolume): void {
    const { name = '' } = volume.metadata
    this.#volumeQueue.add(name)
    // A volume may have lost its reference to the claim that names it, or come back without one.
    for (const named of this.#claims.store.by(NAMED, name)) this.#claimQueue.add(objectKey(named))
    const claim = claimKeyOf(volume)
    if (claim !== undefined) {
      if (this.#claims.store.get(claim)) this.#claimQueue.add(claim)
    } else if (volume.status.phase === 'Available') this.#unboundQueue.add(ofClass(classOf(volume)))
  }

  #classChanged(one: StorageClass): void {
    this.#unboundQueue.add(ofClass(one.metadata.name ?? ''))
    if (defaultClass([one])) this.#unboundQueue.add(NO_CLASS)
  }

  async #lookAtUnbound(value: string): Promise<void> {
    for (const claim of this.#claims.store.by(UNBOUND, value)) this.#claimQueue.add(objectKey(claim))
  }

  async #syncClaim(key: string): Promise<void> {
    const observed = this.#latestClaims.get(key)
    if (observed === undefined) return
    const migrated = await startInTurns(withClaimMigration(observed))
    const claim = migrated ? this.#latestClaims.wrote(await this.#env.client.update(CLAIMS, migrated)) : observed
    const decision = this.#decide(claim)
    switch (decision.action) {
      case 'bind':
        return this.#bind(decision.volume, claim)
      case 'wait':
        if (decision.event) this.#recordClaim(claim, decision.event)
        return void (await this.#writeClaimStatus(claim, 'Pending', undefined))
      case 'assign class':
        return void this.#latestClaims.wrote(
          await this.#env.client.update(CLAIMS, { ...claim, spec: { ...claim.spec, storageClassName: decision.name } }),
        )
      case 'provision':
        return this.#provision(claim)
      case 'lose':
        if (claim.status.phase === 'Lost') return
        return this.#recordClaim(await this.#writeClaimStatus(claim, 'Lost', undefined), decision.event)
      case 'retry':
        this.#recordClaim(claim, decision.event)
        throw new Error(decision.error)
    }
  }

  #decide(claim: PersistentVolumeClaim): ClaimDecision {
    const { features } = this.#env
    const className = classOf(claim)
    const candidates = [ofClaim(objectKey(claim)), ofClass(className)].flatMap(value => this.#volumes.store.by(CANDIDATES, value))
    const assignsLater = features.enabled('RetroactiveDefaultStorageClass')
    return decideClaim(claim, {
      named: claim.spec.volumeName ? this.#latestVolumes.get(claim.spec.volumeName) : undefined,
      candidates: candidates.map(volume => this.#latestVolumes.get(volume.metadata.name ?? '') ?? volume),
      storageClass: this.#classes.store.get(className),
      defaultClass: assignsLater ? defaultClass(this.#classes.store.list()) : undefined,
      pods: this.#podsOf(objectKey(claim)),
      matchAttributes: features.enabled('VolumeAttributesClass'),
    })
  }

  /** Binds both to each other, the volume first. A failure is made up for when either is looked at again. */
  async #bind(volume: PersistentVolume, claim: PersistentVolumeClaim): Promise<void> {
    const { client } = this.#env
    const changed = await startInTurns(boundToClaim(volume, claim))
    const bound = changed ? this.#latestVolumes.wrote(await client.update(VOLUMES, changed)) : volume
    await this.#writePhase(bound, 'Bound')
    const changedClaim = await startInTurns(boundToVolume(claim, bound))
    const boundClaim = changedClaim ? this.#latestClaims.wrote(await client.update(CLAIMS, changedClaim)) : claim
    await this.#writeClaimStatus(boundClaim, 'Bound', bound)
  }

  /** Hands a claim to the provisioner of its class. */
  async #provision(claim: PersistentVolumeClaim): Promise<void> {
    const className = classOf(claim)
    const provisioner = this.#classes.store.get(className)?.provisioner
    const fail = (message: string): void => this.#recordClaim(claim, { type: 'Warning', reason: 'ProvisioningFailed', message })
    if (provisioner === undefined) return fail(`storageclass.storage.k8s.io ${quote(className)} not found`)
    const driver = migratedDriver(provisioner)
    if (driver === undefined && provisioner.startsWith(PLUGIN_PREFIX)) return fail(`no volume plugin matched name: ${provisioner}`)
    const name = driver ?? provisioner
    const changed = await startInTurns(withProvisioner(claim, name))
    let current = claim
    if (changed)
      try {
        current = this.#latestClaims.wrote(await this.#env.client.update(CLAIMS, changed))
      } catch (error) {
        if (!isStatusError(error, 'Conflict')) fail(`Error saving claim: ${errorMessage(error)}`)
        throw error
      }
    const message = `Waiting for a volume to be created either by the external provisioner '${name}' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.`
    this.#recordClaim(current, { type: 'Normal', reason: 'ExternalProvisioning', message })
  }

  async #syncVolume(name: string): Promise<void> {
    const observed = this.#latestVolumes.get(name)
    if (observed === undefined) return
    const marked = await startInTurns(withPluginMarks(observed, this.#env.features.enabled('HonorPVReclaimPolicy')))
    const volume = marked ? this.#latestVolumes.wrote(await this.#env.client.update(VOLUMES, marked)) : observed
    const claim = await this.#claimOf(volume)
    const decision = decideVolume(volume, claim)
    switch (decision.action) {
      case 'set phase':
        return void (await this.#writePhase(volume, decision.phase))
      case 'look at claim':
        return this.#claimQueue.add(claimKeyOf(volume) ?? '')
      case 'unbind':
        return this.#unbind(volume)
      case 'release':
        return this.#reclaim(isReleased(volume) ? volume : await this.#writePhase(volume, 'Released'))
      case 'mismatch': {
        const text = (what: string): string => `Cannot bind PersistentVolume ${what} due to incompatible volumeMode.`
        const claimName = quote(claim?.metadata.name ?? '')
        this.#recordVolume(volume, 'Warning', 'VolumeMismatch', text(`to requested PersistentVolumeClaim ${claimName}`))
        if (claim)
          this.#recorder.record(CLAIMS, claim, 'Warning', 'VolumeMismatch', text(`${quote(name)} to requested PersistentVolumeClaim`))
      }
    }
  }

  /**
   * Returns the claim that a volume refers to. It is read from the server if it is not observed yet, so that no volume
   * is released by mistake.
   */
  async #claimOf(volume: PersistentVolume): Promise<PersistentVolumeClaim | undefined> {
    const { claimRef } = volume.spec
    if (!claimRef?.uid) return undefined
    const isOwn = (claim: PersistentVolumeClaim | undefined): boolean => claim?.metadata.uid === claimRef.uid
    const observed = this.#latestClaims.get(claimKeyOf(volume) ?? '')
    if (isOwn(observed)) return observed
    if (observed === undefined && isReleased(volume)) return undefined
    const claim = await this.#env.client.get(CLAIMS, claimRef.namespace ?? '', claimRef.name ?? '').catch(undefinedIfNotFound)
    return isOwn(claim) ? claim : undefined
  }

  async #reclaim(volume: PersistentVolume): Promise<void> {
    const { features } = this.#env
    const leavesCsi = features.enabled('HonorPVReclaimPolicy')
    const decision = decideReclaim(volume, leavesCsi)
    switch (decision.action) {
      case 'keep':
        return
      case 'recycle':
        if (this.#isUsed(volume)) return
        this.#recordVolume(volume, 'Normal', 'VolumeRecycled', 'Volume recycled')
        return this.#unbind(volume)
      case 'delete':
        return this.#delete(volume)
      case 'fail':
        if (volume.status.phase === 'Failed') return
        this.#recordVolume(await this.#writePhase(volume, 'Failed', decision.message), 'Warning', decision.reason, decision.message)
    }
  }

  /** Deletes a volume that its plugin has deleted. Its finalizer is removed first. */
  async #delete(volume: PersistentVolume): Promise<void> {
    const { client } = this.#env
    const released = withoutPluginFinalizer(volume)
    if (released) this.#latestVolumes.wrote(await client.update(VOLUMES, released))
    if (volume.metadata.deletionTimestamp === undefined)
      await client.delete(VOLUMES, '', volume.metadata.name ?? '').catch(undefinedIfNotFound)
  }

  /**
   * Reports whether pods use a volume whose claim is gone, with an event. Such a volume is looked at again, as upstream
   * looks at all.
   */
  #isUsed(volume: PersistentVolume): boolean {
    const claim = claimKeyOf(volume) ?? ''
    const users = this.#latestClaims.get(claim) === undefined ? podsInUse(this.#podsOf(claim)) : []
    if (users.length === 0) return false
    this.#recordVolume(volume, 'Normal', 'VolumeFailedRecycle', `Volume is used by pods: ${users.join(',')}`)
    this.#volumeQueue.addAfter(volume.metadata.name ?? '', RESYNC_MS)
    return true
  }

  async #unbind(volume: PersistentVolume): Promise<void> {
    await this.#writePhase(
      this.#latestVolumes.wrote(await this.#env.client.update(VOLUMES, await startInTurns(unbound(volume)))),
      'Available',
    )
  }

  async #writePhase(
    volume: PersistentVolume,
    phase: 'Available' | 'Bound' | 'Released' | 'Failed',
    message = '',
  ): Promise<PersistentVolume> {
    const { status } = volume
    if (status.phase === phase) return volume
    const { message: _, ...rest } = status
    const next = { ...volume, status: { ...rest, phase, ...(message !== '' && { message }) } }
    return this.#latestVolumes.wrote(await this.#env.client.update(VOLUMES, next, 'status'))
  }

  async #writeClaimStatus(
    claim: PersistentVolumeClaim,
    phase: 'Pending' | 'Bound' | 'Lost',
    volume: PersistentVolume | undefined,
  ): Promise<PersistentVolumeClaim> {
    const status = claimStatus(claim, phase, volume)
    return status ? this.#latestClaims.wrote(await this.#env.client.update(CLAIMS, { ...claim, status }, 'status')) : claim
  }

  #recordClaim(claim: PersistentVolumeClaim, { type, reason, message }: BinderEvent): void {
    this.#recorder.record(CLAIMS, claim, type, reason, message)
  }

  #recordVolume(volume: PersistentVolume, type: 'Normal' | 'Warning', reason: string, message: string): void {
    this.#recorder.record(VOLUMES, volume, type, reason, message)
  }
}

const isReleased = ({ status: { phase } }: PersistentVolume): boolean => phase === 'Released' || phase === 'Failed'
