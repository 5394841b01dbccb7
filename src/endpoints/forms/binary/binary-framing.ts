import type { KubeObject } from '../../../api/meta/object.ts'
import type { TypeMeta } from '../../../codec/protobuf.ts'
import type { Release } from '../../../lifecycle/release.ts'
import { uncreated } from '../../../lifecycle/uncreated.ts'
import type { StoredObject } from '../../../storage/storage.ts'
import type { Framing } from '../framing.ts'
import { initialEndAnnotations, metaType } from '../meta-v1.ts'
import type { BinaryCodec } from './codec.ts'

/** View of objects in frames. */
interface FramedView {
  /** Type of bookmarks. */
  readonly type: TypeMeta
  /** Type of the empty list that shows a client the form of lists (the blueprint). */
  readonly listType: TypeMeta
  /** Optional. Whether objects are shown whole and are custom resources. */
  readonly isUnstructured?: boolean
  /** Release of bookmarks. */
  readonly release: Release | undefined
  /** Watches with the same id share frames. */
  readonly id: string
  /** Encodes a stored object. Undefined if the view cannot represent it. */
  stored(stored: StoredObject): Buffer | undefined
  object(object: KubeObject): Buffer
}

/** Returns the framing of a watch: length-delimited WatchEvents in protobuf, a sequence of items in CBOR. */
export const binaryFraming = (codec: BinaryCodec, mediaType: string, view: FramedView): Framing => ({
  contentType: codec.streamType(mediaType),
  messages: { text: false, leadBytes: codec.leadBytes },
  id: view.id,
  object(type, object) {
    const body = view.stored(object)
    return body && codec.frame(type, body)
  },
  bookmark(resourceVersion, initialEnd) {
    const annotations = initialEnd
      ? { annotations: initialEndAnnotations(view.release, () => codec.blueprint(view.listType, view.isUnstructured === true)) }
      : {}
    return codec.frame('BOOKMARK', view.object({ ...view.type, metadata: { resourceVersion, ...uncreated(view.release), ...annotations } }))
  },
  error: error => codec.frame('ERROR', codec.documentBody(metaType('meta.Status'), error.status)),
})
