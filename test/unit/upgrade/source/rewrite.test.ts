import { expect } from 'chai'
import type { Json } from '../../../../src/api/meta/object.ts'
import { nodeValue, readDocuments, SourceError } from '../../../../src/upgrade/source/nodes.ts'
import { rewrite } from '../../../../src/upgrade/source/rewrite.ts'

/** Changes the value of the first document of a text. */
const change = (text: string, after: Json) => {
  const documents = readDocuments(text)
  const [first] = documents
  if (first === undefined) throw new Error('no document')
  return rewrite(text, documents, new Map([[0, [{ node: first.root, before: nodeValue(first.root), after }]]]))
}

const cases: readonly { readonly does: string; readonly text: string; readonly after: Json; readonly want: string }[] = [
  { does: 'changes a scalar and keeps the comment', text: 'a: 1  # one\nb: "2"\n', after: { a: 3, b: '2' }, want: 'a: 3  # one\nb: "2"\n' },
  {
    does: 'adds a member at the end',
    text: 'a:\n  b: 1 # x\n\n# end\n',
    after: { a: { b: 1, c: [1, 'x'] } },
    want: 'a:\n  b: 1 # x\n  c:\n  - 1\n  - x\n\n# end\n',
  },
  {
    does: 'indents lists as the text does',
    text: 'l:\n  - 1\na: 1\n',
    after: { l: [1], a: 1, m: [2] },
    want: 'l:\n  - 1\na: 1\nm:\n  - 2\n',
  },
  {
    does: 'takes a member out with its lines',
    text: 'a: 1\nb:\n  c: |\n    x\n    y\n\nd: 2\n',
    after: { a: 1, d: 2 },
    want: 'a: 1\n\nd: 2\n',
  },
  { does: 'takes the first member out of an item', text: 'l:\n- a: 1\n  b: 2\n', after: { l: [{ b: 2 }] }, want: 'l:\n- b: 2\n' },
  { does: 'leaves an empty map', text: 'a:\n  b: 1\nc: 2\n', after: { a: {}, c: 2 }, want: 'a: {}\nc: 2\n' },
  {
    does: 'renames a member whose value goes on',
    text: 'a:\n  # c\n  b: {x: 1}\n',
    after: { z: { b: { x: 1 } } },
    want: 'z:\n  # c\n  b: {x: 1}\n',
  },
  {
    does: 'puts new members in the place of those that go',
    text: 'name: web\np: 80 # port\nz: 1\n',
    after: { s: { name: 'web', p: { number: 81 } }, z: 1 },
    want: 's:\n  name: web\n  p:\n    number: 81\nz: 1\n',
  },
  {
    does: 'writes flow style where it stands',
    text: 'a: {b: 1, c: [x]}\n',
    after: { a: { b: 2, c: ['x', 'y, z'] } },
    want: 'a: {b: 2, c: [x, "y, z"]}\n',
  },
  {
    does: 'keeps quotes and comments between braces',
    text: 'a: {b: "x", # first\n  c: [{d: \'y\'}], e: 1 }\n',
    after: { a: { b: 'x', c: [{ d: 'z', f: true }], g: [1], h: 'q' } },
    want: 'a: {b: "x", # first\n  c: [{d: \'z\', f: true}], g: [1], h: q }\n',
  },
  {
    does: 'takes members out between braces',
    text: 'a: {b: 1, "c": 2, d: 3, e: 4}\n',
    after: { a: { c: 2, d: 3, e: 4 } },
    want: 'a: {"c": 2, d: 3, e: 4}\n',
  },
  { does: 'takes the last member out between braces', text: 'a: {b: 1, c: "2" }\n', after: { a: { b: 1 } }, want: 'a: {b: 1 }\n' },
  { does: 'empties braces', text: 'a: {b: 1, c: 2}\nd: 1\n', after: { a: {}, d: 1 }, want: 'a: {}\nd: 1\n' },
  {
    does: 'keeps JSON as it is indented',
    text: '{\n   "b": 1,\n   "a": [1]\n}\n',
    after: { b: 1, a: [2] },
    want: '{\n   "b": 1,\n   "a": [\n      2\n   ]\n}\n',
  },
  {
    does: 'keeps integers of JSON that no float has',
    text: '{\n  "n": 9007199254740993,\n  "a": [],\n  "b": {},\n  "c": 1\n}\n',
    after: { n: 9_007_199_254_740_993n, a: [], b: {}, c: 2 },
    want: '{\n  "n": 9007199254740993,\n  "a": [],\n  "b": {},\n  "c": 2\n}\n',
  },
  { does: 'gives an empty value what it is to have', text: 'a:\nb: 1\n', after: { a: { c: 1 }, b: 1 }, want: 'a:\n  c: 1\nb: 1\n' },
  {
    does: 'replaces an alias, not its anchor',
    text: 'a: &x {k: 1}\nb: *x\n',
    after: { a: { k: 1 }, b: { k: 2 } },
    want: 'a: &x {k: 1}\nb:\n  k: 2\n',
  },
  { does: 'keeps quotes', text: 'a: "1"\nb: \'2\'\n', after: { a: 'x', b: "it's" }, want: "a: \"x\"\nb: 'it''s'\n" },
  {
    does: 'adds behind what goes',
    text: 'l:\n- a:\n    x: 1\n    y: 2\n',
    after: { l: [{ a: { z: 3 }, b: 4 }] },
    want: 'l:\n- a:\n    z: 3\n  b: 4\n',
  },
  { does: 'ends lines as the text does', text: 'a: 1\r\nb: 2\r\n', after: { a: 1, b: { c: 3 } }, want: 'a: 1\r\nb:\r\n  c: 3\r\n' },
  { does: 'keeps an anchor and its columns', text: 'a: &x\n  b: 1\n', after: { a: { c: { d: 1 } } }, want: 'a: &x\n  c:\n    d: 1\n' },
  {
    does: 'moves the text of what is said elsewhere',
    text: 'old:\n  # about it\n  schema:\n    # first\n    a: "x"\n    b:   z\nend: 1\n',
    after: { new: [{ schema: { a: 'x', b: 'z', c: 1 } }], end: 1 },
    want: 'new:\n- # about it\n  schema:\n    # first\n    a: "x"\n    b:   z\n    c: 1\nend: 1\n',
  },
  {
    does: 'keeps texts of several lines',
    text: 'a: 1\n',
    after: { a: 1, b: 'x\n  y\n', c: ['p\nq'] },
    want: 'a: 1\nb: |\n  x\n    y\nc:\n- |-\n  p\n  q\n',
  },
]

describe('rewrite', () => {
  for (const { does, text, after, want } of cases) {
    it(does, () => {
      const { text: got, rewritten } = change(text, after)
      expect(got).to.equal(want)
      expect(rewritten).to.deep.equal([])
      expect(nodeValue(readDocuments(got)[0]?.root ?? expect.fail())).to.deep.equal(after)
    })
  }

  it('does not change other documents', () => {
    const rest = '---\n# second\nx:   1\n--- # third\n{"y": [1,2]}\n'
    expect(change(`a: 1\n${rest}`, { a: 2 }).text).to.equal(`a: 2\n${rest}`)
  })

  it('rewrites a document if a merged member has to be removed', () => {
    const { text, rewritten } = change('d: &d {a: 1, b: 2}\nx:\n  <<: *d # all\n  c: 3\n', { d: { a: 1, b: 2 }, x: { a: 1, c: 3 } })
    expect(nodeValue(readDocuments(text)[0]?.root ?? expect.fail())).to.deep.equal({ d: { a: 1, b: 2 }, x: { a: 1, c: 3 } })
    expect(rewritten.length).to.be.at.most(1)
  })

  it('reports the line of invalid YAML', () => {
    expect(() => readDocuments('a: 1\nb: [\n'))
      .to.throw(SourceError)
      .with.property('line', 2)
  })
})
