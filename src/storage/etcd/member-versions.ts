import { setTimeout as sleep } from 'node:timers/promises'
import { callFailureOf, Status } from '../../protocols/grpc/call-failure.ts'
import type { UnaryOptions } from '../../protocols/grpc/unary-connection.ts'
import { BackendError } from '../backend.ts'
import { decodeStatus } from './messages.ts'

/** The least patch of each minor release whose progress can be trusted. */
const LEAST_PATCH: ReadonlyMap<number, number> = new Map([
  [4, 31],
  [5, 13],
])
/** Failures of calls that the member has not answered. */
const UNANSWERED: ReadonlySet<number> = new Set([Status.UNAVAILABLE, Status.CANCELLED, Status.DEADLINE_EXCEEDED])
/** Once a member has answered, the others may take so much longer. */
const OTHERS_MS = 200
const PAUSE_MS = 10

/**
 * Reports whether the progress of a member's watches can be trusted, by its version: since 3.4.31, 3.5.13 and 3.6. Before, a member could report a revision whose events it had yet to send. Unknown versions are not
 * trusted. Source: k8s.io/apiserver, pkg/storage/feature/feature_support_checker.go; https://github.com/etcd-io/etcd/issues/15220 and 17507
 */
export function isProgressTrusted(version: string): boolean {
  const [, major, minor, patch, rest] = /^v?(\d+)\.(\d+)\.(\d+)(-?)/.exec(version) ?? []
  if (major === undefined || Number(major) !== 3) return Number(major) > 3
  if (Number(minor) > 5) return true
  const least = LEAST_PATCH.get(Number(minor)) ?? Number.POSITIVE_INFINITY
  return Number(patch) > least || (Number(patch) === least && rest === '')
}

/** Sends a StatusRequest to one member and returns the bytes of the response. Rejects with a CallFailure. */
export type StatusOf = (address: string, options: UnaryOptions) => Promise<Buffer>

/** The members of a cluster, each of which may have a version of its own. */
export class MemberVersions {
  readonly #addresses: readonly string[]
  readonly #statusOf: StatusOf

  /** `addresses`: as gRPC names servers. */
  constructor(addresses: readonly string[], statusOf: StatusOf) {
    this.#addresses = addresses
    this.#statusOf = statusOf
  }

  /** Reports whether the progress of every member that answers can be trusted. Throws BackendError `unavailable` if none answers. */
  async areTrusted({ signal, deadline }: UnaryOptions): Promise<boolean> {
    const over = new AbortController()
    const options = { signal: AbortSignal.any([signal, over.signal]), deadline }
    const found: boolean[] = []
    const asked = this.#addresses.map(async address => void found.push(await this.isTrusted(address, options)))
    const all = Promise.allSettled(asked)
    try {
      await Promise.any(asked)
      await Promise.race([all, sleep(OTHERS_MS, undefined, { signal: options.signal }).catch(() => {})])
      return found.every(trusted => trusted)
    } catch {
      throw new BackendError(signal.aborted ? 'aborted' : 'unavailable', 'no member of etcd tells its version')
    } finally {
      over.abort()
    }
  }

  /** The same of one member. Throws BackendError `unavailable` if it does not answer by the deadline. */
  async isTrusted(address: string, options: UnaryOptions): Promise<boolean> {
    for (; Date.now() < options.deadline && !options.signal.aborted; await sleep(PAUSE_MS)) {
      try {
        return isProgressTrusted(decodeStatus(await this.#statusOf(address, options)).version)
      } catch (error) {
        // A member that answers without its version is of none that is known.
        const { code } = callFailureOf(error)
        if (error instanceof RangeError || (code !== undefined && !UNANSWERED.has(code))) return false
      }
    }
    throw new BackendError('unavailable', `${address} does not tell its version`)
  }
}
