import { expect } from 'chai'
import type { Json, KubeObject } from '../../../src/api/meta/object.ts'
import { InvariantError } from '../../../src/lib/invariant.ts'
import { createCodec } from '../../../src/storage/resource-codec.ts'
import { revision } from '../../../src/storage/revision.ts'
import { StorageError } from '../../../src/storage/storage.ts'
import { countedTurns } from '../../support/counted-turns.ts'

const memberOrder = ['kind', 'apiVersion', 'metadata', 'data']
const metaOrder = [
  'name',
  'generateName',
  'namespace',
  'selfLink',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'labels',
  'annotations',
]

function ordered(value: Json, order: readonly string[]): Json {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value
  return Object.fromEntries(order.filter(name => value[name] !== undefined).map(name => [name, value[name]!]))
}

let decoded = 0
const codecWith = (fingerprint?: string) =>
  createCodec({
    kind: 'ConfigMap',
    apiVersion: 'v1',
    ...(fingerprint !== undefined && { fingerprint }),
    encode: object =>
      Buffer.from(
        JSON.stringify(
          ordered(
            { ...(object as unknown as Record<string, Json>), metadata: ordered(object.metadata as unknown as Json, metaOrder) },
            memberOrder,
          ),
        ),
      ),
    decode(value) {
      decoded++
      return value as unknown as KubeObject
    },
    attributes: ({ metadata }) => ({
      namespace: metadata.namespace ?? '',
      name: metadata.name ?? '',
      uid: '',
      labels: metadata.labels ?? {},
      fields: {},
    }),
  })
const codec = codecWith()
const head = '{"kind":"ConfigMap","apiVersion":"v1",'

describe('storage/resource-codec', () => {
  const cases: [stored: string, json: string][] = [
    ['"metadata":{}}', '"metadata":{"resourceVersion":"7"}}'],
    ['"metadata":{"name":"a"}}', '"metadata":{"name":"a","resourceVersion":"7"}}'],
    [
      '"metadata":{"name":"a","uid":"u","creationTimestamp":null}}',
      '"metadata":{"name":"a","uid":"u","resourceVersion":"7","creationTimestamp":null}}',
    ],
    [
      '"metadata":{"creationTimestamp":null},"data":{"x":"y"}}',
      '"metadata":{"resourceVersion":"7","creationTimestamp":null},"data":{"x":"y"}}',
    ],
    [
      '"metadata":{"name":"a","generateName":"a-","namespace":"n","selfLink":"s","uid":"u","generation":1}}',
      '"metadata":{"name":"a","generateName":"a-","namespace":"n","selfLink":"s","uid":"u","resourceVersion":"7","generation":1}}',
    ],
    [
      '"metadata":{"name":"\\"}{\\\\","labels":{"name":"\\\\\\""}}}',
      '"metadata":{"name":"\\"}{\\\\","resourceVersion":"7","labels":{"name":"\\\\\\""}}}',
    ],
    ['"metadata":{"name":"\u{1f600}","labels":{}}}', '"metadata":{"name":"\u{1f600}","resourceVersion":"7","labels":{}}}'],
  ]
  /** Runs `fromHeld` on a value between other bytes. `placed` is undefined if the value has to be copied. */
  function heldIn(value: Buffer, room: number, at = 7, of = codec) {
    const memory = Buffer.concat([Buffer.alloc(100, '<'), value, Buffer.alloc(100, '"')])
    const [start, end] = [100, 100 + value.length]
    const placed = of.fromHeld({ memory, start, end, room, keep() {} }, revision(at))
    const rest = placed === undefined ? memory : Buffer.concat([memory.subarray(0, placed.at), memory.subarray(placed.at + placed.size)])
    return { placed, text: placed && memory.toString('utf8', placed.at, placed.at + placed.size), rest: rest.toString() }
  }

  for (const [stored, json] of cases) {
    // The others have no member after resourceVersion.
    const isPlaced = json.includes('"7",')
    it(`puts the revision in where the value is${isPlaced ? '' : ', or leaves that to a copy'}: ${stored}`, () => {
      const grown = Buffer.byteLength(json) - Buffer.byteLength(stored)
      const { placed, text, rest } = heldIn(Buffer.from(head + stored), grown)
      expect(text).to.equal(isPlaced ? head + json : undefined)
      expect(rest).to.equal(`${'<'.repeat(isPlaced ? 100 - grown : 100)}${isPlaced ? '' : head + stored}${'"'.repeat(100)}`)
      if (isPlaced) expect(placed).to.include({ header: head.length, verbatim: true })
      const { placed: none, rest: same } = heldIn(Buffer.from(head + stored), grown - 1)
      expect([none, same]).to.deep.equal([undefined, `${'<'.repeat(100)}${head}${stored}${'"'.repeat(100)}`])
    })
  }

  it('puts revisions of every length in where the value is', () => {
    for (let at = 1; at < Number.MAX_SAFE_INTEGER; at = at * 10 - 1)
      for (const each of [at, at + 1])
        expect(heldIn(Buffer.from(`${head}"metadata":{"uid":"u","labels":{}}}`), 100, each).text).to.equal(
          `${head}"metadata":{"uid":"u","resourceVersion":"${each}","labels":{}}}`,
        )
  })

  for (const [what, value] of [
    ['has a revision', `${head}"metadata":{"uid":"u","resourceVersion":"3","labels":{}}}`],
    ['ends with a newline', `${head}"metadata":{"uid":"u","labels":{}}}\n`],
    ['begins otherwise', `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"uid":"u","labels":{}}}`],
    ['has no metadata', `${head}"data":{"a":"b"}}`],
    ['breaks off in its metadata', `${head}"metadata":{"uid":"u}`],
    ['breaks off before its metadata', `${head}"data":{"a":"b}`],
    ['is empty', ''],
  ] as const)
    it(`copies a value that ${what}`, () => {
      const { placed, rest } = heldIn(Buffer.from(value), 100)
      expect([placed, rest]).to.deep.equal([undefined, `${'<'.repeat(100)}${value}${'"'.repeat(100)}`])
    })

  it('leaves the mark of a value behind its JSON', () => {
    const marked = codecWith('one')
    const value = marked.encode({ kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a', labels: { a: 'b' } } } as KubeObject)
    const { text } = heldIn(value, 100, 7, marked)
    expect(text).to.equal(`${head}"metadata":{"name":"a","resourceVersion":"7","labels":{"a":"b"}}}`)
    expect(heldIn(value, 100, 7, codecWith('two')).placed).to.equal(undefined)
  })

  for (const [stored, json] of cases) {
    it(`puts the revision in: ${stored}`, () => {
      decoded = 0
      const encoded = codec.json(Buffer.from(head + stored), revision(7))
      expect(encoded.bytes.toString()).to.equal(head + json)
      expect(encoded.bytes.subarray(encoded.header).toString()).to.equal(json)
      expect(encoded.verbatim).to.equal(true)
      expect(decoded).to.equal(0)
    })
  }

  const foreign: [what: string, stored: string, verbatim: boolean][] = [
    ['a newline at the end, as kube-apiserver writes', `${head}"metadata":{"name":"a"}}\n`, true],
    ['members in another order', '{"metadata":{"name":"a"},"apiVersion":"v1","kind":"ConfigMap"}', false],
    ['space between members', `${head} "metadata": {"name": "a"}}`, false],
  ]
  for (const [what, stored, verbatim] of foreign) {
    it(`decodes ${what}`, () => {
      decoded = 0
      const source = what.startsWith('space') ? `{ ${stored.slice(1)}` : stored
      const encoded = codec.json(Buffer.from(source), revision(7))
      expect(encoded.bytes.toString()).to.equal(`${head}"metadata":{"name":"a","resourceVersion":"7"}}`)
      expect(decoded).to.equal(1)
      expect(encoded.verbatim).to.equal(verbatim)
    })
  }

  it('parses a large value that another program has written in turns', async () => {
    const data = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`k${i}`, 'a value']))
    const stored = Buffer.from(JSON.stringify({ kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a' }, data }, null, 1))
    const turns = await countedTurns(async time => {
      performance.now = () => {
        time.pass(1)
        return time.now
      }
      await codec.prepareJson(stored)
    })
    expect(turns).to.be.at.least(5)
  })

  it('stores no resourceVersion', () => {
    const object = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a', resourceVersion: '3' } }
    expect(codec.encode(object).toString()).to.equal(`${head}"metadata":{"name":"a"}}`)
    expect(object.metadata.resourceVersion).to.equal('3')
  })

  it('uses only bytes with its own fingerprint without decoding them', () => {
    const first = codecWith('release 1')
    const second = codecWith('release 2')
    const stored = first.encode({ kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a' } })
    expect(JSON.parse(stored.toString()).metadata.name).to.equal('a')
    decoded = 0
    expect(first.json(stored, revision(7)).bytes.toString()).to.equal(`${head}"metadata":{"name":"a","resourceVersion":"7"}}`)
    expect(decoded).to.equal(0)
    expect(second.json(stored, revision(7)).bytes.toString()).to.equal(`${head}"metadata":{"name":"a","resourceVersion":"7"}}`)
    expect(decoded).to.equal(1)
    expect(codec.json(stored, revision(7)).bytes.at(-1)).to.equal(0x7d)
    expect(decoded).to.equal(2)
  })

  it('inserts the revision into sorted metadata', () => {
    const sorted = createCodec({
      kind: 'Widget',
      apiVersion: 'example.com/v1',
      order: 'sorted',
      encode: object => Buffer.from(JSON.stringify(object)),
      decode: value => value as unknown as KubeObject,
      attributes: () => ({ namespace: '', name: '', uid: '', labels: {}, fields: {} }),
    })
    const stored =
      '{"apiVersion":"example.com/v1","a":[{"metadata":{}},"]\\""],"kind":"Widget","metadata":{"labels":{"uid":"1"},"name":"x","uid":"u"}}'
    const { bytes, header } = sorted.json(Buffer.from(stored), revision(9))
    expect(bytes.toString()).to.equal(stored.replace('"uid":"u"', '"resourceVersion":"9","uid":"u"'))
    expect(header).to.equal(1)
  })

  it('stores empty metadata without the mark, and reads it as absent', () => {
    const withEmpty = createCodec({
      kind: 'Widget',
      apiVersion: 'example.com/v1',
      order: 'sorted',
      fingerprint: 'one',
      encode: ({ metadata: { labels: _, ...metadata }, ...rest }) => Buffer.from(JSON.stringify({ ...rest, metadata })),
      emptyMetadata: ({ metadata }) => (metadata.labels === undefined ? '' : '"labels":{}'),
      decode: value => {
        const { metadata, ...rest } = structuredClone(value) as unknown as KubeObject
        delete metadata.labels
        return { ...rest, metadata }
      },
      attributes: () => ({ namespace: '', name: '', uid: '', labels: {}, fields: {} }),
    })
    const widget = (metadata: object): KubeObject => ({
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: { name: 'a', ...metadata },
    })
    const stored = withEmpty.encode(widget({ labels: {} }))
    expect(stored.toString()).to.equal('{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"labels":{},"name":"a"}}')
    const { bytes, verbatim } = withEmpty.json(stored, revision(1))
    expect([bytes.toString(), verbatim]).to.deep.equal([
      '{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"a","resourceVersion":"1"}}',
      false,
    ])
    expect(withEmpty.json(withEmpty.encode(widget({})), revision(1)).verbatim).to.equal(true)
  })

  it('neither stores nor serves bytes that do not begin with the type, which readers skip by its length', () => {
    const other = { kind: 'Secret', apiVersion: 'v1', metadata: { name: 'a' } }
    expect(() => codec.encode(other)).to.throw(InvariantError)
    expect(() => codec.json(Buffer.from(JSON.stringify(other)), revision(1)))
      .to.throw(StorageError)
      .with.property('code', 'corrupt')
  })

  for (const stored of ['', '{', 'k8s\0abc', `${head}"data":{}}`, '{"kind":1}']) {
    it(`calls ${JSON.stringify(stored)} corrupt`, () => {
      expect(() => codec.json(Buffer.from(stored), revision(1)))
        .to.throw(StorageError)
        .with.property('code', 'corrupt')
    })
  }
})
