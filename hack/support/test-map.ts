import { dirname, join } from 'node:path'
import type { SourceFile } from './source-files.ts'

/** Imports of values: a test does not exercise a file of which it imports types alone. */
const IMPORT = /^(?:import|export)\b(?! type\b)[^'";]*from '(\.[^']+)'|\bimport\('(\.[^']+)'\)/gm
/** A file without these declares types, or is an entry that calls others: it needs no test. */
const TESTABLE = /^export (?:async |abstract )*(?:function|const|class)\b/m

/** A row of the table in test/README.md. Paths are from the root of the repository; those of folders end with `/`. */
export interface SharedTests {
  readonly sources: readonly string[]
  readonly tests: readonly string[]
}

export interface TestMapFiles {
  /** Sources whose tests are looked for, without those that are generated. */
  readonly sources: readonly SourceFile[]
  /** Tests and the files that they share. */
  readonly tests: readonly SourceFile[]
  readonly shared: readonly SharedTests[]
}

/** Unit tests of files outside `src`, by the folder of the tests: the folders with the sources. */
const OTHER_SOURCES: Readonly<Record<string, readonly string[]>> = {
  'test/unit/hack/docs/': ['hack/docs/'],
  'test/unit/hack/': ['hack/support/', 'hack/types/', 'hack/docs/', 'hack/releases/'],
  'test/unit/support/': ['test/support/'],
}
/** Unit tests of no source: of facts of Kubernetes, of the examples of CONTRIBUTING.md, and of manifests. */
const WITHOUT_SOURCE = /^test\/unit\/(?:reference\/|manifests\/|examples\.)/

/** Files that start the program in a process of its own. */
const STARTERS = ['test/support/server-program.ts', 'test/support/started-server.ts']

/** Path of the test that a source finds by name. */
const namedTest = (source: string): string => source.replace(/^src\//, 'test/unit/').replace(/\.tsx?$/, '.test.ts')
const isTest = (path: string): boolean => path.endsWith('.test.ts')
const isIn = (path: string, place: string): boolean => (place.endsWith('/') ? path.startsWith(place) : path === place)

/**
 * The folder of a source and those above it, nearest first. `src` itself and `src/resources` have tests of everything,
 * and are left out.
 */
function foldersOf(source: string): string[] {
  const folders: string[] = []
  for (let folder = dirname(source); folder !== 'src' && folder !== 'src/resources'; folder = dirname(folder)) folders.push(folder)
  return folders
}

/** Finds the tests of sources by the rule of test/README.md. Paths are from the root of the repository. */
export class TestMap {
  readonly #files: TestMapFiles
  readonly #texts: ReadonlyMap<string, string>
  /** Unit tests by their folder and those above it. A test beside a folder of its name is a test of that folder. */
  readonly #inFolder = new Map<string, string[]>()
  readonly #imports = new Map<string, readonly string[]>()
  readonly #reached = new Map<string, ReadonlySet<string>>()

  constructor(files: TestMapFiles) {
    this.#files = files
    this.#texts = new Map([...files.sources, ...files.tests].map(({ path, text }) => [path, text]))
    for (const path of this.#unitTests())
      for (let folder = path.replace('.test.ts', ''); folder !== 'test'; folder = dirname(folder))
        this.#inFolder.set(folder, [...(this.#inFolder.get(folder) ?? []), path])
  }

  /**
   * Returns the tests of a source: the one of its name, or those of the nearest folder that reach it, or those of the
   * table.
   */
  testsOf(source: string): readonly string[] {
    const own = this.#ownTests(source)
    if (own.length > 0) return own
    return this.#files.shared
      .filter(({ sources }) => sources.some(place => isIn(source, place)))
      .flatMap(({ tests }) => this.#tableTests(tests, source))
  }

  #ownTests(source: string): readonly string[] {
    const byName = namedTest(source)
    if (this.#texts.has(byName)) return [byName]
    for (const folder of foldersOf(source)) {
      const found = (this.#inFolder.get(folder.replace(/^src/, 'test/unit')) ?? []).filter(test =>
        this.#reach(test, `${folder}/`).has(source),
      )
      if (found.length > 0) return found
    }
    return []
  }

  /**
   * Describes each source without a test, each unit test without a source, each of them and of the integration tests
   * that starts the program, and each place of the table that is of no use.
   */
  problems(): string[] {
    const untested = this.#files.sources
      .filter(({ path, text }) => TESTABLE.test(text) && this.testsOf(path).length === 0)
      .map(
        ({ path }) =>
          `${path}: no test: neither ${namedTest(path)}, nor a test of its folder that reaches it, nor one of the table in test/README.md`,
      )
    const gone = this.#unitTests()
      .filter(test => !this.#hasSource(test))
      .map(test => `${test}: no source: neither one of this name, nor a folder whose files it reaches`)
    return [...untested, ...gone, ...this.#misplaced(), ...this.#files.shared.flatMap(row => this.#rowProblems(row))]
  }

  #misplaced(): string[] {
    const tests = [...this.#texts.keys()].filter(path => /^test\/(?:unit|integration)\//.test(path) && isTest(path))
    return tests
      .filter(test => STARTERS.some(file => this.#reach(test, 'src/').has(file)))
      .map(test => `${test}: starts the program in a process of its own, as tests of test/e2e do`)
  }

  #unitTests(): string[] {
    return this.#files.tests.map(({ path }) => path).filter(path => path.startsWith('test/unit/') && isTest(path))
  }

  /** Tests that start the program reach no source by imports. */
  #tableTests(places: readonly string[], source: string): string[] {
    const tests = [...this.#texts.keys()].filter(path => isTest(path) && places.some(place => isIn(path, place)))
    return tests.filter(test => !test.startsWith('test/unit/') || this.#reach(test, 'src/').has(source))
  }

  #rowProblems({ sources, tests }: SharedTests): string[] {
    const paths = [...this.#texts.keys()]
    const needed = this.#files.sources.filter(({ path, text }) => TESTABLE.test(text) && this.#ownTests(path).length === 0)
    return [
      ...sources
        .filter(place => !needed.some(({ path }) => isIn(path, place)))
        .map(place => `test/README.md: ${place} needs no row: its sources find their tests`),
      ...tests.filter(place => !paths.some(path => isTest(path) && isIn(path, place))).map(place => `test/README.md: no tests at ${place}`),
    ]
  }

  #hasSource(test: string): boolean {
    if (WITHOUT_SOURCE.test(test)) return true
    const other = Object.entries(OTHER_SOURCES).find(([folder]) => test.startsWith(folder))
    const folders = other
      ? other[1]
      : [`${test.replace('test/unit', 'src').replace('.test.ts', '')}/`, `${dirname(test).replace('test/unit', 'src')}/`]
    const reached = [...this.#reach(test, 'src/')]
    if (other) return reached.some(path => folders.some(folder => path.startsWith(folder)))
    const byName = test.replace('test/unit', 'src').replace('.test.ts', '')
    return (
      this.#texts.has(`${byName}.ts`) ||
      this.#texts.has(`${byName}.tsx`) ||
      reached.some(path => folders.some(folder => path.startsWith(folder)))
    )
  }

  #importsOf(path: string): readonly string[] {
    let imports = this.#imports.get(path)
    if (imports === undefined) {
      imports = [...(this.#texts.get(path) ?? '').matchAll(IMPORT)].map(([, from, called]) =>
        join(dirname(path), (from ?? called) as string),
      )
      this.#imports.set(path, imports)
    }
    return imports
  }

  /**
   * Returns the files that a test reaches by imports: through other files of `test`, and through sources below a
   * folder, which ends with `/`, alone.
   */
  #reach(test: string, folder: string): ReadonlySet<string> {
    const key = `${test} ${folder}`
    const known = this.#reached.get(key)
    if (known) return known
    const reached = new Set<string>()
    const visit = (path: string): void => {
      if (reached.has(path)) return
      reached.add(path)
      for (const next of this.#importsOf(path)) if (path.startsWith('test/') || next.startsWith(folder)) visit(next)
    }
    visit(test)
    this.#reached.set(key, reached)
    return reached
  }
}

/** `unit/{a,b}/` as `unit/a/` and `unit/b/`. */
export function withoutBraces(text: string): string[] {
  const [, before, inside, after] = /^([^{]*)\{([^}]*)\}(.*)$/.exec(text) ?? []
  return inside === undefined ? [text] : inside.split(',').flatMap(part => withoutBraces(`${before}${part}${after}`))
}

/** Reads the table below the heading "Tests of a source" of test/README.md. */
export function readSharedTests(readme: string): SharedTests[] {
  const section = readme.split(/^## /m).find(text => text.startsWith('Tests of a source')) ?? ''
  const rows = section.split('\n').filter(line => line.startsWith('| `'))
  return rows.map(row => {
    const [sources = [], tests = []] = row
      .slice(1)
      .split('|')
      .map(cell => [...cell.matchAll(/`([^`]+)`/g)].flatMap(([, path = '']) => withoutBraces(path)))
    const place = (path: string, extension: string): string => (path.endsWith('/') ? path : `${path}${extension}`)
    return { sources: sources.map(path => place(`src/${path}`, '.ts')), tests: tests.map(path => place(`test/${path}`, '.test.ts')) }
  })
}
