import { JSON_TYPE, type MediaOffer, negotiateOutput } from '../codec/accept-header.ts'
import { after } from '../lib/awaitable.ts'
import type { Status } from '../meta/status.ts'
import { formOf } from './forms/form-of.ts'
import type { Body } from './forms/response-form.ts'

interface StatusBody {
  readonly contentType: string
  /** Whether the client accepts none of the media types. */
  readonly isUnaccepted: boolean
  readonly bytes: Body
}

/**
 * Returns the encoder of Statuses, in the media type that the client accepts. If it accepts none, the Status is
 * indented JSON without a trailing newline, as Go's json.MarshalIndent writes it; a long one has the newline. A Status
 * that quotes much of a body is written in turns.
 */
export const statusEncoder =
  ({ types }: MediaOffer) =>
  (status: Status, accept: string | undefined): StatusBody | Promise<StatusBody> => {
    const accepted = negotiateOutput(accept, types)
    const isUnaccepted = accepted === undefined
    const form = formOf({ mediaType: accepted?.mediaType ?? JSON_TYPE, pretty: isUnaccepted })
    const head = { contentType: form.contentType, isUnaccepted }
    return after(form.status(status), bytes => ({ ...head, bytes: isUnaccepted && Buffer.isBuffer(bytes) ? bytes.subarray(0, -1) : bytes }))
  }
