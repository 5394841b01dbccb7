import { expect } from 'chai'
import { readSwagger } from '../../../../src/extensions/aggregation/swagger.ts'
import { runAtOnce } from '../../../../src/lib/steps.ts'

const read = (value: unknown) =>
  runAtOnce(readSwagger(Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)), '/apis/a.com/v1/'))
const refer = (name: string, part = 'definitions') => ({ $ref: `#/${part}/${name}` })

describe('readSwagger', () => {
  it('keeps the paths with the prefix, and everything they refer to', () => {
    const { paths, definitions, parameters } = read({
      paths: {
        '/apis/a.com/v1/as': { get: refer('A'), parameters: [refer('p', 'parameters')] },
        '/apis/a.com/v10/as': refer('C'),
        '/apis/b.com/v1/': refer('C'),
      },
      definitions: { A: { properties: { b: refer('B'), a: refer('A') } }, B: refer('missing'), C: {}, 'not an object': 'x' },
      parameters: { p: { name: 'p' }, q: { name: 'q' } },
    })
    expect(Object.keys(paths)).to.deep.equal(['/apis/a.com/v1/as'])
    expect(Object.keys(definitions)).to.have.members(['A', 'B'])
    expect(Object.keys(parameters)).to.deep.equal(['p'])
  })
  it('supports names that are properties of Object.prototype', () => {
    const { definitions } = read(
      '{"paths":{"/apis/a.com/v1/as":{"$ref":"#/definitions/__proto__"}},"definitions":{"__proto__":{"type":"string"}}}',
    )
    expect(Object.keys(definitions)).to.deep.equal(['__proto__'])
    expect(Object.keys(read({ paths: { '/apis/a.com/v1/as': refer('constructor') } }).definitions)).to.deep.equal([])
  })
  for (const [name, value] of Object.entries({ 'a list': [], 'a text': '"x"', nothing: '' }))
    it(`refuses ${name}`, () => expect(() => read(value)).to.throw())
  it('rejects deep nesting', () =>
    expect(() => read(`{"paths":{"/apis/a.com/v1/as":${'{"a":'.repeat(200)}1${'}'.repeat(200)}}}`)).to.throw('more than 100 levels'))
  it('rejects a definition that is too large to encode synchronously', () => {
    const properties = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`p${i}`, { type: 'string', format: 'x', title: 'y' }]))
    const document = { paths: { '/apis/a.com/v1/as': refer('A') }, definitions: { A: { properties } } }
    expect(() => read(document)).to.throw('a path or definition holds more than 32768 values')
  })
  it('yields at each reference and after some hundred values', () => {
    const names = Array.from({ length: 3000 }, (_, i) => `D${i}`)
    const document = {
      paths: { '/apis/a.com/v1/as': Object.fromEntries(names.map(name => [name, refer(name)])) },
      definitions: Object.fromEntries(names.map(name => [name, { type: 'string' }])),
    }
    const steps = readSwagger(Buffer.from(JSON.stringify(document)), '/apis/a.com/v1/')
    let count = 0
    while (!steps.next().done) count++
    expect(count).to.be.at.least(names.length)
  })
  it('ignores malformed sections', () => expect(read({ paths: 3, definitions: [], parameters: null })).to.deep.include({ definitions: {} }))
})
