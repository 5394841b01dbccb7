import { listKindOf } from '../../../catalog/catalog.ts'
import { runAtOnce, runInTurns } from '../../../lib/steps.ts'
import { binaryFraming } from '../binary/binary-framing.ts'
import type { BinaryCodec } from '../binary/codec.ts'
import { metaType, typeMetaOf, wholeListMeta } from '../meta-v1.ts'
import type { ResponseForm } from '../response-form.ts'

/** Form of whole objects in a binary media type. */
export const binaryObjects = (codec: BinaryCodec, mediaType: string): ResponseForm => ({
  contentType: mediaType,
  stored: ({ served }, stored) => codec.storedInTurns(served.version, stored) ?? codec.storedBody(served.version, stored),
  object: (_scope, schema, object) => runInTurns(codec.objectBody(schema, object)),
  list: ({ served }, result) => codec.listBody(served.version, wholeListMeta(served.version, result), result.items),
  plainList: ({ served }, items) => codec.plainListBody(served.version, items),
  status: status => codec.documentBody(metaType('meta.Status'), status),
  document: (schema, document) => codec.documentBody(schema, document),
  framing({ served: { version }, snapshot }) {
    const type = typeMetaOf(version)
    return binaryFraming(codec, mediaType, {
      type,
      listType: { ...type, kind: listKindOf(version) },
      isUnstructured: version.schema.form.name === 'unstructured',
      release: snapshot.release,
      id: `${mediaType};;${type.apiVersion}`,
      stored: stored => codec.storedBody(version, stored),
      object: object => runAtOnce(codec.objectBody(version.schema, object)),
    })
  },
})
