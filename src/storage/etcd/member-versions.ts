import { setTimeout as sleep } from 'node:timers/promises'
import { ProtobufError } from '../../lib/protobuf-error.ts'
import { callFailureOf, Status } from '../../protocols/grpc/call-failure.ts'
import type { UnaryOptions } from '../../protocols/grpc/unary-connection.ts'
import { BackendError } from '../backend.ts'
import { decodeStatus } from './messages.ts'

/** First trusted patch of each minor release. */
const LEAST_PATCH: ReadonlyMap<number, number> = new Map([
  [4, 31],
  [5, 13],
])
/** Failures of calls to which the member did not respond. */
const UNANSWERED: ReadonlySet<number> = new Set([Status.UNAVAILABLE, Status.CANCELLED, Status.DEADLINE_EXCEEDED])
/** After the first member has responded, the others have this many milliseconds. */
const OTHERS_MS = 200
const PAUSE_MS = 10

/**
 * Reports whether a version's progress notifications can be trusted: since 3.4.31, 3.5.13 and 3.6. An earlier member
 * may report a revision whose events it has yet to send. Unknown versions are not trusted. Source: k8s.io/apiserver,
 * pkg/storage/feature/feature_support_checker.go; https://github.com/etcd-io/etcd/issues/15220 and 17507
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

/** Versions of a cluster's members, which may differ. */
export class MemberVersions {
  readonly #addresses: readonly string[]
  readonly #statusOf: StatusOf

  /** `addresses` are in gRPC's notation. */
  constructor(addresses: readonly string[], statusOf: StatusOf) {
    this.#addresses = addresses
    this.#statusOf = statusOf
  }

  /**
   * Reports whether the progress of every member that responds can be trusted. Throws BackendError `unavailable` if
   * none responds.
   */
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
      throw new BackendError(signal.aborted ? 'aborted' : 'unavailable', 'no member of etcd reports its version')
    } finally {
      over.abort()
    }
  }

  /**
   * Reports whether one member's progress can be trusted. Throws BackendError `unavailable` if it does not respond by
   * the deadline.
   */
  async isTrusted(address: string, options: UnaryOptions): Promise<boolean> {
    for (; Date.now() < options.deadline && !options.signal.aborted; await sleep(PAUSE_MS)) {
      try {
        return isProgressTrusted(decodeStatus(await this.#statusOf(address, options)).version)
      } catch (error) {
        // A response without a version is that of an unknown implementation.
        const { code } = callFailureOf(error)
        if (error instanceof ProtobufError || error instanceof RangeError || (code !== undefined && !UNANSWERED.has(code))) return false
      }
    }
    throw new BackendError('unavailable', `${address} does not report its version`)
  }
}
