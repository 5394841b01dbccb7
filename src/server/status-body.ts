import type { FilledBody } from '../lib/filled-body.ts'
import { goJsonText } from '../lib/go-json-text.ts'
import type { Status } from '../meta/status.ts'

export interface StatusBody<Bytes = Buffer | readonly Buffer[] | FilledBody> {
  readonly contentType: string
  /** The client accepts none of the media types: as upstream, audits are told the code alone. */
  readonly isUnaccepted?: boolean
  readonly bytes: Bytes
}

/** A Status as bytes of an answer, in the media type that the client accepts. A promise where it is long. */
export type StatusEncoder = (status: Status, accept: string | undefined) => StatusBody | Promise<StatusBody>

/** JSON whatever is accepted: for failures before anything is known of the request. Escaped as Go does, with a newline at the end. */
export const encodeStatusAsJson = (status: Status): StatusBody<Buffer> => ({
  contentType: 'application/json',
  bytes: Buffer.from(`${goJsonText(status)}\n`),
})

/** The status code of a response with a Status of this code. Webhooks and backends may choose codes that no response can have: these are 500. */
export const finalCode = (code: number): number => (code >= 200 && code <= 999 ? code : 500)
