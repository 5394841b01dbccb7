import type { PersistentVolume, PersistentVolumeClaim } from '../../api/core/v1.types.ts'
import { startInTurns } from '../../lib/steps.ts'
import { CLAIMS, VOLUMES } from '../shared/kinds.ts'
import { boundToClaim, isFullyBound, isReachable, SELECTED_NODE, withClaimRef } from '../shared/volumes.ts'
import type { AssumedObjects } from './assumed-objects.ts'
import type { Reservation } from './framework.ts'
import type { NodeInfo } from './node-info.ts'
import type { PodVolumes } from './pod-volumes.ts'
import type { ClusterObjects } from './snapshot.ts'
import { untilMet } from './wait-for-changes.ts'

/** Assumed states of the objects that reservations of volumes change. */
export interface AssumedVolumes {
  readonly claims: AssumedObjects<PersistentVolumeClaim>
  readonly volumes: AssumedObjects<PersistentVolume>
}

/**
 * Reserves volumes for a pod on a node: they count as bound until the reservation ends. The binder completes what is
 * written here. @param timeoutMs time in which all claims must be bound
 */
export function reserveVolumes(
  { bindings, provisions }: PodVolumes,
  node: NodeInfo,
  objects: ClusterObjects,
  assumed: AssumedVolumes,
  timeoutMs: number,
): Reservation {
  const volumes = bindings.flatMap(({ volume, claim }) => withClaimRef(volume, claim) ?? [])
  const claims = provisions.map(({ claim }) => withNode(claim, node.name))
  for (const volume of volumes) assumed.volumes.assume(volume)
  for (const claim of claims) assumed.claims.assume(claim)
  const release = (): void => {
    for (const volume of volumes) assumed.volumes.forget(volume)
    for (const claim of claims) assumed.claims.forget(claim)
  }
  const waiting = [...bindings.map(({ claim }) => claim), ...claims]
  return {
    async preBind(context) {
      const { client } = context
      const written = new Map<string, bigint>()
      for (const { volume, claim } of bindings) {
        const bound = await startInTurns(boundToClaim(volume, claim))
        if (bound) written.set(bound.metadata.name ?? '', versionOf(await client.update(VOLUMES, bound)))
      }
      const writtenClaims: PersistentVolumeClaim[] = []
      for (const claim of claims) writtenClaims.push(await client.update(CLAIMS, claim))
      const areBound = (): boolean => {
        for (const { volume } of bindings) checkVolume(volume, written.get(volume.metadata.name ?? '') ?? 0n, node, objects)
        for (const claim of writtenClaims) checkProvisioning(claim, node, objects)
        return waiting.every(claim => isFullyBound(stored(claim, objects) ?? claim))
      }
      try {
        await untilMet(areBound, [CLAIMS, VOLUMES], context, timeoutMs, 'context deadline exceeded')
      } catch (error) {
        throw new Error(`binding volumes: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
      }
      release()
      return undefined
    },
    unreserve: async () => release(),
  }
}

const withNode = (claim: PersistentVolumeClaim, node: string): PersistentVolumeClaim => ({
  ...claim,
  metadata: { ...claim.metadata, annotations: { ...claim.metadata.annotations, [SELECTED_NODE]: node } },
})

const versionOf = ({ metadata }: PersistentVolume | PersistentVolumeClaim): bigint => BigInt(metadata.resourceVersion ?? '0')

const stored = ({ metadata }: PersistentVolumeClaim, objects: ClusterObjects): PersistentVolumeClaim | undefined =>
  objects.get<PersistentVolumeClaim>('PersistentVolumeClaim', metadata.namespace ?? '', metadata.name ?? '')

/**
 * Throws an Error if a volume can no longer be bound. @param version resource version of the write. An older state is
 * not looked at
 */
function checkVolume({ metadata: { name = '' } }: PersistentVolume, version: bigint, node: NodeInfo, objects: ClusterObjects): void {
  const volume = objects.get<PersistentVolume>('PersistentVolume', '', name)
  if (volume === undefined) throw new Error(`failed to check binding: persistentvolume "${name}" not found`)
  if (versionOf(volume) < version) return
  checkReach(volume, node)
  if (!volume.spec.claimRef?.uid) throw new Error(`ClaimRef got reset for pv "${name}"`)
}

function checkReach(volume: PersistentVolume, node: NodeInfo): void {
  if (!isReachable(volume, node.node))
    throw new Error(`pv "${volume.metadata.name}" node affinity doesn't match node "${node.name}": no matching NodeSelectorTerms`)
}

/** Throws an Error if a volume is not provisioned for the node. @param claim as it was written */
function checkProvisioning(claim: PersistentVolumeClaim, node: NodeInfo, objects: ClusterObjects): void {
  const { namespace, name } = claim.metadata
  const current = stored(claim, objects)
  if (current === undefined) throw new Error(`failed to check provisioning pvc: persistentvolumeclaim "${name}" not found`)
  if (versionOf(current) < versionOf(claim)) return
  const { annotations } = current.metadata
  if (annotations === undefined) throw new Error(`selectedNode annotation reset for PVC "${namespace}/${name}"`)
  // A provisioner that fails removes the annotation, so that another node is tried.
  if (annotations[SELECTED_NODE] !== node.name) throw new Error(`provisioning failed for PVC "${namespace}/${name}"`)
  const volume = current.spec.volumeName ? objects.get<PersistentVolume>('PersistentVolume', '', current.spec.volumeName) : undefined
  if (volume) checkReach(volume, node)
}
