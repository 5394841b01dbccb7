import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import type { JsonObject, KubeObject } from '../../../src/api/meta/object.ts'
import { encodeProtobuf, unwrap } from '../../../src/codec/protobuf.ts'
import { decodeMessage } from '../../../src/codec/protobuf-decode.ts'
import { codecOf, type StoredForm } from '../../../src/registry/codec.ts'
import { normalized } from '../../../src/registry/conversion/convert.ts'
import { deploymentResource } from '../../../src/resources/apps/deployment/definition.ts'
import { leaseResource } from '../../../src/resources/coordination/lease/definition.ts'
import { configMapResource } from '../../../src/resources/core/config-map/definition.ts'
import { podResource } from '../../../src/resources/core/pod/definition.ts'
import { DirectStorage } from '../../../src/storage/direct/direct-storage.ts'
import { key, revision } from '../../../src/storage/revision.ts'
import { type ResourceCodec, StorageError, type StoredObject } from '../../../src/storage/storage.ts'
import { customResource } from '../../support/custom-resource.ts'
import type { MemoryBackend } from '../../support/memory-backend.ts'
import { podWith } from '../../support/pod.ts'
import { decided } from '../../support/test-codec.ts'
import { NEVER, TestRegistry, widgetResource } from '../../support/test-registry.ts'

const definition = widgetResource()
const codec = codecOf(definition, 'one')
const at = revision(7)
const widget = (more: object = {}): KubeObject => ({
  kind: 'Widget',
  apiVersion: 'example.io/v1',
  metadata: { name: 'a', creationTimestamp: null },
  ...more,
})

describe('stored objects', () => {
  const stored: [string, KubeObject, string][] = [
    ['nothing empty', widget({ spec: { parts: [], color: '' }, status: {} }), '"spec":{},"status":{}'],
    [
      'members in Go’s order, whatever a hook made of it',
      widget({ status: { phase: 'x' }, spec: { color: 'b', size: 1 } }),
      '"spec":{"size":1,"color":"b"},"status":{"phase":"x"}',
    ],
    ['no version', widget({ metadata: { resourceVersion: '5', name: 'a', creationTimestamp: null } }), '"spec":{},"status":{}'],
    ['nothing that the schema does not know', widget({ extra: 1, spec: { other: 2 } }), '"spec":{},"status":{}'],
    ['escapes as Go’s', widget({ spec: { color: '<&>' } }), '"spec":{"color":"\\u003c\\u0026\\u003e"},"status":{}'],
  ]
  for (const [what, object, rest] of stored)
    it(`have ${what}`, () => {
      const before = JSON.stringify(object)
      const text = codec.encode(object).toString()
      expect(text.trimEnd()).to.equal(
        `{"kind":"Widget","apiVersion":"example.io/v1","metadata":{"name":"a","creationTimestamp":null},${rest}}`,
      )
      expect(JSON.stringify(object)).to.equal(before)
    })

  it('are read with their revision, as JSON and as objects', () => {
    const bytes = codec.encode(widget({ spec: { size: 3 } }))
    const { bytes: json, verbatim, header } = codec.json(bytes, at)
    expect(json.toString()).to.equal(
      '{"kind":"Widget","apiVersion":"example.io/v1","metadata":{"name":"a","resourceVersion":"7","creationTimestamp":null},"spec":{"size":3},"status":{}}',
    )
    expect(verbatim).to.equal(true)
    expect(json.subarray(header).toString()).to.match(/^"metadata"/)
    expect(codec.decode(bytes, at)).to.deep.equal(JSON.parse(json.toString()))
  })

  const MANY = 20_000
  const wide = (of: KubeObject): KubeObject =>
    ({ ...of, data: Object.fromEntries(Array.from({ length: MANY }, (_, i) => [`k${i}`, `v${i}`])) }) as KubeObject
  const configMap = wide({ kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a', namespace: 'ns' } })
  const custom = customResource()
  const spec = { free: Object.fromEntries(Array.from({ length: MANY }, (_, i) => [`k${i}`, i])) }
  const custom0 = { kind: 'Widget', apiVersion: 'example.io/v1', metadata: { name: 'a', namespace: 'ns', generation: 1 }, spec }
  const large: Readonly<Record<string, [codec: ResourceCodec, stored: Buffer]>> = {
    protobuf: [codecOf(configMapResource, 'one', 'protobuf'), codecOf(configMapResource, 'one', 'protobuf').encode(configMap)],
    'JSON of another program': [codecOf(configMapResource, 'one'), codecOf(configMapResource, 'two').encode(configMap)],
    CBOR: [codecOf(custom, 'one', 'cbor'), codecOf(custom, 'one', 'cbor').encode(custom0 as unknown as KubeObject)],
  }
  for (const [name, [reader, bytes]] of Object.entries(large))
    it(`are decoded in turns before they are read, if they are large: ${name}`, async () => {
      const expected = reader.fromStorage(Buffer.from(bytes), key('/k'), at)
      const held = Buffer.from(bytes)
      let turns = 0
      let on = true
      const count = (): void => {
        turns++
        if (on) setImmediate(count)
      }
      setImmediate(count)
      const ready = reader.prepare(held, key('/k'), at)
      expect(ready).to.be.an.instanceOf(Promise)
      await ready
      on = false
      expect(turns).to.be.at.least(2)
      const read = reader.fromStorage(held, key('/k'), at)
      expect(read.bytes.equals(expected.bytes)).to.equal(true)
      expect([read.header, read.verbatim]).to.deep.equal([expected.header, expected.verbatim])
      const encoded = Buffer.from(bytes)
      await reader.prepareJson(encoded)
      expect(reader.json(encoded, at).bytes.equals(expected.bytes)).to.equal(true)
    })

  it('are not decoded before they are read if they are short, or in the layout of this program, and faults are left to the read', async () => {
    expect(codec.prepare(codec.encode(widget()), key('/k'), at)).to.equal(undefined)
    const own = codecOf(configMapResource, 'one')
    expect(own.prepare(own.encode(configMap), key('/k'), at)).to.equal(undefined)
    const [reader, bytes] = large.protobuf ?? []
    const torn = Buffer.from(bytes?.subarray(0, -3) ?? '')
    await reader?.prepare(torn, key('/k'), at)
    expect(() => reader?.fromStorage(torn, key('/k'), at)).to.throw(StorageError)
  })

  it('are defaulted and pruned if another program wrote them', () => {
    const foreign = Buffer.from('{"apiVersion":"example.io/v1","kind":"Widget","spec":{"color":"b","odd":1},"metadata":{"name":"a"}}\n')
    expect(codec.json(foreign, at)).to.have.property('verbatim', false)
    expect(codec.decode(foreign, at)).to.deep.equal({
      kind: 'Widget',
      apiVersion: 'example.io/v1',
      metadata: { name: 'a', resourceVersion: '7', creationTimestamp: null },
      spec: { size: 1, color: 'b' },
      status: {},
    })
    expect(JSON.parse(codec.json(foreign, at).bytes.toString())).to.deep.equal(codec.decode(foreign, at))
  })

  const types: [what: string, type: Partial<KubeObject>][] = [
    ['kind', { kind: 'Secret' }],
    ['apiVersion', { apiVersion: 'v2' }],
    ['kind that is not a string', { kind: undefined } as unknown as Partial<KubeObject>],
    ['kind and apiVersion', { kind: 'Secret', apiVersion: 'a/b/c' }],
  ]
  for (const [what, type] of types) {
    const served =
      '{"kind":"Widget","apiVersion":"example.io/v1","metadata":{"name":"a","resourceVersion":"7","creationTimestamp":null},"spec":{"size":1},"status":{}}'
    it(`have the type of their definition, whatever wrote them with another ${what}`, () => {
      const object = { ...widget({ spec: { size: 1 } }), ...type } as KubeObject
      expect(codec.json(codec.encode(object), at).bytes.toString()).to.equal(served)
      const binary = codecOf(definition, 'one', 'protobuf')
      expect(binary.json(binary.encode(object), at).bytes.toString()).to.equal(served)
    })

    it(`have the type of their definition if another program stored them with another ${what}`, () => {
      const object = { ...widget({ spec: { size: 1 } }), ...type } as KubeObject
      for (const stored of [
        Buffer.from(JSON.stringify(object)),
        Buffer.concat([Buffer.from(JSON.stringify(object)), codec.encode(widget()).subarray(-12)]),
        encodeProtobuf(
          definition.hub.schema,
          { kind: String(object.kind ?? ''), apiVersion: object.apiVersion },
          object as unknown as JsonObject,
        ),
      ]) {
        const { bytes, header, verbatim } = codec.json(stored, at)
        expect(bytes.toString()).to.equal(served)
        expect(bytes.subarray(header).toString()).to.match(/^"metadata"/)
        expect(verbatim).to.equal(false)
        expect(codec.decode(stored, at)).to.include({ kind: 'Widget', apiVersion: 'example.io/v1' })
      }
    })
  }

  it('are normalized if an older program or schema wrote them', () => {
    const bytes = codec.encode(widget())
    expect(codecOf(definition, 'two').json(bytes, at)).to.have.property('verbatim', false)
    expect(codecOf(definition, 'two').decode(bytes, at).spec).to.deep.equal({ size: 1 })
    expect(codec.decode(bytes, at).spec).to.deep.equal({})
  })

  it('are found by name, namespace, labels and the fields of the kind', () => {
    const metadata = { name: 'a', namespace: 'ns', labels: { x: 'y' } }
    expect(codec.attributes(widget({ metadata, spec: { color: 'red' } }))).to.deep.equal({
      namespace: 'ns',
      name: 'a',
      uid: '',
      labels: { x: 'y' },
      fields: { 'metadata.name': 'a', 'metadata.namespace': 'ns', 'spec.color': 'red' },
    })
    expect(codec.attributes(widget())).to.deep.include({ labels: {}, namespace: '' })
  })

  it('are indexed by the value that a selector sees', () => {
    const pods = codecOf(podResource, 'one')
    const { field } = podResource.storage?.indexedBy ?? { field: '' }
    for (const nodeName of ['node-1', undefined]) {
      const pod = podWith(
        { ...(nodeName && { nodeName }), volumes: [{ name: 'nodeName', hostPath: { path: '/nodeName' } }] },
        { annotations: { nodeName: 'no' } },
      )
      expect(pods.indexed?.(pods.json(pods.encode(pod), at))).to.equal(pods.attributes(pod).fields[field])
    }
    expect(field).to.equal('spec.nodeName')
    expect(codec.indexed).to.equal(undefined)
  })

  it('keep kind and apiVersion when they are normalized', () => {
    expect(Object.keys(normalized(definition.hub, widget({ status: {} })))).to.deep.equal([
      'kind',
      'apiVersion',
      'metadata',
      'spec',
      'status',
    ])
  })
})

describe('objects that are stored in protobuf', () => {
  const binary = codecOf(definition, 'one', 'protobuf')
  const object = widget({ metadata: { name: 'a', resourceVersion: '5', creationTimestamp: null }, spec: { size: 3, color: '<' } })
  const magic = Buffer.from('k8s\0')

  it('begin as kube-apiserver’s do, and carry no version', () => {
    const bytes = binary.encode(object)
    expect(bytes.subarray(0, 4).equals(magic)).to.equal(true)
    expect(unwrap(bytes)).to.include({ kind: 'Widget', apiVersion: 'example.io/v1' })
    expect(decodeMessage(definition.hub.schema, unwrap(bytes).message)).to.have.nested.property('metadata.resourceVersion', '')
  })

  it('are served as if they were JSON', () => {
    const json = codec.json(codec.encode(object), at)
    const same = binary.json(binary.encode(object), at)
    expect([same.bytes.toString(), same.header, same.verbatim]).to.deep.equal([json.bytes.toString(), json.header, true])
    expect(binary.decode(binary.encode(object), at)).to.deep.equal(codec.decode(codec.encode(object), at))
  })

  it('are read in both encodings, and rewritten if they are not in the configured one', () => {
    const [text, bytes] = [codec.encode(object), binary.encode(object)]
    expect(codec.json(bytes, at).bytes.equals(codec.json(text, at).bytes)).to.equal(true)
    expect(binary.json(text, at).bytes.equals(codec.json(text, at).bytes)).to.equal(true)
    expect([codec.json(bytes, at).verbatim, binary.json(text, at).verbatim]).to.deep.equal([false, false])
  })

  it('are corrupt if the message is', () => {
    expect(() => binary.json(Buffer.concat([magic, Buffer.from([0x0a, 0x7f])]), at)).to.throw(StorageError, 'unexpected EOF')
  })
})

describe('a store that is written in protobuf', () => {
  const storageOf = (backend: MemoryBackend, form: StoredForm) =>
    new DirectStorage(backend, codecOf(definition, 'test', form), { revisionWaitMs: 60 })
  const bytesOf = async (t: TestRegistry) => (await t.backend.get(key('/registry/widgets/ns/a'), NEVER)).item?.value

  it('detects unchanged objects, and can be read and rewritten by a store that writes JSON', async () => {
    const t = new TestRegistry(undefined, backend => storageOf(backend, 'protobuf'))
    await t.create({ name: 'a' }, { spec: { color: 'b' } })
    const first = await bytesOf(t)
    expect(first?.toString('latin1', 0, 4)).to.equal('k8s\0')
    const before = (await t.store.get(t.served(), 'ns', 'a', '', NEVER)).revision
    await t.update('a', () => {})
    expect((await t.store.get(t.served(), 'ns', 'a', '', NEVER)).revision).to.equal(before)

    const json = storageOf(t.backend, 'json')
    const at = key('/registry/widgets/ns/a')
    expect((await json.get(at, 'latest', NEVER))?.object().spec).to.deep.equal({ size: 1, color: 'b' })
    const { outcome } = await json.write(at, async now => decided({ put: (now as StoredObject).object() }), NEVER)
    expect(outcome).to.equal('updated')
    expect((await bytesOf(t))?.toString('latin1', 0, 1)).to.equal('{')
    expect((await t.store.get(t.served(), 'ns', 'a', '', NEVER)).object().spec).to.deep.equal({ size: 1, color: 'b' })
  })
})

/** Objects as kube-apiserver encodes them (k8s.io/api 0.33, testdata/HEAD). */
describe('objects that kube-apiserver stored in protobuf', () => {
  const folder = new URL('../../fixtures/codec/roundtrip/', import.meta.url)
  for (const { definition: kind, file } of [
    { definition: podResource, file: 'core.v1.Pod' },
    { definition: configMapResource, file: 'core.v1.ConfigMap' },
    { definition: deploymentResource, file: 'apps.v1.Deployment' },
    { definition: leaseResource, file: 'coordination.k8s.io.v1.Lease' },
  ])
    it(`is read: ${file}`, () => {
      const read = (form: StoredForm, extension: string) =>
        codecOf(kind, 'one', form).decode(readFileSync(new URL(`${file}.${extension}`, folder)), at)
      expect(read('json', 'pb')).to.deep.equal(read('json', 'json'))
      expect(read('protobuf', 'pb')).to.deep.equal(read('json', 'json'))
    })
})
