import { expect } from 'chai'
import { readSharedTests, type SharedTests, TestMap } from '../../../hack/support/test-map.ts'

const CODE = 'export const a = 1\n'

/** A map of files by their text. */
function mapOf(files: Readonly<Record<string, string>>, shared: readonly SharedTests[] = []): TestMap {
  const all = Object.entries(files).map(([path, text]) => ({ path, text }))
  return new TestMap({
    sources: all.filter(({ path }) => path.startsWith('src/')),
    tests: all.filter(({ path }) => path.startsWith('test/')),
    shared,
  })
}
const importing = (...paths: string[]): string => paths.map(path => `import { a } from '${path}'\n`).join('')

describe('hack/test-map', () => {
  it('finds a test by name before all others', () => {
    const map = mapOf({
      'src/a/b.ts': CODE,
      'test/unit/a/b.test.ts': '',
      'test/unit/a/c.test.ts': importing('../../../src/a/b.ts'),
    })
    expect(map.testsOf('src/a/b.ts')).to.deep.equal(['test/unit/a/b.test.ts'])
    expect(map.problems()).to.deep.equal([])
  })

  it('finds the tests of the nearest folder that reach a source through files of that folder', () => {
    const files = {
      'src/a/b/c.ts': importing('./d.ts', '../other.ts') + CODE,
      'src/a/b/d.ts': CODE,
      'src/a/other.ts': CODE,
      'test/unit/a/b.test.ts': importing('../../../src/a/b/c.ts'),
    }
    expect(mapOf(files).testsOf('src/a/b/d.ts')).to.deep.equal(['test/unit/a/b.test.ts'])
    expect(mapOf({ ...files, 'src/a/b/d.ts': CODE, 'src/a/b/c.ts': CODE }).testsOf('src/a/b/d.ts')).to.deep.equal([])
    expect(mapOf(files).testsOf('src/a/other.ts'), 'of the folder above').to.deep.equal(['test/unit/a/b.test.ts'])
    expect(
      mapOf({ ...files, 'src/a/other.ts': CODE, 'src/e/f.ts': importing('../a/other.ts') + CODE }).testsOf('src/e/f.ts'),
    ).to.deep.equal([])
  })

  it('does not count imports of types, nor tests of all resources', () => {
    expect(
      mapOf({ 'src/a/b.ts': CODE, 'test/unit/a/c.test.ts': "import type { B } from '../../../src/a/b.ts'\n" }).testsOf('src/a/b.ts'),
    ).to.deep.equal([])
    const all = { 'src/resources/a/b.ts': CODE, 'test/unit/resources/all.test.ts': importing('../../../src/resources/a/b.ts') }
    expect(mapOf(all).testsOf('src/resources/a/b.ts')).to.deep.equal([])
  })

  it('finds the tests of the table, which import the source or start the program', () => {
    const files = {
      'src/a/b.ts': CODE,
      'test/unit/c/d.test.ts': importing('../../../src/a/b.ts', '../../../src/c/d.ts'),
      'test/unit/c/e.test.ts': importing('../../../src/c/d.ts'),
      'src/c/d.ts': CODE,
      'test/integration/f.test.ts': '',
    }
    const row = { sources: ['src/a/'], tests: ['test/unit/c/', 'test/integration/f.test.ts'] }
    expect(mapOf(files, [row]).testsOf('src/a/b.ts')).to.deep.equal(['test/unit/c/d.test.ts', 'test/integration/f.test.ts'])
    expect(mapOf(files, [row]).problems()).to.deep.equal([])
  })

  it('reports sources without a test, unless they only declare types', () => {
    const [problem, ...more] = mapOf({ 'src/a/b.ts': CODE, 'src/a/c.ts': 'export interface C {}\n' }).problems()
    expect(problem).to.match(/^src\/a\/b\.ts: no test/)
    expect(more).to.deep.equal([])
  })

  it('reports tests whose source is gone', () => {
    const files = { 'src/a/b.ts': CODE, 'test/unit/a/b.test.ts': importing('../../../src/a/b.ts') }
    expect(mapOf({ ...files, 'test/unit/a/suite.test.ts': importing('./b.test.ts') }).problems()).to.deep.equal([])
    const gone = mapOf({
      ...files,
      'test/unit/a/gone.test.ts': importing('../../support/x.ts'),
      'test/unit/c/moved.test.ts': importing('../../../src/a/b.ts'),
    })
    expect(gone.problems().map(problem => problem.split(':')[0])).to.deep.equal(['test/unit/a/gone.test.ts', 'test/unit/c/moved.test.ts'])
  })

  it('reports rows of the table that no source needs, and tests that are not there', () => {
    const files = { 'src/a/b.ts': CODE, 'test/unit/a/b.test.ts': '' }
    expect(mapOf(files, [{ sources: ['src/a/', 'src/c/'], tests: ['test/integration/c.test.ts'] }]).problems()).to.deep.equal([
      'test/README.md: src/a/ needs no row: its sources find their tests',
      'test/README.md: src/c/ needs no row: its sources find their tests',
      'test/README.md: no tests at test/integration/c.test.ts',
    ])
  })

  it('reads the table of the README', () => {
    const readme =
      '# test\n\n| `x` | `y` |\n\n## Tests of a source\n\n| Sources | Tests |\n| --- | --- |\n| `a/{b,c}`, `d/` | `unit/e/`, `integration/f` |\n\n## More\n\n| `x` | `y` |\n'
    expect(readSharedTests(readme)).to.deep.equal([
      { sources: ['src/a/b.ts', 'src/a/c.ts', 'src/d/'], tests: ['test/unit/e/', 'test/integration/f.test.ts'] },
    ])
  })

  it('reports unit and integration tests that start the program, also through files that they share', () => {
    const files = {
      'test/integration/a.test.ts': importing('../support/b.ts'),
      'test/integration/c.test.ts': '',
      'test/unit/hack/e.test.ts': importing('../../support/started-server.ts'),
      'test/e2e/d.test.ts': importing('../support/started-server.ts'),
      'test/support/b.ts': importing('./started-server.ts'),
      'test/support/started-server.ts': CODE,
    }
    expect(mapOf(files).problems()).to.deep.equal([
      'test/unit/hack/e.test.ts: no source: neither one of this name, nor a folder whose files it reaches',
      'test/integration/a.test.ts: starts the program in a process of its own, as tests of test/e2e do',
      'test/unit/hack/e.test.ts: starts the program in a process of its own, as tests of test/e2e do',
    ])
  })
})
