import { expect } from 'chai'
import { parseFlowEvents } from '../../../../src/upgrade/source/flow-lines.ts'
import { nodeValue, readDocuments, SourceError } from '../../../../src/upgrade/source/nodes.ts'

const valuesIn = (text: string): unknown => readDocuments(text).map(({ root }) => nodeValue(root))

/** Texts that go-yaml reads, with their values. */
const CASES: readonly (readonly [title: string, text: string, value: unknown])[] = [
  ['a bracket at the column of its key', 'a:\n  args: [\n    "x",\n  ]\n  b: 1\n', { a: { args: ['x'], b: 1 } }],
  ['a brace at the column of its key', 'a:\n  foo: {\n    type: string\n  }\n', { a: { foo: { type: 'string' } } }],
  ['items left of their key', 'a:\n  args: [\n"x", 1,\n# a comment, with ] and "\n2 ]\n', { a: { args: ['x', 1, 2] } }],
  ['a comment before the bracket', 'a:\n  args: [ 1, # one ]\n  2 # two\n  ]\n', { a: { args: [1, 2] } }],
  ['collections within each other', 'a:\n  - {b: [\n  1\n  ],\n  c: {"d":"]"\n  }\n  }\n', { a: [{ b: [1], c: { d: ']' } }] }],
  ['several collections', 'a: {b: [\n1\n]}\nc: {d: [\n2\n]}\n', { a: { b: [1] }, c: { d: [2] } }],
  [
    'a quoted scalar at the column of its key',
    'a:\n  text: "one\n  two\\\n  three\n\n  four"\n  b: \'x\ny\'\n',
    { a: { text: 'one twothree\nfour', b: 'x y' } },
  ],
  [
    'a quoted scalar whose last line is left of its key',
    'a:\n  text: "one\n     two\n     three\nfour [ {"\n',
    { a: { text: 'one two three four [ {' } },
  ],
]

describe('lines of flow collections', () => {
  for (const [title, text, value] of CASES)
    it(`reads ${title} whatever its indentation`, () => {
      expect(valuesIn(text)).to.deep.equal([value])
    })

  it('keeps offsets', () => {
    const text = 'a:\n  args: [ # first\n    "x",\n  ]\n  last: here\n'
    const [document] = readDocuments(text)
    const a = document?.root.kind === 'map' ? document.root.pairs[0]?.value : undefined
    const last = a?.kind === 'map' ? a.pairs[1] : undefined
    expect(text.slice(last?.keyStart, last?.keyEnd)).to.equal('last')
    expect(text.slice(last?.value.start, last?.value.end)).to.equal('here')
  })

  it('gives a text up whose passes would parse too many characters', () => {
    const text = 'a: {b: [\n1\n]}\n'.repeat(20).replaceAll('a:', '---\na:')
    expect(parseFlowEvents(text, 10)).not.to.have.length(0)
    expect(() => parseFlowEvents(text, 10, 5 * text.length)).to.throw('deficient indentation')
  })

  it('rejects a collection that does not end', () => {
    expect(() => readDocuments('a:\n  b: [\n  1,\nc: 2\n')).to.throw(SourceError)
  })
})
