import { expect } from 'chai'
import { runAtOnce } from '../../../src/lib/steps.ts'
import { labelValue } from '../../../src/meta/label-matcher.ts'
import { PackedLabels } from '../../../src/meta/packed-labels.ts'
import { ByteBudget } from '../../../src/storage/byte-budget.ts'
import { parseMetadata, parseMetadataInSteps, parseOwnInSteps } from '../../../src/storage/parse-own.ts'
import { revision } from '../../../src/storage/revision.ts'
import { Slabs } from '../../../src/storage/slab.ts'
import type { Encoder } from '../../../src/storage/storage.ts'
import { Stored } from '../../../src/storage/stored-object.ts'
import { loose } from '../../support/any-object.ts'
import { testCodec, testKey, testObject } from '../../support/test-codec.ts'

const read = (data: Record<string, string>) => Stored.read(testKey('a'), revision(7), testCodec, testCodec.encode(testObject('a', data)))

describe('storage/stored-object', () => {
  it('is the object with its revision, parsed once', () => {
    const stored = read({ x: '1' })
    expect(stored.object()).to.deep.equal({
      ...testObject('a', { x: '1' }),
      metadata: { ...testObject('a').metadata, resourceVersion: '7' },
    })
    expect(stored.object()).to.equal(stored.object())
    expect(stored.json().bytes.toString()).to.equal(JSON.stringify(JSON.parse(stored.json().bytes.toString())))
  })

  it('parses a large object in turns, once', async () => {
    const long = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`k${i}`, 'v']))
    const stored = read(long)
    const object = await stored.objectInTurns()
    expect(object).to.deep.equal(read(long).object())
    expect(stored.object()).to.equal(object)
    expect(stored.objectInTurns()).to.equal(undefined)
    expect(read({}).objectInTurns()).to.equal(undefined)
    expect([...parseOwnInSteps(stored.json().bytes)].length).to.be.greaterThan(5)
    const odd = Buffer.from(JSON.stringify({ metadata: { n: 'N', ...long } }).replace('"N"', '9007199254740993'))
    expect(runAtOnce(parseOwnInSteps(odd)).metadata).to.have.property('n', 9007199254740993n)
  })

  it('parses large metadata in steps', () => {
    const metadata = { name: 'a', annotations: Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`k${i}`, 'v'])) }
    const steps = () => parseMetadataInSteps({ bytes: Buffer.from(JSON.stringify({ metadata })), header: 1 })
    expect([...steps()].length).to.be.greaterThan(5)
    expect(runAtOnce(steps())).to.deep.equal(metadata)
  })

  it('returns its metadata without parsing the rest', () => {
    const stored = read({ metadata: '{"name":"not"}' })
    expect(parseMetadata(stored.json())).to.deep.equal(stored.object().metadata)
    const sorted = Buffer.from(
      '{"apiVersion":"v1","data":{"metadata":{"name":"no"}},"kind":"X","metadata":{"name":"ä}","uid":"u"},"spec":{}}',
    )
    expect(parseMetadata({ bytes: sorted, header: 1 })).to.deep.equal({ name: 'ä}', uid: 'u' })
  })

  it('returns its metadata without managedFields, wherever the word occurs', () => {
    const told = (metadata: object, rest: object = {}) => {
      const json = `{"kind":"A","apiVersion":"v1","metadata":${JSON.stringify(metadata)},${JSON.stringify(rest).slice(1)}`
      return parseMetadata({ bytes: Buffer.from(json), header: '{"kind":"A","apiVersion":"v1",'.length })
    }
    const managedFields = [{ manager: 'a', fieldsV1: { 'f:x': {} } }]
    expect(told({ name: 'a', uid: 'u', managedFields }, { data: 1 })).to.deep.equal({ name: 'a', uid: 'u' })
    expect(told({ name: 'a' }, { data: { metadata: { name: 'b', managedFields } } })).to.deep.equal({ name: 'a' })
    expect(told({ name: 'a', annotations: { b: ',"managedFields":[' } }, { data: 1 })).to.deep.equal({
      name: 'a',
      annotations: { b: ',"managedFields":[' },
    })
    const sorted = Buffer.from(JSON.stringify({ metadata: { managedFields, name: 'a' }, spec: {} }))
    expect(parseMetadata({ bytes: sorted, header: 1 })).to.deep.equal({ name: 'a' })
  })

  it('keeps integers beyond 2^53', () => {
    const value = Buffer.from(testCodec.encode(testObject('a')).toString().replace('"data":{}', '"data":{"n":9007199254740993}'))
    expect(loose(Stored.read(testKey('a'), revision(7), testCodec, value).object()).data.n).to.equal(9007199254740993n)
  })

  it('is encoded once per encoder', () => {
    let encoded = 0
    const encoder: Encoder = {
      id: 'test',
      encode(object) {
        encoded++
        return { bytes: Buffer.from(String(object.metadata.resourceVersion)), header: 0 }
      },
    }
    const stored = read({})
    expect([stored.encoded(encoder), stored.encoded(encoder)].map(e => e.bytes.toString())).to.deep.equal(['7', '7'])
    expect(encoded).to.equal(1)
  })

  it('releases derived values once it is replaced, and makes them again on demand', () => {
    const encoder: Encoder = { id: 'test', encode: () => ({ bytes: Buffer.from('x'), header: 0 }) }
    const stored = read({ x: '1' })
    const object = stored.object()
    stored.encoded(encoder)
    stored.note(encoder, { row: 1 }, 10)
    stored.retire()
    expect([stored.noted(encoder), stored.kept('test')]).to.deep.equal([undefined, undefined])
    expect(stored.object()).not.to.equal(object)
    expect(stored.object()).to.deep.equal(object)
    expect(stored.encoded(encoder).bytes.toString()).to.equal('x')
    stored.note(encoder, { row: 2 }, 10)
    expect(stored.noted(encoder)).to.deep.equal({ row: 2 })
  })

  it('is copied at another revision without being parsed', () => {
    const later = read({ x: '1' }).at(revision(1234))
    expect(later.revision).to.equal(1234)
    expect(later.object()).to.deep.equal({
      ...testObject('a', { x: '1' }),
      metadata: { ...testObject('a').metadata, resourceVersion: '1234' },
    })
  })

  it('moves into slabs unchanged', () => {
    const slabs = new Slabs()
    const stored = read({ x: '1' })
    const before = stored.json()
    stored.keepIn(slabs)
    expect(stored.json().bytes.equals(before.bytes)).to.equal(true)
    expect(stored.json().bytes.buffer).not.to.equal(before.bytes.buffer)
    expect(stored.json().verbatim).to.equal(true)
    expect(slabs.isCurrent(stored.slab)).to.equal(true)
  })

  it('reads very many labels in its new slab, and so releases the memory that it has left', () => {
    const labels = Object.fromEntries(Array.from({ length: 6000 }, (_, i) => [`label-${i}`, `v${i}`]))
    const object = testObject('a')
    const value = testCodec.encode({ ...object, metadata: { ...object.metadata, labels } })
    const stored = Stored.read(testKey('a'), revision(7), testCodec, value)
    const before = stored.labels
    expect(before).to.be.an.instanceof(PackedLabels)
    stored.keepIn(new Slabs())
    expect(stored.labels).to.be.an.instanceof(PackedLabels).and.not.to.equal(before)
    expect(labelValue(stored.labels, 'label-5999')).to.equal('v5999')
  })
})

describe('storage/slab', () => {
  it('fills slabs of 1 MiB; large allocations get memory of their own', () => {
    const slabs = new Slabs()
    const kept = Array.from({ length: 1500 }, (_, i) => slabs.keep(Buffer.alloc(1000, i)))
    expect(new Set(kept.map(bytes => bytes.buffer)).size).to.equal(2)
    expect(kept.every((bytes, i) => bytes.length === 1000 && bytes[999] === i % 256)).to.equal(true)
    const large = slabs.keep(Buffer.alloc(500_000))
    expect(large.buffer.byteLength).to.equal(500_000)
    expect(slabs.allocated).to.equal((2 << 20) + 500_000)
  })
})

describe('storage/byte-budget', () => {
  it('drops the oldest charge that was not used since it was last inspected', () => {
    const budget = new ByteBudget(30)
    const dropped: string[] = []
    const charge = (name: string, bytes = 10) => ({ bytes, used: false, drop: () => void dropped.push(name) })
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(name => charge(name))
    for (const each of [a!, b!, c!]) budget.add(each)
    a!.used = true
    budget.add(d!)
    expect([dropped, budget.bytes]).to.deep.equal([['b'], 30])
    budget.add(charge('e', 20))
    expect([dropped, budget.bytes]).to.deep.equal([['b', 'c', 'd'], 30])
    budget.add(charge('too much', 31))
    expect(dropped.at(-1)).to.equal('too much')
  })
})
