import type { TypeMeta } from '../../../codec/protobuf.ts'
import type { Uncreated } from '../../../lifecycle/uncreated.ts'
import type { KubeObject } from '../../../meta/object.ts'
import type { StoredObject } from '../../../storage/storage.ts'
import type { Framing } from '../framing.ts'
import { initialEndAnnotations, metaType } from '../meta-v1.ts'
import type { BinaryCodec } from './codec.ts'

/** What of an object stands in a frame. */
interface FramedView {
  /** Of bookmarks. */
  readonly type: TypeMeta
  /** Of the empty list that shows a client the form of lists. */
  readonly listType: TypeMeta
  /** What the metadata of a bookmark has besides. */
  readonly uncreated: Uncreated
  /** Frames are shared between watches with the same id. */
  readonly id: string
  /** Undefined: it can't be shown. */
  stored(stored: StoredObject): Buffer | undefined
  object(object: KubeObject): Buffer
}

/** Length-delimited frames of WatchEvent in protobuf, a sequence of items in CBOR. */
export const binaryFraming = (codec: BinaryCodec, mediaType: string, view: FramedView): Framing => ({
  contentType: codec.streamType(mediaType),
  messages: { text: false, leadBytes: codec.leadBytes },
  id: view.id,
  object(type, object) {
    const body = view.stored(object)
    return body && codec.frame(type, body)
  },
  bookmark(resourceVersion, initialEnd) {
    const annotations = initialEnd ? { annotations: initialEndAnnotations(codec.blueprint(view.listType)) } : {}
    return codec.frame('BOOKMARK', view.object({ ...view.type, metadata: { resourceVersion, ...view.uncreated, ...annotations } }))
  },
  error: error => codec.frame('ERROR', codec.documentBody(metaType('meta.Status'), error.status)),
})
