import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { FLOORS, floorProblems, SEPARATE } from '../../../hack/support/floors.ts'
import { sourceFiles } from '../../../hack/support/source-files.ts'

const problemsOf = (texts: Readonly<Record<string, string>>): string[] =>
  floorProblems(Object.entries(texts).map(([path, text]) => ({ path, text })))

describe('the floors of src', () => {
  it('are those of the table in docs/architecture.md', () => {
    const section = readFileSync('docs/architecture.md', 'utf8').split('\n## Layers\n')[1]?.split('\n## ')[0] ?? ''
    const rows = section.split('\n').filter(line => line.startsWith('| `'))
    expect(rows.map(row => (row.split('|')[1] ?? '').match(/(?<=`)[\w.-]+(?=`)/g))).to.deep.equal(FLOORS)
    expect(Object.keys(SEPARATE).filter(folder => !section.includes(`\`${folder}\`, `))).to.deep.equal([])
  })

  it('have each folder once', () => {
    const folders = [...FLOORS.flat(), ...Object.keys(SEPARATE)]
    const present = new Set(sourceFiles('src').map(({ path }) => path.split('/')[1]))
    expect(folders.toSorted()).to.deep.equal([...present].sort())
  })
})

describe('the report on floors', () => {
  it('accepts imports of lower floors and of the folder itself', () => {
    expect(
      problemsOf({ 'src/server/a.ts': "import { b } from './b.ts'\nimport { c } from '../lib/c.ts'\nimport x from 'node:fs'" }),
    ).to.deep.equal([])
  })

  it('names an import of a higher floor, if only of a type', () => {
    expect(problemsOf({ 'src/lib/a.ts': "import type { B } from '../meta/b.ts'" })).to.deep.equal([
      'src/lib/a.ts imports src/meta/b.ts: src/meta is not below src/lib',
    ])
  })

  it('names an import of the same floor', () => {
    expect(problemsOf({ 'src/codec/a.ts': "import { b } from '../cel/rules/b.ts'" })).to.deep.equal([
      'src/codec/a.ts imports src/cel/rules/b.ts: src/cel is not below src/codec',
    ])
  })

  it('names every form of import', () => {
    const text =
      "export { a } from '../meta/a.ts'\nimport '../meta/b.ts'\nconst c = await import('../meta/c.ts')\nimport {\n  d,\n} from '../meta/d.ts'"
    expect(problemsOf({ 'src/lib/a.ts': text })).to.have.length(4)
  })

  it('names imports from and to separate folders, and from outside', () => {
    expect(
      problemsOf({ 'src/console/a.ts': "import { b } from '../lib/b.ts'", 'src/server/a.ts': "import { b } from '../console/b.ts'" }),
    ).to.have.length(2)
    expect(problemsOf({ 'src/console/a.ts': "import { lineDiff } from '../lib/line-diff.ts'" })).to.deep.equal([])
    expect(problemsOf({ 'src/lib/a.ts': "import { b } from '../../test/b.ts'" })).to.deep.equal([
      'src/lib/a.ts imports test/b.ts: it is outside src',
    ])
  })

  it('names a folder without a floor', () => {
    expect(problemsOf({ 'src/attic/a.ts': "import { b } from '../lib/b.ts'" })).to.deep.equal([
      'src/attic is on no floor: add it to hack/support/floors.ts',
    ])
  })
})
