import { expect } from 'chai'
import { locateField, locatePointer, SourceText } from '../../../../src/check/input/position.ts'
import { readDocuments, type SourceNode } from '../../../../src/upgrade/source/nodes.ts'

const TEXT = `apiVersion: v1
metadata:
  labels:
    a.b/c: x
    a.b: w
spec:
  ports:
  - name: one
    port: 80
  - port: 81
    protocol: UDP
    name: two
  - {name: three, port: "82", name: again}
  base: &base {size: 1}
  merged:
    <<: *base
    color: red
  alias: *base
`

const ROOT = (readDocuments(TEXT)[0] as { readonly root: SourceNode }).root
const SOURCE = new SourceText('a.yaml', TEXT)

/** Line and column of a field, its path, and whether it was found. */
const located = (path: string, search?: Parameters<typeof locateField>[2]): string => {
  const { range, path: found, isExact } = locateField(ROOT, path, search)
  const { line, column } = SOURCE.position(range)
  return `${line}:${column} ${found}${isExact ? '' : ' (parent)'}`
}

describe('positions of fields', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['spec.ports[1].port', '10:5 spec.ports[1].port'],
    ['.spec.ports[port=81,protocol="UDP"].name', '12:5 spec.ports[1].name'],
    ['.spec.ports[port=80,protocol="TCP"].name', '8:5 spec.ports[0].name'],
    ['spec.ports[0].protocol', '8:5 spec.ports[0] (parent)'],
    ['spec.ports[7].name', '7:3 spec.ports (parent)'],
    ['metadata.labels[a.b/c]', '4:5 metadata.labels[a.b/c]'],
    ['metadata.labels.a.b', '5:5 metadata.labels[a.b]'],
    ['metadata.annotations', '2:1 metadata (parent)'],
    ['spec.ports.protocol', '11:5 spec.ports[1].protocol'],
    ['spec.merged.size', '14:16 spec.merged.size'],
    ['spec.merged.color', '17:5 spec.merged.color'],
    ['spec.alias.size', '14:16 spec.alias.size'],
    ['spec.ports[2].name', '13:31 spec.ports[2].name'],
    ['', '1:1 '],
  ]
  for (const [path, expected] of cases) it(`locates ${JSON.stringify(path)}`, () => expect(located(path)).to.equal(expected))

  it('locates the first node that is accepted', () => {
    const isText = (node: SourceNode): boolean => node.kind === 'scalar' && typeof node.value === 'string'
    expect(located('spec.ports.port', { accepts: isText })).to.equal('13:19 spec.ports[2].port')
  })

  it('locates the member of a map of which only the map is named', () => {
    const isText = (node: SourceNode): boolean => node.kind === 'scalar' && node.value === 'w'
    expect(located('metadata.labels', { accepts: isText })).to.equal('5:5 metadata.labels[a.b]')
  })

  it('locates JSON pointers', () => {
    const { range, isExact } = locatePointer(ROOT, '/metadata/labels/a.b~1c')
    expect([SOURCE.position(range).line, isExact]).to.deep.equal([4, true])
    expect(locatePointer(ROOT, '/spec/ports/0/none').isExact).to.equal(false)
  })

  it('counts lines of a text with carriage returns', () => {
    const text = new SourceText('b', 'a\r\nbc\r\n')
    expect(text.position({ start: 4, end: 5 })).to.deep.equal({ file: 'b', line: 2, column: 2, endLine: 2, endColumn: 3 })
    expect(text.line(2)).to.equal('bc')
  })
})
