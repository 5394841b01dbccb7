import type { PersistentVolumeClaim, PersistentVolumeClaimCondition, Pod } from '../api/core/v1.types.ts'
import { getKind, updateKind } from '../catalog/define.ts'
import { errorMessage } from '../lib/error-message.ts'
import { isStatusError } from '../meta/status.ts'
import { formatTime } from '../meta/time.ts'
import { CLAIMS, PODS } from '../resources/kinds.ts'
import { type Controller, type ControllerEnvironment, follow, followKept, type ObjectIndex, WorkQueue } from './controller.ts'

const UNUSED = 'Unused'
const WORKERS = 4

/** Returns the condition that tells whether pods use a claim. Source: https://kep.k8s.io/5541 */
export const usageCondition = (isUsed: boolean, now: number): PersistentVolumeClaimCondition => ({
  type: UNUSED,
  status: isUsed ? 'False' : 'True',
  lastProbeTime: null,
  lastTransitionTime: formatTime(now),
  reason: isUsed ? 'PodUsingPVC' : 'NoPodsUsingPVC',
  message: isUsed ? 'A pod is currently referencing this PVC' : 'No pods are currently referencing this PVC',
})

/** Pods that have not ended, by the claims that they name. Pods without a node count, too. */
export class UsedClaims implements ObjectIndex<Pod> {
  readonly #changed: (claim: string) => void
  readonly #synced: () => void
  /** Claims by pod. */
  readonly #claims = new Map<string, readonly string[]>()
  /** Pods by claim. */
  readonly #pods = new Map<string, Set<string>>()

  /** @param changed called with the key of a claim that is used for the first time, or no longer */
  constructor(changed: (claim: string) => void, synced: () => void) {
    this.#changed = changed
    this.#synced = synced
  }

  isUsed(claim: string): boolean {
    return this.#pods.has(claim)
  }

  keys(): Iterable<string> {
    return this.#claims.keys()
  }

  put(pod: Pod): void {
    const { namespace = '', name = '' } = pod.metadata
    this.#set(`${namespace}/${name}`, claimsOf(pod))
  }

  remove(namespace: string, name: string): void {
    this.#set(`${namespace}/${name}`, [])
  }

  synced(): void {
    this.#synced()
  }

  #set(pod: string, claims: readonly string[]): void {
    const before = this.#claims.get(pod) ?? []
    if (claims.length > 0) this.#claims.set(pod, claims)
    else this.#claims.delete(pod)
    for (const claim of claims) {
      const pods = this.#pods.get(claim)
      if (pods) pods.add(pod)
      else {
        this.#pods.set(claim, new Set([pod]))
        this.#changed(claim)
      }
    }
    for (const claim of before) {
      const pods = claims.includes(claim) ? undefined : this.#pods.get(claim)
      pods?.delete(pod)
      if (pods?.size !== 0) continue
      this.#pods.delete(claim)
      this.#changed(claim)
    }
  }
}

/** Keys of the claims that a pod names. None if it has ended. */
function claimsOf({ metadata: { namespace = '', name = '' }, spec, status }: Pod): string[] {
  if (status.phase === 'Succeeded' || status.phase === 'Failed') return []
  return (spec.volumes ?? []).flatMap(volume => {
    const claim = volume.persistentVolumeClaim?.claimName ?? (volume.ephemeral ? `${name}-${volume.name}` : undefined)
    return claim === undefined ? [] : [`${namespace}/${claim}`]
  })
}

/** Reports in a condition of each bound claim since when no pod uses it. */
export const claimUsageController: Controller = async (env, signal) => {
  let areKnown = false
  const waiting = new Set<string>()
  const look = (claim: string): void => {
    if (areKnown) queue.add(claim)
    else waiting.add(claim)
  }
  const used = new UsedClaims(look, () => {
    areKnown = true
    for (const claim of waiting) queue.add(claim)
    waiting.clear()
  })
  const queue = new WorkQueue(
    WORKERS,
    signal,
    claim => report(env, claim, used),
    (claim, error) => env.logger.debug(2, 'cannot report the use of a claim, retrying', { claim, error: errorMessage(error) }),
    env.queues?.meter('persistentvolumeclaims_usage'),
  )
  await Promise.all([
    followKept(env, PODS, signal, used),
    follow(env, CLAIMS, signal, ({ type, object }) => {
      if (object && type !== 'deleted' && isReported(object)) look(`${object.metadata.namespace}/${object.metadata.name}`)
    }),
  ])
}

const isReported = ({ metadata, status }: PersistentVolumeClaim): boolean =>
  status.phase === 'Bound' && metadata.deletionTimestamp === undefined

/** Writes the condition of a claim if it has changed. */
async function report(env: ControllerEnvironment, key: string, used: UsedClaims): Promise<void> {
  const [namespace = '', name = ''] = key.split('/')
  const condition = usageCondition(used.isUsed(key), env.clock.now())
  const isCurrent = ({ status }: PersistentVolumeClaim): boolean =>
    status.conditions?.some(({ type, status: value }) => type === UNUSED && value === condition.status) ?? false
  try {
    const claim = await getKind(env.access, CLAIMS, namespace, name)
    if (!isReported(claim) || isCurrent(claim)) return
    await updateKind(env.access, CLAIMS, { namespace, name, subresource: 'status' }, now => {
      if (!isReported(now) || isCurrent(now)) return undefined
      const conditions = [...(now.status.conditions ?? []).filter(({ type }) => type !== UNUSED), condition]
      return { ...now, status: { ...now.status, conditions } }
    })
  } catch (error) {
    // Deleted meanwhile.
    if (!isStatusError(error, 'NotFound')) throw error
  }
}
