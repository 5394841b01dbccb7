import { formatOf, type Transform } from '../../codec/accept-header.ts'
import { cborCodec } from './binary/cbor.ts'
import type { BinaryCodec } from './binary/codec.ts'
import { protobufCodec } from './binary/protobuf.ts'
import { binaryMetadata } from './metadata/binary-metadata.ts'
import { textMetadata } from './metadata/text-metadata.ts'
import type { ResponseForm } from './response-form.ts'
import { textTable } from './table/text-table.ts'
import { compact, indented, yaml } from './text/styles.ts'
import { type TextView, textForm } from './text/text-form.ts'
import { binaryObjects } from './whole/binary-objects.ts'
import { textObjects } from './whole/text-objects.ts'

/** Result of negotiation. */
export interface Output {
  readonly mediaType: string
  readonly pretty: boolean
  /** A kind that replaces the resource's own: a Table, or metadata only. */
  readonly as?: Transform
}

/** Whole objects in compact JSON, which most clients request. */
export const PLAIN_FORM: ResponseForm = textForm(textObjects, compact)

/** Returns the form of a negotiated media type and view. */
export function formOf({ mediaType, pretty, as }: Output): ResponseForm {
  switch (formatOf(mediaType)) {
    case 'json':
      return textForm(textViewOf(as), pretty ? indented : compact)
    case 'yaml':
      return textForm(textViewOf(as), yaml)
    case 'protobuf':
      return binaryForm(protobufCodec, mediaType, as)
    case 'cbor':
      return binaryForm(cborCodec, mediaType, as)
  }
}

/** Returns the view. Negotiation accepts no other transforms than these two. */
function textViewOf(as: Transform | undefined): TextView {
  if (as === undefined) return textObjects
  return as.kind === 'Table' ? textTable(as) : textMetadata(as)
}

/** Returns a binary form. Negotiation does not accept Tables in binary. */
const binaryForm = (codec: BinaryCodec, mediaType: string, as: Transform | undefined): ResponseForm =>
  as === undefined ? binaryObjects(codec, mediaType) : binaryMetadata(codec, mediaType, as)
