import { JSON_TYPE, type MediaOffer, negotiateOutput } from '../codec/negotiate.ts'
import type { Status } from '../meta/status.ts'
import type { Body } from './forms/answer-form.ts'
import { formOf } from './forms/form-of.ts'

interface StatusBody {
  readonly contentType: string
  readonly bytes: Body
}

/** Writes a Status in the media type that the client accepts; in JSON where it accepts none that there is. One that quotes much of a body is written in turns. */
export const statusEncoder =
  ({ types }: MediaOffer) =>
  (status: Status, accept: string | undefined): StatusBody | Promise<StatusBody> => {
    const form = formOf({ mediaType: negotiateOutput(accept, types)?.mediaType ?? JSON_TYPE, pretty: false })
    const { contentType } = form
    const body = form.status(status)
    return body instanceof Promise ? body.then(bytes => ({ contentType, bytes })) : { contentType, bytes: body }
  }
