import { expect } from 'chai'
import { compareTables } from '../../../../hack/releases/compare-tables.ts'
import type { ModuleFiles } from '../../../../hack/releases/go-modules.ts'
import { TABLE_PATHS, type Tables } from '../../../../hack/releases/tables.ts'
import { withRelease } from '../../../../hack/releases/with-release.ts'
import { withoutRelease } from '../../../../hack/releases/without-release.ts'

const field = (name: string, number: number, type = 'string', json = `${name},omitempty`): string =>
  `\tX ${type} \`json:"${json}" protobuf:"bytes,${number},opt,name=${name}"\`\n`
const kind = (name: string, ...fields: string[]): string =>
  `// +genclient\ntype ${name} struct {\n\tmetav1.TypeMeta \`json:",inline"\`\n${fields.join('')}}\n`
const struct = (name: string, ...fields: string[]): string => `type ${name} struct {\n${fields.join('')}}\n`
const life = (name: string, member: string, minor: number): string =>
  `func (in *${name}) APILifecycle${member}() (major, minor int) {\n\treturn 1, ${minor}\n}\n`

interface Version {
  readonly types: string
  readonly lifecycles?: string
}

/** Modules of one version, as far as the test needs them. */
const modulesOf = (version: string, versions: Readonly<Record<string, Version>>, gates: string): ModuleFiles => ({
  version,
  paths: () => Object.keys(versions),
  isMissing: () => false,
  typeFiles: path => (versions[path] ? [versions[path].types] : []),
  lifecycles: path => versions[path]?.lifecycles ?? '',
  groupOf: path => (path.startsWith('library/') ? 'library.example.dev' : ''),
  gateFiles: () => [`var specs = {\n${gates}}\n`],
  metricFiles: () => [],
})

const ALPHA = '\tCovers: {\n\t\t{Version: version.MustParse("1.37"), Default: false, PreRelease: featuregate.Alpha},\n'
const BETA = '\t\t{Version: version.MustParse("1.38"), Default: true, PreRelease: featuregate.Beta},\n'
const PART = struct('Part', field('name', 1))
const BOOK = life('Book', 'Introduced', 36)
const PAGE = life('Page', 'Introduced', 35)
const OLD: Readonly<Record<string, Version>> = {
  'library/v1beta1': { types: kind('Book', field('title', 1), field('old', 2), field('parts', 3, '[]Part')) + PART, lifecycles: BOOK },
  'library/v1alpha1': { types: kind('Book', field('title', 1), field('old', 2)) },
  'library/v1alpha2': { types: kind('Page'), lifecycles: PAGE + life('Page', 'Deprecated', 37) + life('Page', 'Removed', 38) },
}
const NEW: Readonly<Record<string, Version>> = {
  'library/v1beta1': {
    types: `// +enum\ntype Color string\nconst (\n\tRed Color = "Red"\n)\n${kind('Book', field('title', 1, 'string', 'title'), `// +featureGate=Covers\n${field('color', 4, '*Color')}`, field('parts', 3, '[]Part'))}${PART}`,
    lifecycles: BOOK + life('Book', 'Deprecated', 38) + life('Book', 'Removed', 41),
  },
  'library/v1alpha2': { types: kind('Page'), lifecycles: PAGE + life('Page', 'Deprecated', 37) },
  'library/v1': {
    types: kind('Book', field('title', 1, 'string', 'title'), field('parts', 3, '[]Part')) + PART,
    lifecycles: life('Book', 'Introduced', 38),
  },
}

const TABLES: Tables = new Map([
  [
    TABLE_PATHS.release,
    "export const NEWEST_RELEASE: Release = '1.37'\nexport const PREVIEWS: Readonly<Partial<Record<Release, string>>> = {}\n",
  ],
  [
    TABLE_PATHS.packages,
    "const FILES = {\n  library: 'library/v1beta1',\n  libraryV1alpha1: 'library/v1alpha1',\n  libraryV1alpha2: 'library/v1alpha2',\n} as const\n",
  ],
  [TABLE_PATHS.gates, "export const GATE_TABLE = {\n  Covers: 'read 37A-',\n}\n"],
  [
    TABLE_PATHS.kinds,
    "export const LIFECYCLES: X = {\n  'library.example.dev/v1beta1': {\n    Book: since('1.36'),\n  },\n  'library.example.dev/v1alpha1': {\n    Book: since('1.36'),\n  },\n  'library.example.dev/v1alpha2': {\n    Page: since('1.35', '1.37', '1.38'),\n  },\n}\n",
  ],
  [TABLE_PATHS.storage, "const STORED: X = {\n  'library.example.dev/books': '36 v1beta1',\n}\n"],
  [
    'src/api/library/v1alpha1.types',
    '// The types of library/v1alpha1.\npackage libraryV1alpha1 io.k8s.api.library.v1alpha1\n\ntype Book typemeta\n  title 1 string? minimum(1)\n  old 2 string?\n',
  ],
  [
    'src/api/library/v1alpha2.types',
    '// The types of library/v1alpha2.\npackage libraryV1alpha2 io.k8s.api.library.v1alpha2\n\ntype Page typemeta\n',
  ],
  [
    'src/api/library/v1beta1.types',
    '// The types of library/v1beta1.\npackage library io.k8s.api.library.v1beta1\n\ntype Book typemeta\n  title 1 string? minimum(1)\n  old 2 string?\n  parts 3 []Part?\n\ntype Part\n  name 1 string?\n',
  ],
])

describe('addition of a release to the tables', () => {
  const old = modulesOf('v0.37.0', OLD, `${ALPHA}\t},\n`)
  const preview = modulesOf('v0.38.0-beta.0', NEW, `${ALPHA}${BETA}\t},\n`)
  const { tables, notes } = withRelease(TABLES, old, preview)
  const textOf = (path: string): string[] => (tables.get(path) ?? '').split('\n').filter(line => line !== '')

  it('writes lists of releases and packages', () => {
    expect(textOf(TABLE_PATHS.release)).to.deep.equal([
      "export const NEWEST_RELEASE: Release = '1.38'",
      "export const PREVIEWS: Readonly<Partial<Record<Release, string>>> = { '1.38': 'v1.38.0-beta.0' }",
    ])
    expect(textOf(TABLE_PATHS.packages)).to.include("  libraryV1: 'library/v1',")
    expect(notes.get('New kinds (src/resources)')).to.deep.equal(['library/v1 Book'])
  })

  it('writes gates, lifecycles and storage versions', () => {
    expect(textOf(TABLE_PATHS.gates)[1]).to.equal("  Covers: 'read 37A- 38B+',")
    expect(textOf(TABLE_PATHS.kinds).slice(1, -1)).to.deep.equal([
      "  'library.example.dev/v1beta1': {",
      "    Book: formerly('1.38', {}, since('1.36', '1.38', '1.41')),",
      '  },',
      "  'library.example.dev/v1alpha1': {",
      "    Book: withdrawn('1.38', since('1.36')),",
      '  },',
      "  'library.example.dev/v1alpha2': {",
      "    Page: formerly('1.38', { deprecated: '1.37', removed: '1.38' }, since('1.35', '1.37')),",
      '  },',
      "  'library.example.dev/v1': {",
      "    Book: since('1.38'),",
      '  },',
    ])
    expect(textOf(TABLE_PATHS.storage)[1], 'v1 is stored a release later').to.equal("  'library.example.dev/books': '36 v1beta1',")
  })

  it('declares fields, values and types', () => {
    expect(textOf('src/api/library/v1beta1.types').slice(2)).to.deep.equal([
      'enum Color Red',
      'type Book typemeta',
      '  title 1 string? minimum(1) until(1.38)',
      '  title 1 string minimum(1) since(1.38)',
      '  color 4 *Color? gate(Covers) since(1.38)',
      '  old 2 string? until(1.38)',
      '  parts 3 []Part?',
      'type Part',
      '  name 1 string?',
    ])
    expect(textOf('src/api/library/v1.types').slice(1)).to.deep.equal([
      'package libraryV1 io.k8s.api.library.v1',
      'types Part like library',
      'type Book typemeta',
      '  title 1 string',
      '  parts 3 []Part?',
    ])
    expect(textOf('src/api/library/v1alpha1.types'), 'a version that is gone').to.deep.equal(
      TABLES.get('src/api/library/v1alpha1.types')?.split('\n').filter(Boolean),
    )
  })

  it('changes nothing the second time, and ends a preview', () => {
    expect([...withRelease(tables, old, preview).tables].sort()).to.deep.equal([...tables].sort())
    const final = withRelease(tables, preview, modulesOf('v0.38.0', NEW, `${ALPHA}${BETA}\t},\n`)).tables
    expect([...final].filter(([path, text]) => tables.get(path) !== text).map(([, text]) => text.split('\n').slice(0, 2))).to.deep.equal([
      ["export const NEWEST_RELEASE: Release = '1.38'", 'export const PREVIEWS: Readonly<Partial<Record<Release, string>>> = {}'],
    ])
  })

  it('is undone by the removal of the release', () => {
    const isLater = (path: string, name: string): boolean => path === 'library/v1' || name === 'Color'
    expect([...withoutRelease(tables, '1.38', isLater)].sort()).to.deep.equal([...TABLES].sort())
  })

  it('compares what tables mean', () => {
    const compared = { minors: [36, 37, 38], isNewType: (path: string) => path === 'library/v1', gates: new Set(['Covers']) }
    expect([...compareTables(tables, tables, compared).lines]).to.deep.equal([])
    const other = new Map(
      [...tables].map(([path, text]) => [
        path,
        text.replace(' minimum(1) since', ' since').replace('color 4', 'color 5').replace(' 38B+', ''),
      ]),
    )
    expect(
      Object.fromEntries([...compareTables(other, tables, compared).lines].map(([subject, lines]) => [subject, lines.length])),
    ).to.deep.equal({
      'rules, and uses of gates, of fields': 1,
      fields: 1,
      gates: 1,
    })
  })
})
