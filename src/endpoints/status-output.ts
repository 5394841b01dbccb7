import { JSON_TYPE, type MediaOffer, negotiateOutput, YAML_TYPE } from '../codec/negotiate.ts'
import { yamlBytes } from '../codec/yaml.ts'
import type { Json } from '../meta/object.ts'
import type { Status } from '../meta/status.ts'
import { binaryOf } from './binary-output.ts'
import { statusText } from './meta-json.ts'

/** Writes a Status in the media type that the client accepts; in JSON where it accepts none that there is. */
export const statusEncoder =
  ({ types }: MediaOffer) =>
  (status: Status, accept: string | undefined): { readonly contentType: string; readonly bytes: Buffer } => {
    const type = negotiateOutput(accept, types)?.mediaType ?? JSON_TYPE
    const binary = binaryOf(type)
    if (binary) return { contentType: type, bytes: binary.statusBody(status) }
    if (type === YAML_TYPE) return { contentType: type, bytes: yamlBytes(status as unknown as Json) }
    return {
      contentType: JSON_TYPE,
      bytes: Buffer.from(`${statusText(status)}
`),
    }
  }
