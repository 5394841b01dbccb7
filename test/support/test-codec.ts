import type { Json } from '../../src/api/meta/object.ts'
import { labelValue } from '../../src/meta/label-matcher.ts'
import { createCodec } from '../../src/storage/resource-codec.ts'
import type { Key, Revision } from '../../src/storage/revision.ts'
import { key } from '../../src/storage/revision.ts'
import type { Attributes, Predicate, StorageChange, StorageEvent, Watcher, WriteDecision } from '../../src/storage/storage.ts'
import type { Transformer } from '../../src/storage/value/transformer.ts'
import type { AnyObject } from './any-object.ts'
import { batchesOf } from './batches.ts'

/** A kind with nothing to it: keys /registry/configmaps/<namespace>/<name>. */
export const testPrefix = key('/registry/configmaps/')
export const testKey = (name: string, namespace = 'default'): Key => key(`${testPrefix}${namespace}/${name}`)

export const attributesOf = ({ metadata }: AnyObject): Attributes => ({
  namespace: metadata.namespace ?? '',
  name: metadata.name ?? '',
  uid: metadata.uid ?? '',
  labels: metadata.labels ?? {},
  fields: { 'metadata.name': metadata.name ?? '', 'metadata.namespace': metadata.namespace ?? '' },
})

/** As `testCodec`, with what is done to values on their way to the store. */
export const codecThrough = (transformer: Transformer) => createCodec({ ...options, transformer })

const options = {
  kind: 'ConfigMap',
  apiVersion: 'v1',
  fingerprint: 'test',
  encode: (object: AnyObject) =>
    Buffer.from(
      JSON.stringify({ kind: 'ConfigMap', apiVersion: 'v1', metadata: object.metadata, ...(object.data && { data: object.data }) }),
    ),
  decode: (value: Json) => value as unknown as AnyObject,
  attributes: attributesOf,
}

export const testCodec = createCodec(options)

/** As `testCodec`, indexed by data.node. */
export const indexedCodec = createCodec({ ...options, indexedPath: ['data', 'node'] })

export function testObject(
  name: string,
  data: Record<string, string> = {},
  labels?: Record<string, string>,
  namespace = 'default',
): AnyObject {
  return { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name, namespace, uid: `uid-${name}`, ...(labels && { labels }) }, data }
}

/** A decision whose writer wants nothing back. */
export const decided = (change: StorageChange): WriteDecision<undefined> => ({ change, result: undefined })

export const put =
  (object: AnyObject): (() => Promise<WriteDecision<undefined>>) =>
  async () =>
    decided({ put: object })

export const everything: Predicate = { matches: () => true, everything: true }
export const labelled = (name: string, value: string): Predicate => ({
  matches: ({ labels }) => labelValue(labels, name) === value,
  everything: false,
})

/** `added a@3`, in the order given; bookmarks are `bookmark@3`. */
export function told(events: Iterable<StorageEvent>): string[] {
  return [...events].map(event =>
    event.type === 'bookmark'
      ? `bookmark${event.initialEnd ? ' end' : ''}@${event.revision}`
      : `${event.type} ${event.object.attributes().name}@${event.revision}`,
  )
}

/** The next `count` events of a watcher, or all until it ends. */
export async function take(watcher: Watcher | AsyncIterator<readonly StorageEvent[]>, count: number): Promise<StorageEvent[]> {
  const iterator = 'next' in watcher ? watcher : batchesOf(watcher)
  const events: StorageEvent[] = []
  while (events.length < count) {
    const step = await iterator.next()
    if (step.done) break
    events.push(...step.value)
  }
  return events
}

/** Returns a revision that is later by a number. */
export const plus = (revision: Revision, n: number): Revision => (revision + n) as Revision
