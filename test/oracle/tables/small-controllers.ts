import type { PersistentVolume, PersistentVolumeClaim } from '../../../src/api/core/v1.types.ts'
import { ClusterSize } from '../../../src/cluster/controllers/nodettl/cluster-size.ts'
import { ClaimUsers, isVolumeInUse } from '../../../src/controllers/in-use-protection.ts'
import { mayNeedChange } from '../../../src/controllers/protection.ts'
import { PROTECTED_CLAIMS, PROTECTED_VOLUMES } from '../../../src/resources/core/in-use-protection.ts'
import { podOf } from '../../support/scheduling.ts'

interface ProtectedIn {
  readonly kind: 'PersistentVolumeClaim' | 'PersistentVolume'
  readonly deleting?: boolean
  /** Phase of a volume. */
  readonly phase?: string
  /** Phase of a pod that uses a claim, or whether there is one. */
  readonly pod?: string | boolean | null
  readonly used?: boolean
  readonly scheduled?: boolean
}

function isInUse({ kind, phase, pod, used = false, scheduled = true }: ProtectedIn): boolean {
  if (kind === 'PersistentVolume') return isVolumeInUse({ status: { phase } } as PersistentVolume)
  const users = new ClaimUsers()
  const volumes = [{ name: 'v', persistentVolumeClaim: { claimName: 'claim' } }]
  if (pod || used)
    users.add(
      podOf({ spec: { volumes, ...(scheduled && { nodeName: 'n' }) }, status: typeof pod === 'string' ? { phase: pod as 'Running' } : {} }),
    )
  return users.of({ metadata: { name: 'claim' } } as PersistentVolumeClaim) !== undefined
}

function protection(given: ProtectedIn): string {
  const { deleting = false, kind } = given
  const { finalizer } = kind === 'PersistentVolume' ? PROTECTED_VOLUMES : PROTECTED_CLAIMS
  if (!mayNeedChange(deleting, deleting)) return 'keep'
  if (!deleting) return `add ${finalizer}`
  return isInUse(given) ? 'keep' : 'remove'
}

/** Functions of the tables, or the reason why a table has none. */
export const TABLES: Readonly<Record<string, ((given: never) => unknown) | string>> = {
  'node-ttl'({ event, nodesBefore, step }: { event: 'add' | 'delete'; nodesBefore: number; step: number }) {
    const size = new ClusterSize(nodesBefore, step)
    if (event === 'add') size.added()
    else size.deleted()
    return size.seconds
  },
  protection,
}
