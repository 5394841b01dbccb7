import { formatOf } from '../codec/negotiate.ts'
import type { BinaryForm } from './binary-form.ts'
import { cborForm } from './cbor-output.ts'
import { protobufForm } from './protobuf-output.ts'

/** What writes a media type; undefined where it is a text. */
export function binaryOf(mediaType: string): BinaryForm | undefined {
  switch (formatOf(mediaType)) {
    case 'protobuf':
      return protobufForm
    case 'cbor':
      return cborForm
    default:
      return undefined
  }
}
