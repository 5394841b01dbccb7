import type { ListMeta } from '../meta/object.ts'
import type { ListResult } from '../registry/read.ts'
import type { StoredObject } from '../storage/storage.ts'
import { listMetaText } from './meta-json.ts'

/** Bytes of one segment: large enough for few writes, small enough to be made well within a millisecond. */
const SEGMENT = 256 * 1024

export function listMeta(result: ListResult): ListMeta {
  return {
    resourceVersion: result.resourceVersion,
    ...(result.continue !== '' && { continue: result.continue }),
    ...(result.remainingItemCount !== undefined && { remainingItemCount: result.remainingItemCount }),
  }
}

/** A list as JSON: the items' ready bytes, copied together without being read. Items of a built-in list carry no kind and apiVersion. */
export function listBody(kind: string, apiVersion: string, meta: ListMeta, items: readonly StoredObject[], withTypes: boolean): Buffer[] {
  const out: Buffer[] = []
  let segment = Buffer.allocUnsafeSlow(SEGMENT)
  let at = segment.write(`{"kind":"${kind}","apiVersion":"${apiVersion}","metadata":${listMetaText(meta)},"items":[`)
  for (let i = 0; i < items.length; i++) {
    const { bytes, header } = (items[i] as StoredObject).json()
    const size = bytes.length - (withTypes ? 0 : header) + 2
    if (at + size > segment.length) {
      out.push(segment.subarray(0, at))
      segment = Buffer.allocUnsafeSlow(Math.max(SEGMENT, size + 16))
      at = 0
    }
    if (i > 0) segment[at++] = 0x2c
    if (withTypes) at += bytes.copy(segment, at)
    else {
      segment[at++] = 0x7b
      at += bytes.copy(segment, at, header)
    }
  }
  if (at + 3 > segment.length) {
    out.push(segment.subarray(0, at))
    segment = Buffer.allocUnsafeSlow(16)
    at = 0
  }
  at += segment.write(']}\n', at)
  out.push(segment.subarray(0, at))
  return out
}
