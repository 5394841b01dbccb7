import { minorOf, type Release } from '../../src/lifecycle/release.ts'
import { compareVersionNames } from '../../src/meta/gvk.ts'
import { type PackageChange, TypesEditor } from './edit-types.ts'
import { type GateStates, readGates, statesIn, withGates } from './go-gates.ts'
import { readLifecycles } from './go-lifecycles.ts'
import { metricDifferences, readMetrics } from './go-metrics.ts'
import type { ModuleFiles } from './go-modules.ts'
import { type GoTypes, readGoConstants, readGoTypes } from './go-structs.ts'
import { type VersionLifecycles, withLifecycles } from './kinds-table.ts'
import { packageIdOf, withNewestRelease, withPackage } from './release-lists.ts'
import { withStorageVersions } from './storage-table.ts'
import { TABLE_PATHS, type Tables, tableText, typesIn, withTypes } from './tables.ts'
import { TypesFile, type TypesFiles } from './types-file.ts'

/** Tables with a release, and what has to be looked at, by subject. */
export interface ReleaseAdded {
  readonly tables: Tables
  readonly notes: ReadonlyMap<string, readonly string[]>
}

/** Returns `1.38` for v0.38.0-beta.0. */
export function releaseOf(version: string): Release {
  const minor = /^v0\.(\d+)\.\d/.exec(version)?.[1]
  if (minor === undefined) throw new Error(`${version} is not a version such as v0.38.0`)
  return `1.${Number(minor)}`
}

/**
 * Adds a release to the tables: what the published modules of two versions say. Nothing changes in tables that have it
 * already.
 */
export function withRelease(tables: Tables, before: ModuleFiles, after: ModuleFiles): ReleaseAdded {
  const release = releaseOf(after.version)
  const notes = new Map<string, string[]>()
  const noteOn =
    (subject: string) =>
    (text: string): void => {
      notes.set(subject, [...(notes.get(subject) ?? []), text])
    }
  const next = new Map(tables)
  const preview = after.version.includes('-') ? after.version.replace('v0.', 'v1.') : undefined
  next.set(TABLE_PATHS.release, withNewestRelease(tableText(tables, 'release'), release, preview))
  addGates(next, before, after, noteOn('Gates'))
  const files = typesIn(next)
  const known = files.all().map(({ path }) => path)
  const changes = packageChanges(files, known, before, after)
  addPackages(next, files, changes, noteOn('New group versions: serve their kinds'))
  for (const { path, before: was, after: is } of changes)
    if (was && !is && after.isMissing(path)) noteOn('Types')(`${path} is in no module of this version: compare it by hand`)
  new TypesEditor(files, changes, release, noteOn('Types')).run()
  for (const change of changes) for (const text of ruleDifferences(change)) noteOn('Declared validation (src/schema/rule-kinds.ts)')(text)
  const lifecycles = changes.flatMap(change => lifecyclesOf(change, before, after))
  next.set(TABLE_PATHS.kinds, withLifecycles(tableText(next, 'kinds'), lifecycles, release, noteOn('Lifecycles')))
  noteResources(changes, noteOn('New kinds (src/resources)'))
  const stored = withStorageVersions(tableText(next, 'storage'), tableText(next, 'kinds'), release)
  next.set(TABLE_PATHS.storage, stored.text)
  for (const text of stored.changes) noteOn('Storage versions by the rule: look for exceptions')(text)
  for (const text of metricDifferences(readMetrics(before.metricFiles()), readMetrics(after.metricFiles())))
    noteOn('Metrics (src/lifecycle/metric-lives.ts)')(text)
  return { tables: withTypes(next, files), notes }
}

function addGates(tables: Map<string, string>, before: ModuleFiles, after: ModuleFiles, note: (text: string) => void): void {
  const minor = minorOf(releaseOf(after.version))
  const statesOf = (modules: ModuleFiles): GateStates => new Map(modules.gateFiles().flatMap(text => [...readGates(text)]))
  const old = statesIn(statesOf(before), minorOf(releaseOf(before.version)))
  const { text, changes } = withGates(tableText(tables, 'gates'), old, statesIn(statesOf(after), minor), minor)
  tables.set(TABLE_PATHS.gates, text)
  for (const change of changes) note(change)
}

/** Groups of messages that servers exchange. They are declared in one form for all releases. */
const EXCHANGED = /^(?:admission|apidiscovery|imagepolicy)\//

/**
 * Reads the types of both versions. Packages that no file declares are read if the new version has them and the old one
 * does not.
 */
function packageChanges(files: TypesFiles, known: readonly string[], before: ModuleFiles, after: ModuleFiles): PackageChange[] {
  const [old, next] = [new Set(before.paths()), new Set(after.paths())]
  const ids = new Map(known.map(path => [path, files.byPath(path)?.id ?? path]))
  const idOf = (path: string): string => {
    const id = ids.get(path) ?? packageIdOf(path, [...ids.values()])
    ids.set(path, id)
    return id
  }
  const packageOf = (path: string): string | undefined => {
    const found = /^k8s\.io\/api\/(\w+\/v\w+)$/.exec(path)?.[1] ?? /^k8s\.io\/apimachinery\/pkg\/apis\/(meta\/v1)$/.exec(path)?.[1]
    return found !== undefined && (old.has(found) || next.has(found)) ? idOf(found) : undefined
  }
  const constants = new Map([before, after].map(modules => [modules, readGoConstants(modules.typeFiles('core/v1'))]))
  const typesOf = (modules: ModuleFiles, paths: ReadonlySet<string>, path: string): GoTypes | undefined =>
    paths.has(path) ? readGoTypes(modules.typeFiles(path), { packageOf, constants: constants.get(modules) ?? new Map() }) : undefined
  const paths = [...new Set([...known.filter(path => !EXCHANGED.test(path)), ...[...next].filter(path => !old.has(path)).sort(byVersion)])]
  return paths.map(path => ({ path, before: typesOf(before, old, path), after: typesOf(after, next, path) }))
}

/** Orders stable versions first, as other versions repeat their types. */
const byVersion = (a: string, b: string): number =>
  compareVersionNames(a.slice(a.indexOf('/') + 1), b.slice(b.indexOf('/') + 1)) || (a < b ? -1 : 1)

/** Adds files for packages that the new version adds. Their types are declared afterwards. */
function addPackages(
  tables: Map<string, string>,
  files: TypesFiles,
  changes: readonly PackageChange[],
  note: (text: string) => void,
): void {
  for (const { path, before, after } of changes) {
    if (files.byPath(path) || before || !after) continue
    const ids = files.all().map(({ id }) => id)
    const id = packageIdOf(path, ids)
    files.add(new TypesFile(path, `// The types of ${path}.\npackage ${id} io.k8s.api.${path.replace('/', '.')}\n`))
    tables.set(TABLE_PATHS.packages, withPackage(tableText(tables, 'packages'), { id, path }))
    note(path)
  }
}

/** Some alpha versions state no lifecycles: their kinds begin with the release that adds them. */
function lifecyclesOf({ path, before, after }: PackageChange, old: ModuleFiles, next: ModuleFiles): VersionLifecycles[] {
  if ((!before && !after) || (!after && next.isMissing(path))) return []
  const group = (after ? next : old).groupOf(path)
  const version = path.slice(path.indexOf('/') + 1)
  const release = releaseOf(next.version)
  const read = (modules: ModuleFiles, types: GoTypes | undefined): VersionLifecycles['after'] => {
    if (!types) return new Map()
    const kinds = [...types.structs.values()]
      .filter(({ isResource }) => isResource)
      .map(({ name }): [string, string] => [name, `since('${release}')`])
    return new Map([...kinds, ...readLifecycles(modules.lifecycles(path))])
  }
  const resources = new Set([...(after?.structs.values() ?? [])].filter(({ isResource }) => isResource).map(({ name }) => name))
  return [{ apiVersion: group === '' ? version : `${group}/${version}`, before: read(old, before), after: read(next, after), resources }]
}

function noteResources(changes: readonly PackageChange[], note: (text: string) => void): void {
  for (const { path, before, after } of changes)
    for (const { name, isResource } of after?.structs.values() ?? [])
      if (isResource && before?.structs.has(name) !== true) note(`${path} ${name}`)
}

/**
 * Returns a line for each field whose declared validation differs. Markers that other versions repeat are listed once
 * per version.
 */
function ruleDifferences({ path, before, after }: PackageChange): string[] {
  return [...(after?.structs.values() ?? [])].flatMap(({ name, rules }) => {
    const old = before?.structs.get(name)?.rules
    return [...rules].flatMap(([field, markers]) => {
      const was = old?.get(field) ?? []
      const [added, gone] = [markers.filter(marker => !was.includes(marker)), was.filter(marker => !markers.includes(marker))]
      if (added.length + gone.length === 0) return []
      return [`${path} ${name}.${field}: ${[...added, ...gone.map(marker => `not ${marker}`)].join(' ')}`]
    })
  })
}
