import { Readable } from 'node:stream'
import { forbidden } from '../../auth/authz/forbidden.ts'
import type { Authorizer } from '../../meta/authorizer.ts'
import { resourceAttributes } from '../../meta/request-attributes.ts'
import { tooManyRequestsError } from '../../meta/status.ts'
import type { Backend } from '../../storage/backend.ts'
import type { Exchange } from '../exchange.ts'

/** Concurrent snapshots. While one is sent, its revision is not compacted. */
const MOST_AT_ONCE = 2

/**
 * Attributes that are authorized. A snapshot contains everything, Secrets included, so it requires permission to read
 * everything.
 */
const EVERYTHING = resourceAttributes({ verb: 'get', group: '*', version: '*', resource: '*', path: '/binnacle/v1/snapshot' })

/**
 * `GET /binnacle/v1/snapshot`: the whole store at its current revision, in the format of
 * `storage/embedded/snapshot-format.ts`, at the client's pace. Throws 403, and 429 if too many snapshots are in
 * progress.
 */
export class SnapshotSender {
  #sending = 0
  readonly #authorizer: Authorizer
  readonly #snapshot: NonNullable<Backend['snapshot']>

  constructor(authorizer: Authorizer, snapshot: NonNullable<Backend['snapshot']>) {
    this.#authorizer = authorizer
    this.#snapshot = snapshot
  }

  async send(exchange: Exchange): Promise<void> {
    const { user, signal } = exchange.ctx
    const { decision, reason } = await this.#authorizer.authorize(user, EVERYTHING, signal)
    if (decision !== 'allow') throw forbidden(user, EVERYTHING, reason)
    if (this.#sending >= MOST_AT_ONCE) throw tooManyRequestsError('too many snapshots are in progress', 5)
    this.#sending++
    try {
      await exchange.relay(200, ['Content-Type', 'application/octet-stream'], Readable.from(this.#snapshot(signal), { objectMode: false }))
    } finally {
      this.#sending--
    }
  }
}
