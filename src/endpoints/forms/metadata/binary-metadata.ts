import type { Transform } from '../../../codec/accept-header.ts'
import { after } from '../../../lib/awaitable.ts'
import { apiVersionOf } from '../../../meta/gvk.ts'
import { objectInTurns } from '../../../registry/ready-object.ts'
import { binaryFraming } from '../binary/binary-framing.ts'
import type { BinaryCodec } from '../binary/codec.ts'
import { listMeta, metaType } from '../meta-v1.ts'
import type { ResponseForm } from '../response-form.ts'
import { checkAsksList, checkAsksObject, noPlainMetadata } from './metadata-kind.ts'

/** Form of metadata only (PartialObjectMetadata) in a binary media type. */
export function binaryMetadata(codec: BinaryCodec, mediaType: string, as: Transform): ResponseForm {
  const apiVersion = apiVersionOf(as)
  return {
    contentType: mediaType,
    stored(scope, stored) {
      checkAsksObject(as, scope)
      return after(objectInTurns(stored), object => codec.partialBody(object, apiVersion))
    },
    object(scope, _schema, object) {
      checkAsksObject(as, scope)
      return codec.partialBody(object, apiVersion)
    },
    list(scope, result) {
      checkAsksList(as, scope)
      return codec.partialListBody(listMeta(result), result.items, apiVersion)
    },
    plainList() {
      throw noPlainMetadata()
    },
    status: status => codec.documentBody(metaType('meta.Status'), status),
    document: (schema, document) => codec.documentBody(schema, document),
    framing: ({ served, snapshot }) =>
      binaryFraming(codec, mediaType, {
        type: { kind: served.version.kind, apiVersion },
        listType: { kind: 'PartialObjectMetadataList', apiVersion },
        release: snapshot.release,
        id: `${mediaType};${as.kind};${apiVersion}`,
        // PartialObjectMetadataList cannot represent a single object. Upstream fails to encode it, and ends the stream.
        stored: stored => (as.kind === 'PartialObjectMetadataList' ? undefined : codec.partialBody(stored.object(), apiVersion)),
        object: object => codec.partialBody(object, apiVersion),
      }),
  }
}
