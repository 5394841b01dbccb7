import type { FilledBody } from '../../lib/filled-body.ts'
import { goJsonText } from '../../lib/go-json-text.ts'
import type { Status } from '../../meta/status.ts'

/** An encoded Status with its media type. */
export interface StatusBody<Bytes = Buffer | readonly Buffer[] | FilledBody> {
  readonly contentType: string
  /** Set if the client accepts none of the media types. As upstream, the audit event then has the code only. */
  readonly isUnaccepted?: boolean
  readonly bytes: Bytes
}

/** Encodes a Status in the media type that the client accepts. Returns a promise if the Status is long. */
export type StatusEncoder = (status: Status, accept: string | undefined) => StatusBody | Promise<StatusBody>

/**
 * Encodes a Status as JSON regardless of the Accept header, for failures before the request is parsed. Escaped as Go
 * does, with a trailing newline.
 */
export const encodeStatusAsJson = (status: Status): StatusBody<Buffer> => ({
  contentType: 'application/json',
  bytes: Buffer.from(`${goJsonText(status)}\n`),
})

/**
 * Returns the status code of a response for the code of a Status. Webhooks and backends may return codes that HTTP does
 * not allow; those become 500.
 */
export const finalCode = (code: number): number => (code >= 200 && code <= 999 ? code : 500)
