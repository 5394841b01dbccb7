import { expect } from 'chai'
import type { JsonObject, KubeObject } from '../../../../../src/api/meta/object.ts'
import { types } from '../../../../../src/catalog/types.ts'
import { encodeMessage } from '../../../../../src/codec/protobuf-encode.ts'
import { protobufCodec, protobufEncoder } from '../../../../../src/endpoints/forms/binary/protobuf.ts'
import { metadataType, metaType } from '../../../../../src/endpoints/forms/meta-v1.ts'
import { type FilledBody, wholeOf } from '../../../../../src/lib/filled-body.ts'
import { codecOf } from '../../../../../src/registry/codec.ts'
import { DERIVED_BYTES } from '../../../../../src/storage/byte-budget.ts'
import { key, revision } from '../../../../../src/storage/revision.ts'

import { Stored } from '../../../../../src/storage/stored-object.ts'
import { decodeProtobuf } from '../../../../support/at-once.ts'

import { builtinRegistry } from '../../../../support/builtin-registry.ts'

describe('a list in protobuf', () => {
  const served = builtinRegistry().catalog.snapshot().find('', 'v1', 'configmaps')
  if (!served) throw new Error('not served')
  const codec = codecOf(served.definition, 'test')
  const object = (name: string, size: number) =>
    ({ kind: 'ConfigMap', apiVersion: 'v1', metadata: { name, namespace: 'ns' }, data: { a: 'x'.repeat(size) } }) as unknown as KubeObject
  const stored = (object: KubeObject): Stored =>
    Stored.read(key(`/registry/configmaps/ns/${object.metadata.name}`), revision(7), codec, codec.encode(object))
  const listOf = async (items: readonly Stored[]): Promise<FilledBody> =>
    (await protobufCodec.listBody(served.version, { resourceVersion: '7' }, items)) as FilledBody

  const cases: [string, number[]][] = [
    ['nothing', []],
    ['one object', [10]],
    ['objects of several sizes', [0, 1, 127, 128, 20_000]],
    ['objects larger than a part', [1, 200_000, 1, 700_000]],
  ]
  for (const [what, sizes] of cases)
    it(`encodes the objects repeatedly: ${what}`, async () => {
      const objects = sizes.map((size, i) => object(`o-${i}`, size))
      const items = objects.map(stored)
      const first = wholeOf(await listOf(items))
      expect(wholeOf(await listOf(items)).equals(first)).to.equal(true)
      const list = decodeProtobuf(types.type('core.ConfigMapList'), first)
      const read = (list.items ?? []) as unknown as KubeObject[]
      expect([list.kind, list.apiVersion, read.length]).to.deep.equal(['ConfigMapList', 'v1', sizes.length])
      expect(
        read.every(({ metadata, data }, i) => metadata.resourceVersion === '7' && (data as { a: string }).a === 'x'.repeat(sizes[i] ?? 0)),
      ).to.equal(true)
    })

  it("encodes objects beyond the cache's limit again", async () => {
    // The same object repeatedly exceeds the cache of a list.
    const large = stored(object('large', 100_000))
    const rest = [1, 127, 128, 20_000, 200_000].map((size, i) => stored(object(`o-${i}`, size)))
    const items = [...Array.from({ length: Math.ceil(DERIVED_BYTES / 2 / 100_000) }, () => large), ...rest, large]
    const first = wholeOf(await listOf(items))
    expect(wholeOf(await listOf(items)).equals(first)).to.equal(true)
    let at = first.length
    for (const item of [large, ...rest.toReversed()]) at = first.lastIndexOf(item.passing(protobufEncoder(served.version)).bytes, at - 1)
    expect(at).to.be.greaterThan(DERIVED_BYTES / 2)
    expect(codec.derived.bytes).to.be.lessThan(DERIVED_BYTES)
  })

  it('encodes metadata the same from JSON and from the object', async () => {
    const metadata: object[] = [
      {},
      {
        labels: { b: 'ä', a: '<' },
        annotations: { x: 'y'.repeat(20_000), z: '"\\"' },
        generateName: 'o-',
        generation: 3,
        finalizers: ['a/b', 'c'],
      },
      {
        uid: 'u',
        creationTimestamp: '2026-01-01T00:00:00Z',
        deletionTimestamp: '2026-01-02T00:00:00Z',
        deletionGracePeriodSeconds: 0,
        ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'v', controller: true, blockOwnerDeletion: false }],
        managedFields: [
          {
            manager: 'm',
            operation: 'Update',
            apiVersion: 'v1',
            time: '2026-01-01T00:00:00Z',
            fieldsType: 'FieldsV1',
            fieldsV1: { 'f:data': { '.': {}, 'k:{"a":1}': {} } },
          },
        ],
      },
    ]
    const items = metadata.map((more, i) => {
      const one = object(`o-${i}`, 500)
      return stored({ ...one, metadata: { ...one.metadata, ...more } })
    })
    const form = protobufCodec
    const list = await form.partialListBody({ resourceVersion: '7' }, items, 'meta.k8s.io/v1')
    const bytes = wholeOf(list as FilledBody)
    const read = decodeProtobuf(metaType('meta.PartialObjectMetadataList'), bytes)
    const shown = (read.items ?? []) as unknown as KubeObject[]
    expect([read.kind, read.apiVersion, shown.length]).to.deep.equal(['PartialObjectMetadataList', 'meta.k8s.io/v1', 3])
    for (const [i, item] of items.entries()) {
      // The message of one object is encoded from the parsed object.
      const single = decodeProtobuf(metaType('meta.PartialObjectMetadata'), form.partialBody(item.object(), 'meta.k8s.io/v1'))
      expect(shown[i]?.metadata).to.deep.equal(single.metadata)
      // Without clusterName, field 15, which is written even if it is empty.
      const message = encodeMessage(metadataType('meta.PartialObjectMetadata'), {
        metadata: item.object().metadata as unknown as JsonObject,
      })
      expect(bytes.includes(Buffer.from(message))).to.equal(true)
    }
  })

  it('has the length that is computed beforehand, cached or not', () => {
    const one = stored(object('a', 10))
    const encoder = {
      id: 'x',
      encode: (value: KubeObject) => ({
        bytes: Buffer.from(encodeMessage(served.version.schema, value as unknown as JsonObject)),
        header: 0,
      }),
    }
    expect(one.sizeOf(encoder)).to.equal(one.passing(encoder).bytes.length)
    expect(one.passing(encoder).bytes.equals(one.encoded(encoder).bytes)).to.equal(true)
  })
})
