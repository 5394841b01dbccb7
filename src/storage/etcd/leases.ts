import { steadyClock } from '../../lib/clock.ts'
import { InvariantError } from '../../lib/invariant.ts'
import type { CallOptions, EtcdConnection } from './connection.ts'
import { decodeLeaseGrant, encodeNumber } from './messages.ts'

/** Limits of a shared lease: its number of keys, and the fraction of the time to live by which a key may outlive it. */
const KEYS_PER_LEASE = 1000
const REUSE_PART = 0.05
/** Number of times to live whose latest lease is kept for reuse. */
const KEPT_LEASES = 64

interface SharedLease {
  readonly id: Promise<bigint>
  /**
   * Time until which a key may join, in milliseconds on the steady clock. A key that joins later would expire too
   * early.
   */
  readonly joinUntil: number
  keys: number
}

/**
 * Leases by time to live. Keys that are written close together share one, so that a stream of events does not create a
 * lease for each.
 */
export interface Leases {
  /** Returns the id of a lease that lasts at least `ttlSeconds` from now. */
  get(ttlSeconds: number, options: CallOptions): Promise<bigint>
  /** Drops the present lease of a time to live, because etcd no longer has it. */
  forget(ttlSeconds: number): void
}

/**
 * Creates the leases of a connection. A lease that could not be granted is not cached, so the next call tries again.
 */
export function openLeases(connection: EtcdConnection, reuseSeconds: number): Leases {
  const shared = new Map<number, SharedLease>()
  return {
    async get(ttlSeconds, options) {
      const now = steadyClock.now()
      const known = shared.get(ttlSeconds)
      if (known && now <= known.joinUntil && known.keys < KEYS_PER_LEASE) {
        known.keys++
        return known.id
      }
      const reuse = Math.min(reuseSeconds, ttlSeconds * REUSE_PART)
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
      if (oldest !== undefined && shared.size > KEPT_LEASES) shared.delete(oldest)
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
