import type { Pod, PodResourceClaim } from '../../../api/core/v1.types.ts'
import type { ResourceClaim, ResourceClaimConsumerReference, ResourceClaimTemplate } from '../../../api/resource/v1beta2.types.ts'
import { objectKey } from '../../../clients/api-client.ts'
import { errorMessage } from '../../../lib/error-message.ts'
import { untilAborted } from '../../../lib/on-abort.ts'
import { startInTurns } from '../../../lib/steps.ts'
import { apiVersionOf } from '../../../meta/gvk.ts'
import { undefinedIfNotFound } from '../../../meta/status.ts'
import { claimReference, deviceClaimKeys, foreignResourceClaim } from '../../shared/device-claims.ts'
import type { DeviceKinds } from '../../shared/device-kinds.ts'
import { type ClusterEnvironment, type ClusterPart, queueOf, recorderOf, untilSynced } from '../../shared/environment.ts'
import type { EventRecorder } from '../../shared/event-recorder.ts'
import type { Informer } from '../../shared/informer.ts'
import { PODS } from '../../shared/kinds.ts'
import { controllerOf } from '../../shared/owner.ts'
import { deviceKindsIfServed } from '../../shared/served-device-kinds.ts'
import type { KeyQueue } from '../../shared/work-queue.ts'
import { releasedClaim, unprotectedClaim } from './cleanup.ts'
import { generatedClaim, isPodDone, isToReserve, needsWork, POD_CLAIM_NAME } from './pod-claims.ts'

const WORKERS = 10
const [POD, CLAIM] = ['pod:', 'claim:']
const BY_CLAIM = 'resource claim'
const BY_TEMPLATE = 'resource claim template'

/**
 * Makes claims of templates for pods, reserves allocated claims for pods that have a node, and takes back what pods no
 * longer use. A key is a pod or a claim.
 */
export const resourceClaimController: ClusterPart = async (env, signal) => {
  const kinds = await deviceKindsIfServed(env)
  if (kinds) await new ClaimController(env, kinds, signal).run()
}

class ClaimController {
  readonly #env: ClusterEnvironment
  readonly #kinds: DeviceKinds
  readonly #signal: AbortSignal
  readonly #pods: Informer<Pod>
  readonly #claims: Informer<ResourceClaim>
  readonly #templates: Informer<ResourceClaimTemplate>
  readonly #recorder: EventRecorder
  readonly #queue: KeyQueue

  constructor(env: ClusterEnvironment, kinds: DeviceKinds, signal: AbortSignal) {
    this.#env = env
    this.#kinds = kinds
    this.#signal = signal
    this.#pods = env.informers.of(PODS)
    this.#claims = env.informers.of(kinds.claims)
    this.#templates = env.informers.of(kinds.templates)
    this.#pods.addIndex(BY_CLAIM, pod => deviceClaimKeys(pod))
    this.#pods.addIndex(BY_TEMPLATE, pod =>
      (pod.spec.resourceClaims ?? []).flatMap(each =>
        claimReference(pod, each).isMissing ? [`${pod.metadata.namespace ?? ''}/${each.resourceClaimTemplateName ?? ''}`] : [],
      ),
    )
    this.#recorder = recorderOf(env, 'resource_claim', signal)
    this.#queue = queueOf(env, 'resource_claim', signal, {
      workers: WORKERS,
      work: key => (key.startsWith(POD) ? this.#syncPod(key.slice(POD.length)) : this.#syncClaim(key.slice(CLAIM.length))),
    })
  }

  async run(): Promise<void> {
    if (!(await untilSynced([this.#pods, this.#claims, this.#templates], this.#signal))) return
    this.#pods.onGradually({
      added: pod => this.#podChanged(pod),
      updated: pod => this.#podChanged(pod),
      deleted: pod => this.#lookAtClaims(pod),
    })
    const changed = (claim: ResourceClaim): void => {
      this.#queue.add(CLAIM + objectKey(claim))
      this.#lookAtPods(this.#pods.store.by(BY_CLAIM, objectKey(claim)))
    }
    this.#claims.on({
      added: changed,
      updated: changed,
      deleted: claim => this.#lookAtPods(this.#pods.store.by(BY_CLAIM, objectKey(claim))),
    })
    this.#templates.on({ added: template => this.#lookAtPods(this.#pods.store.by(BY_TEMPLATE, objectKey(template))) })
    await untilAborted(this.#signal)
  }

  #podChanged(pod: Pod): void {
    if (!pod.spec.resourceClaims?.length) return
    if (isPodDone(pod)) this.#lookAtClaims(pod)
    else this.#lookAtPods([pod])
  }

  #lookAtPods(pods: readonly Pod[]): void {
    for (const pod of pods) if (needsWork(pod, key => this.#claims.store.get(key))) this.#queue.add(POD + objectKey(pod))
  }

  #lookAtClaims(pod: Pod): void {
    for (const key of deviceClaimKeys(pod)) this.#queue.add(CLAIM + key)
  }

  async #syncPod(key: string): Promise<void> {
    const pod = this.#pods.store.get(key)
    if (pod === undefined || pod.metadata.deletionTimestamp !== undefined || isPodDone(pod)) return
    const made: { name: string; resourceClaimName: string }[] = []
    for (const each of pod.spec.resourceClaims ?? [])
      try {
        const resourceClaimName = await this.#makeClaim(pod, each)
        if (resourceClaimName !== undefined) made.push({ name: each.name, resourceClaimName })
      } catch (error) {
        const message = `PodResourceClaim ${each.name}: ${errorMessage(error)}`
        this.#recorder.record(PODS, pod, 'Warning', 'FailedResourceClaimCreation', message)
        throw new Error(`pod ${key}, ${message}`, { cause: error })
      }
    if (made.length > 0) {
      const { namespace = '', name = '', uid = '' } = pod.metadata
      await this.#env.client.patch(
        PODS,
        { namespace, name, subresource: 'status' },
        { metadata: { uid }, status: { resourceClaimStatuses: made } },
        'strategic',
      )
    }
    await this.#reserve(pod)
  }

  /** Makes the claim of a template. Returns its name. Undefined if the pod needs none, or has it. */
  async #makeClaim(pod: Pod, each: PodResourceClaim): Promise<string | undefined> {
    const { namespace = '', uid = '' } = pod.metadata
    const { name, isGenerated } = claimReference(pod, each)
    const known = name === undefined ? undefined : this.#claims.store.get(`${namespace}/${name}`)
    const foreign = known && isGenerated ? foreignResourceClaim(pod, known) : undefined
    if (foreign !== undefined) throw new Error(foreign)
    const templateName = each.resourceClaimTemplateName
    if (known || templateName === undefined || (name === undefined && !claimReference(pod, each).isMissing)) return undefined
    // A claim that was made before the status of the pod could be written.
    const orphan = this.#claims.store.controlledBy(uid).find(({ metadata }) => metadata.annotations?.[POD_CLAIM_NAME] === each.name)
    if (orphan) return orphan.metadata.name
    const template = this.#templates.store.get(`${namespace}/${templateName}`)
    if (template === undefined)
      throw new Error(`resource claim template "${templateName}": resourceclaimtemplate.resource.k8s.io "${templateName}" not found`)
    const { claims } = this.#kinds
    const claim = await startInTurns(generatedClaim(pod, each, template, apiVersionOf(claims)))
    return (await this.#env.client.create(claims, claim)).metadata.name
  }

  /** Reserves allocated claims for a pod that was given a node without the scheduler. */
  async #reserve(pod: Pod): Promise<void> {
    const { name = '', uid = '' } = pod.metadata
    for (const key of deviceClaimKeys(pod)) {
      const claim = this.#claims.store.get(key)
      if (claim === undefined || !isToReserve(claim, pod)) continue
      const reservedFor = [...(claim.status.reservedFor ?? []), { resource: 'pods', name, uid }]
      await this.#env.client.update(this.#kinds.claims, { ...claim, status: { ...claim.status, reservedFor } }, 'status')
    }
  }

  async #syncClaim(key: string): Promise<void> {
    const claim = this.#claims.store.get(key)
    if (claim === undefined) return
    const { client } = this.#env
    const { namespace = '', name = '', uid = '' } = claim.metadata
    const kept: ResourceClaimConsumerReference[] = []
    for (const consumer of claim.status.reservedFor ?? []) if (await this.#isUsing(consumer, namespace)) kept.push(consumer)
    const released = releasedClaim(claim, kept)
    const current = released ? await client.update(this.#kinds.claims, released, 'status') : claim
    const unprotected = unprotectedClaim(current, released !== undefined)
    if (unprotected) await client.update(this.#kinds.claims, unprotected)
    if (kept.length > 0 || claim.metadata.deletionTimestamp !== undefined) return
    const owner = controllerOf(claim)
    const pod = owner?.kind === 'Pod' ? this.#pods.store.get(`${namespace}/${owner.name}`) : undefined
    // The garbage collector deletes the claims of pods that are gone.
    if (pod?.metadata.uid !== owner?.uid || pod === undefined || !isPodDone(pod)) return
    await client.delete(this.#kinds.claims, namespace, name, { uid }).catch(undefinedIfNotFound)
  }

  /** Reports whether a consumer of a claim still uses it. A pod that is not observed yet is read from the server. */
  async #isUsing({ apiGroup, resource, name, uid }: ResourceClaimConsumerReference, namespace: string): Promise<boolean> {
    if (apiGroup || resource !== 'pods') return true
    const observed = this.#pods.store.get(`${namespace}/${name}`)
    if (observed?.metadata.uid === uid) return !isPodDone(observed)
    const pod = await this.#env.client.get(PODS, namespace, name).catch(undefinedIfNotFound)
    return pod !== undefined && pod.metadata.uid === uid && !isPodDone(pod)
  }
}
