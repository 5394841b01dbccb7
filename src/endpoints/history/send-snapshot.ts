import { Readable } from 'node:stream'
import { forbidden } from '../../auth/authz/forbidden.ts'
import type { Authorizer } from '../../meta/authorizer.ts'
import { resourceAttributes } from '../../meta/request-attributes.ts'
import { tooManyRequestsError } from '../../meta/status.ts'
import type { Backend } from '../../storage/backend.ts'
import type { Exchange } from '../exchange.ts'

/** Snapshots that are sent at a time: what is compacted meanwhile stays. */
const MOST_AT_ONCE = 2

/** A snapshot has all Secrets, and those of every namespace: for those who may read everything. */
const EVERYTHING = resourceAttributes({ verb: 'get', group: '*', version: '*', resource: '*', path: '/binnacle/v1/snapshot' })

/** `GET /binnacle/v1/snapshot`: all that is stored at this revision, in the format of `storage/embedded/snapshot-format.ts`, at the client's pace. Throws 403, and 429 where others get one. */
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
    if (this.#sending >= MOST_AT_ONCE) throw tooManyRequestsError('snapshots are being saved already', 5)
    this.#sending++
    try {
      await exchange.relay(200, ['Content-Type', 'application/octet-stream'], Readable.from(this.#snapshot(signal), { objectMode: false }))
    } finally {
      this.#sending--
    }
  }
}
