import { structPieces } from '../codec/json-writer.ts'
import { JSON_TYPE, type MediaOffer, negotiateOutput, YAML_TYPE } from '../codec/negotiate.ts'
import { yamlBytes } from '../codec/yaml.ts'
import { runInTurns, type Steps } from '../lib/steps.ts'
import { isLongText } from '../lib/text-chunks.ts'
import type { Json, JsonObject } from '../meta/object.ts'
import type { Status } from '../meta/status.ts'
import { binaryOf } from './binary-output.ts'
import { statusText } from './meta-json.ts'
import { metaType } from './meta-type.ts'

interface StatusBody {
  readonly contentType: string
  readonly bytes: Buffer | readonly Buffer[]
}

/** Writes a Status in the media type that the client accepts; in JSON where it accepts none that there is. One that quotes much of a body is written in turns. */
export const statusEncoder =
  ({ types }: MediaOffer) =>
  (status: Status, accept: string | undefined): StatusBody | Promise<StatusBody> => {
    const type = negotiateOutput(accept, types)?.mediaType ?? JSON_TYPE
    const binary = binaryOf(type)
    if (binary) return { contentType: type, bytes: binary.statusBody(status) }
    if (type === YAML_TYPE) return { contentType: type, bytes: yamlBytes(status as unknown as Json) }
    if (isLongText(status.message ?? '')) return runInTurns(longStatus(status)).then(bytes => ({ contentType: JSON_TYPE, bytes }))
    return {
      contentType: JSON_TYPE,
      bytes: Buffer.from(`${statusText(status)}
`),
    }
  }

/** Characters that become bytes at once. */
const PIECE = 64 * 1024

function* longStatus(status: Status): Steps<Buffer[]> {
  const buffers: Buffer[] = []
  let text = ''
  for (const piece of structPieces(metaType('meta.Status'), status as unknown as JsonObject)) {
    text += piece
    if (text.length < PIECE) continue
    buffers.push(Buffer.from(text))
    text = ''
    yield
  }
  buffers.push(Buffer.from(`${text}\n`))
  return buffers
}
