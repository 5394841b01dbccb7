import { steadyClock } from '../../lib/clock.ts'
import { InvariantError } from '../../lib/invariant.ts'
import type { CallOptions, Connection } from './connection.ts'
import { decodeLeaseGrant, encodeNumber } from './messages.ts'

/** Keys that share a lease, and the part of its time to live that a key may stay longer for that. */
const keysPerLease = 1000
const reusePart = 0.05
/** Times to live with a lease of their own kept for reuse. */
const keptLeases = 64

interface SharedLease {
  readonly id: Promise<bigint>
  /** Until when (ms) a key may join: one that joins later would expire before its time. */
  readonly joinUntil: number
  keys: number
}

/** Leases for times to live, shared by keys that are written close together, so that a stream of events does not make a lease each. */
export interface Leases {
  /** A lease that lasts at least so long from now. */
  get(ttlSeconds: number, options: CallOptions): Promise<bigint>
  /** The lease turned out to be gone. */
  forget(ttlSeconds: number): void
}

/** A lease that could not be granted is forgotten: who asks next tries again. */
export function openLeases(connection: Connection, reuseSeconds: number): Leases {
  const shared = new Map<number, SharedLease>()
  return {
    async get(ttlSeconds, options) {
      const now = steadyClock.now()
      const known = shared.get(ttlSeconds)
      if (known && now <= known.joinUntil && known.keys < keysPerLease) {
        known.keys++
        return known.id
      }
      const reuse = Math.min(reuseSeconds, ttlSeconds * reusePart)
      const id = connection
        .call('/etcdserverpb.Lease/LeaseGrant', encodeNumber(Math.ceil(ttlSeconds + reuse)), { ...options, repeatable: true })
        .then(bytes => {
          const grant = decodeLeaseGrant(bytes)
          if (grant.id === 0n) throw new InvariantError('etcd granted a lease without an id')
          return grant.id
        })
      const lease = { id, joinUntil: now + reuse * 1000, keys: 1 }
      shared.delete(ttlSeconds)
      shared.set(ttlSeconds, lease)
      const [oldest] = shared.keys()
      if (oldest !== undefined && shared.size > keptLeases) shared.delete(oldest)
      id.catch(() => {
        if (shared.get(ttlSeconds) === lease) shared.delete(ttlSeconds)
      })
      return id
    },
    forget: ttlSeconds => {
      shared.delete(ttlSeconds)
    },
  }
}
