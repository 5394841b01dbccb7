import { expect } from 'chai'
import { seededRandom } from '../../../src/lib/seeded-random.ts'
import { labelValue } from '../../../src/meta/label-matcher.ts'
import { PackedLabels } from '../../../src/meta/packed-labels.ts'
import { fewLabelsOf, metadataText, readLabels } from '../../../src/storage/own-metadata.ts'
import { revision } from '../../../src/storage/revision.ts'
import { attributesOf, indexedCodec, testCodec, testKey, testObject } from '../../support/test-codec.ts'

const odd = ['', 'a', 'labels', 'name', '"', '\\', '{}', ',', 'ü', '\u2028', '\\"', '}],', 'x'.repeat(100)]

describe('storage/own-metadata', () => {
  it('finds the same members as a parser, whatever is beside them', () => {
    const random = seededRandom(7)
    const some = () => odd[Math.floor(random() * odd.length)] as string
    for (let i = 0; i < 2000; i++) {
      const labels = Object.fromEntries(Array.from({ length: Math.floor(random() * 4) }, () => [some(), some()]))
      const object = testObject(some(), { [some()]: some() }, random() < 0.7 ? labels : undefined, some())
      object.metadata.annotations = { labels: '{"name":"no"}', [some()]: some() }
      const { bytes, header } = testCodec.json(testCodec.encode(object), revision(i + 1))
      const expected = attributesOf(JSON.parse(bytes.toString()))
      expect(readLabels(bytes, header), bytes.toString()).to.deep.equal(expected.labels)
      expect([metadataText(bytes, header, 'name'), metadataText(bytes, header, 'namespace')]).to.deep.equal([
        expected.name,
        expected.namespace,
      ])
    }
  })

  it('searches for labels only up to managedFields, which follow them', () => {
    const json = (...members: string[]) => Buffer.from(`{"metadata":{"name":"a",${members.join()}}}`)
    expect(readLabels(json('"labels":{"app":"web"}', '"managedFields":[]'), 1)).to.deep.equal({ app: 'web' })
    expect(readLabels(json('"managedFields":[]', '"labels":{"app":"web"}'), 1)).to.deep.equal({})
  })

  it('leaves very many labels for later', () => {
    const labels = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`k${i}`, 'v']))
    const json = (own: object) => Buffer.from(JSON.stringify({ metadata: { name: 'a', labels: own } }))
    expect(fewLabelsOf(json(labels), 1)).to.equal(undefined)
    const many = readLabels(json(labels), 1)
    expect(many).to.be.instanceOf(PackedLabels)
    for (const key in labels) expect(labelValue(many, key)).to.equal('v')
    expect(readLabels(json({ ...labels, 'an"odd': 'one' }), 1)).to.deep.equal({ ...labels, 'an"odd': 'one' })
    expect(fewLabelsOf(json({ a: 'b' }), 1)).to.deep.equal({ a: 'b' })
  })

  it('shares equal labels among objects', () => {
    const labels = (name: string) => {
      const { bytes, header } = testCodec.json(testCodec.encode(testObject(name, {}, { app: 'web' })), revision(1))
      return readLabels(bytes, header)
    }
    expect(labels('a')).to.equal(labels('b'))
  })

  it('reads the field of an index', () => {
    const indexed = (data: Record<string, string>) =>
      indexedCodec.indexed?.(indexedCodec.fromStorage(indexedCodec.encode(testObject('a', data)), testKey('a'), revision(1)))
    expect(indexed({ other: '"node":"no"', node: 'n1' })).to.equal('n1')
    expect(indexed({ node: '"\\ü' })).to.equal('"\\ü')
    expect(indexed({ other: 'x' })).to.equal('')
  })
})
