import type { KubeObject, ListMeta } from '../../../api/meta/object.ts'
import type { FilledBody } from '../../../lib/filled-body.ts'
import { eachInSlices } from '../../../lib/slices.ts'
import { metadataOf } from '../../../storage/parse-own.ts'
import { listMetaText, objectMetaText } from '../meta-v1.ts'
import { type RowSource, SplicedBody } from '../spliced-body.ts'

/** Returns the JSON of a PartialObjectMetadata before its metadata. */
export const metadataStart = (apiVersion: string): string => `{"kind":"PartialObjectMetadata","apiVersion":"${apiVersion}","metadata":`

/** Returns the PartialObjectMetadata of an object in JSON. */
export const metadataText = (object: KubeObject, apiVersion: string): string =>
  `${metadataStart(apiVersion)}${objectMetaText(object.metadata)}}`

/** Returns the PartialObjectMetadataList of objects. The result opens the body, any number of times. */
export async function renderMetadataList(meta: ListMeta, objects: readonly RowSource[], apiVersion: string): Promise<() => FilledBody> {
  const body = new SplicedBody()
  let before = `{"kind":"PartialObjectMetadataList","apiVersion":"${apiVersion}","metadata":${listMetaText(meta)},"items":[`
  await eachInSlices(objects, item => {
    const ready = item.json?.()
    if (item.json === undefined || ready === undefined || ready.header <= 1) {
      body.add(before + metadataText(item.object(), apiVersion))
      before = ','
    } else {
      const { from, to } = metadataOf(ready)
      body.add(before + metadataStart(apiVersion), item, from, to)
      before = '},'
    }
  })
  // An empty list is a nil slice in Go.
  body.add(objects.length > 0 ? `${before.slice(0, -1)}]}\n` : `${before.slice(0, -1)}null}\n`)
  return () => body.open()
}
