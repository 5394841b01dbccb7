import { builtinMediaTypes, JSON_TYPE, negotiateOutput, PROTOBUF_TYPE, YAML_TYPE } from '../codec/negotiate.ts'
import { yamlBytes } from '../codec/yaml.ts'
import type { Json } from '../meta/object.ts'
import type { Status } from '../meta/status.ts'
import { statusText } from './meta-json.ts'
import { statusBody } from './protobuf-output.ts'

/** A Status in the media type that the client accepts; JSON where it accepts none that there is. */
export function encodeStatus(status: Status, accept: string | undefined): { readonly contentType: string; readonly bytes: Buffer } {
  const type = negotiateOutput(accept, builtinMediaTypes)?.mediaType ?? JSON_TYPE
  if (type === PROTOBUF_TYPE) return { contentType: type, bytes: statusBody(status) }
  if (type === YAML_TYPE) return { contentType: type, bytes: yamlBytes(status as unknown as Json) }
  return { contentType: JSON_TYPE, bytes: Buffer.from(`${statusText(status)}\n`) }
}
