import { expect } from 'chai'
import { nodeValue, readDocuments, readValidDocuments, SourceError } from '../../../../src/upgrade/source/nodes.ts'

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

  it('rejects a collection that does not end', () => {
    expect(() => readDocuments('a:\n  b: [\n  1,\nc: 2\n')).to.throw(SourceError)
  })
})

/** Documents with the values of sigs.k8s.io/yaml 1.4.0, split by kubectl's reader. */
const DOCUMENTS: readonly (readonly [title: string, text: string, values: readonly unknown[]])[] = [
  ['addresses between brackets', 'a: [2001:db8::, "::1"]\n', [{ a: ['2001:db8::', '::1'] }]],
  ['a single pair between brackets', 'a: [b: 1, c]\n', [{ a: [{ b: 1 }, 'c'] }]],
  ['a block scalar without a last line feed', 'a: |\n  b', [{ a: 'b\n' }]],
  ['Windows line ends', 'a: |\r\n  b\r\n  c\r\n---\r\nd: >-\r\n  e\r\n  f\r\n', [{ a: 'b\nc\n' }, { d: 'e f' }]],
  [
    'byte order marks',
    '\ufeffa: 1\nb: 2\n---\n\ufeffc: 3\nd: 4\n',
    [
      { a: 1, b: 2 },
      { c: 3, d: 4 },
    ],
  ],
  ['separators with comments and blanks', '--- # first\na: 1\n---\t \n# nothing\n---\nb: 2\n', [{ a: 1 }, { b: 2 }]],
  [
    'anchors of one document',
    'a: &x [1]\nb: *x\n---\na: &x {c: 2}\nb: {<<: *x}\n',
    [
      { a: [1], b: [1] },
      { a: { c: 2 }, b: { c: 2 } },
    ],
  ],
  ['keys that are no text', 'true: 1\n1.0: 2\n0x10: 3\n', [{ true: 1, 1: 2, 16: 3 }]],
  ['tabs after values', 'a:\t1\t# one\nb: 2\t\n', [{ a: 1, b: 2 }]],
]

describe('documents of a text', () => {
  for (const [title, text, values] of DOCUMENTS)
    it(`have the values that kubectl reads: ${title}`, () => {
      const documents = readDocuments(text)
      expect(documents.map(({ value }) => value)).to.deep.equal(values)
      expect(documents.map(({ root }) => nodeValue(root))).to.deep.equal(values)
    })

  it('have the ranges of keys and values', () => {
    const text = '\ufeffa: &x !!str 1 # one\n---\r\nb:\r\n- |  # two\r\n  c\r\n\r\n- {d: [ e ] , f: "g"}\r\nh: \r\ni: *y\r\n'.replace(
      '*y',
      "'j'",
    )
    const ranges = readDocuments(text).flatMap(({ root }) =>
      root.kind === 'map'
        ? root.pairs.map(({ keyStart, keyEnd, value }) => [text.slice(keyStart, keyEnd), text.slice(value.start, value.end)])
        : [],
    )
    expect(ranges).to.deep.equal([
      ['a', '&x !!str 1'],
      ['b', '- |  # two\r\n  c\r\n\r\n- {d: [ e ] , f: "g"}'],
      ['h', ''],
      ['i', "'j'"],
    ])
  })

  it('are read beside one that is not valid, whose error has the line of the file', () => {
    const faults: SourceError[] = []
    const text = 'a: 1\n---\nb: [\n---\nc: 2\n---\nd: 1\ne\nf: 2\n---\ng: *h\n---\ni: !!int j\n'
    expect(readValidDocuments(text, faults).map(({ value }) => value)).to.deep.equal([{ a: 1 }, { c: 2 }])
    expect(faults.map(({ message, line, at }) => [line, text.slice(at, at + 2), message])).to.deep.equal([
      [3, '[\n', 'yaml: line 3: did not find expected node content'],
      [8, 'e\n', "yaml: line 9: could not find expected ':'"],
      [11, '*h', "yaml: unknown anchor 'h' referenced"],
      [13, '!!', 'yaml: cannot decode !!str `j` as a !!int'],
    ])
  })
})
