import type { Node, NodeCondition } from '../../../api/core/v1.types.ts'
import { timeMillis } from '../../../meta/time.ts'

/** Time without a sign of life after which a node is lost, in milliseconds. Until 1.31: the first one. */
const [OLD_GRACE_MS, GRACE_MS] = [40_000, 50_000]
/** Time that a new node has to report its first status, in milliseconds. */
export const STARTUP_GRACE_MS = 60_000

/** State of the kubelet of a node, as far as the controller has seen it. Times are in milliseconds since the epoch. */
export interface NodeHealth {
  /** Time of the last sign of life: a heartbeat in the status, or a renewal of the lease. */
  readonly seen: number
  /** Last heartbeat of the condition Ready. Undefined if the node has no such condition. */
  readonly heartbeat: string | null | undefined
  /** Renewal time of the lease. Undefined if there is none. */
  readonly renewed: string | null | undefined
}

export const graceOf = (isOldGrace: boolean): number => (isOldGrace ? OLD_GRACE_MS : GRACE_MS)

export const readyCondition = ({ status }: Pick<Node, 'status'>): NodeCondition | undefined =>
  status.conditions?.find(({ type }) => type === 'Ready')

/**
 * Returns the health of a node after a look at its status and its lease. A changed heartbeat, and a lease that was
 * renewed since, are signs of life. A node without the condition Ready lives from its creation on, if it is seen for
 * the first time.
 */
export function nextHealth(
  known: NodeHealth | undefined,
  node: Pick<Node, 'metadata' | 'status'>,
  renewed: string | null | undefined,
  now: number,
): NodeHealth {
  const ready = readyCondition(node)
  const heartbeat = ready?.lastHeartbeatTime
  const isRenewed = isLater(renewed, known?.renewed)
  if (known === undefined) {
    const seen = ready || isRenewed ? now : (timeMillis(node.metadata.creationTimestamp) ?? now)
    return { seen, heartbeat: ready && (heartbeat ?? null), renewed }
  }
  const isReported = known.heartbeat !== (ready && (heartbeat ?? null))
  return {
    seen: isReported || isRenewed ? now : known.seen,
    heartbeat: ready && (heartbeat ?? null),
    renewed: isRenewed ? renewed : known.renewed,
  }
}

/**
 * Time in milliseconds after which a node is lost, unless it gives a sign of life. @param grace that of nodes which
 * have reported their status
 */
export const deadlineOf = ({ seen, heartbeat }: NodeHealth, grace: number): number =>
  seen + (heartbeat === undefined ? STARTUP_GRACE_MS : grace)

const isLater = (next: string | null | undefined, old: string | null | undefined): boolean =>
  next !== undefined && next !== null && (old === undefined || old === null || next > old)
