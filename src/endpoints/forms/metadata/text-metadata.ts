import type { KubeObject } from '../../../api/meta/object.ts'
import type { Transform } from '../../../codec/accept-header.ts'
import { goJsonInSteps } from '../../../codec/json-in-steps.ts'
import { type Awaitable, after } from '../../../lib/awaitable.ts'
import { startInTurns } from '../../../lib/steps.ts'
import type { Release } from '../../../lifecycle/release.ts'
import { uncreated } from '../../../lifecycle/uncreated.ts'
import { apiVersionOf } from '../../../meta/gvk.ts'
import { objectInTurns } from '../../../registry/ready-object.ts'
import { LARGE_BYTES, metadataOf } from '../../../storage/parse-own.ts'
import type { Framing } from '../framing.ts'
import { initialEndAnnotations, listMeta, metaType } from '../meta-v1.ts'
import type { TextView } from '../text/text-form.ts'
import { TEXT_FRAMES, textBlueprint, textFrame } from '../text/text-frames.ts'
import { checkAsksList, checkAsksObject, noPlainMetadata } from './metadata-kind.ts'
import { metadataStart, metadataText, renderMetadataList } from './render-metadata.ts'

const END = Buffer.from('}\n')

/** View of metadata only (PartialObjectMetadata). */
export function textMetadata(as: Transform): TextView {
  const apiVersion = apiVersionOf(as)
  const textOf = (object: KubeObject): Buffer[] => [Buffer.from(`${metadataText(object, apiVersion)}\n`)]
  const longTextOf = ({ metadata }: KubeObject): Awaitable<Buffer[]> =>
    after(startInTurns(goJsonInSteps(metadata, metaType('meta.ObjectMeta'))), parts =>
      [metadataStart(apiVersion), ...parts, '}\n'].map(part => Buffer.from(part)),
    )
  return {
    stored(scope, stored) {
      checkAsksObject(as, scope)
      const json = stored.json()
      if (json.header <= 1) return after(objectInTurns(stored), json.bytes.length < LARGE_BYTES ? textOf : longTextOf)
      const { from, to } = metadataOf(json)
      return [Buffer.from(metadataStart(apiVersion)), json.bytes.subarray(from, to), END]
    },
    object(scope, _schema, object) {
      checkAsksObject(as, scope)
      return textOf(object)
    },
    list(scope, result) {
      checkAsksList(as, scope)
      return renderMetadataList(listMeta(result), result.items, apiVersion)
    },
    plainList() {
      throw noPlainMetadata()
    },
    framing: ({ snapshot }) => metadataFraming(as, apiVersion, snapshot.release),
  }
}

const metadataFraming = ({ kind }: Transform, apiVersion: string, release: Release | undefined): Framing => ({
  ...TEXT_FRAMES,
  id: `partial;${kind};${apiVersion}`,
  // PartialObjectMetadataList cannot represent a single object. Upstream fails to encode it, and ends the stream.
  object: (type, object) => (kind === 'PartialObjectMetadataList' ? undefined : textFrame(type, metadataText(object.object(), apiVersion))),
  bookmark(resourceVersion, initialEnd) {
    const annotations = initialEnd
      ? { annotations: initialEndAnnotations(release, () => textBlueprint('PartialObjectMetadata', apiVersion)) }
      : {}
    return textFrame(
      'BOOKMARK',
      metadataText({ kind: '', apiVersion: '', metadata: { resourceVersion, ...uncreated(release), ...annotations } }, apiVersion),
    )
  },
})
