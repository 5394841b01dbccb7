import { JSON_TYPE, type MediaOffer, negotiateOutput } from '../codec/negotiate.ts'
import type { Status } from '../meta/status.ts'
import type { Body } from './forms/answer-form.ts'
import { formOf } from './forms/form-of.ts'

interface StatusBody {
  readonly contentType: string
  /** The client accepts none of the media types. */
  readonly isUnaccepted: boolean
  readonly bytes: Body
}

/** Writes a Status in the media type that the client accepts; in JSON where it accepts none that there is. One that quotes much of a body is written in turns. */
export const statusEncoder =
  ({ types }: MediaOffer) =>
  (status: Status, accept: string | undefined): StatusBody | Promise<StatusBody> => {
    const accepted = negotiateOutput(accept, types)
    const form = formOf({ mediaType: accepted?.mediaType ?? JSON_TYPE, pretty: false })
    const head = { contentType: form.contentType, isUnaccepted: accepted === undefined }
    const body = form.status(status)
    return body instanceof Promise ? body.then(bytes => ({ ...head, bytes })) : { ...head, bytes: body }
  }
