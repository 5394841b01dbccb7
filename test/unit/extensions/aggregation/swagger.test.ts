import { expect } from 'chai'
import { readSwagger } from '../../../../src/extensions/aggregation/swagger.ts'
import { runAtOnce } from '../../../../src/lib/steps.ts'

const read = (value: unknown) => runAtOnce(readSwagger(Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)), '/apis/a.com/v1/'))
const refer = (name: string, part = 'definitions') => ({ $ref: `#/${part}/${name}` })

describe('readSwagger', () => {
  it('keeps what is below the path, and all that it refers to', () => {
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
  it('takes names of the prototype for names', () => {
    const { definitions } = read('{"paths":{"/apis/a.com/v1/as":{"$ref":"#/definitions/__proto__"}},"definitions":{"__proto__":{"type":"string"}}}')
    expect(Object.keys(definitions)).to.deep.equal(['__proto__'])
    expect(Object.keys(read({ paths: { '/apis/a.com/v1/as': refer('constructor') } }).definitions)).to.deep.equal([])
  })
  for (const [name, value] of Object.entries({ 'a list': [], 'a text': '"x"', nothing: '' })) it(`refuses ${name}`, () => expect(() => read(value)).to.throw())
  it('refuses what is nested too deeply', () =>
    expect(() => read(`{"paths":{"/apis/a.com/v1/as":${'{"a":'.repeat(200)}1${'}'.repeat(200)}}}`)).to.throw('more than 100 levels'))
  it('passes over parts that are none', () => expect(read({ paths: 3, definitions: [], parameters: null })).to.deep.include({ definitions: {} }))
})
