import { minorOf, previousRelease, type Release } from '../../src/lifecycle/release.ts'
import { readTable, withTable } from './kinds-table.ts'
import { withNewestRelease, withoutPackage } from './release-lists.ts'
import { TABLE_PATHS, type Tables, tableText, typesIn, withTypes } from './tables.ts'
import type { TypesFile, TypesFiles } from './types-file.ts'

/** Reports whether a type came with the release that is removed, or with a later one. */
export type IsLaterType = (path: string, name: string) => boolean

/**
 * Returns the tables as they were before a release: without it, and without those that follow. This undoes what
 * `withRelease` adds, and entries by hand, as far as they name the release.
 */
export function withoutRelease(tables: Tables, release: Release, isLater: IsLaterType): Map<string, string> {
  const minor = minorOf(release)
  const next = new Map(tables)
  next.set(TABLE_PATHS.release, withNewestRelease(tableText(tables, 'release'), previousRelease(release), undefined))
  next.set(TABLE_PATHS.gates, withoutStates(tableText(tables, 'gates'), minor))
  next.set(TABLE_PATHS.storage, withoutStored(tableText(tables, 'storage'), minor))
  next.set(TABLE_PATHS.kinds, withoutLifecycles(tableText(tables, 'kinds'), minor))
  const files = typesIn(next)
  removeTypes(files, isLater)
  for (const file of files.all()) {
    file.mapLines(line => lineBefore(line, minor))
    if (file.typeNames().length > 0) continue
    files.remove(file.id)
    next.set(TABLE_PATHS.packages, withoutPackage(tableText(next, 'packages'), file.path))
  }
  return withTypes(next, files)
}

/** Returns a line of a declaration as it was before release 1.`minor`, or undefined if it did not exist. */
export function lineBefore(line: string, minor: number): string | undefined {
  const isAfter = (bound: string): boolean => Number(bound) >= minor
  const since = /\bsince\(1\.(\d+)\)/.exec(line)?.[1]
  if (since !== undefined && isAfter(since)) return undefined
  return line
    .replace(/ until\(1\.(\d+)\)/g, (text, bound: string) => (isAfter(bound) ? '' : text))
    .replace(/ =@1\.(\d+) .*$/, (text, bound: string) => (isAfter(bound) ? '' : text))
    .replace(/ (?:"[^"]*"|[^\s"@]+)@(-?)1\.(\d+)(?= |$)/g, (text, gone: string, bound: string) => {
      if (!isAfter(bound)) return text
      return gone === '' ? '' : text.slice(0, text.lastIndexOf('@'))
    })
}

/** Removes the types of a release. A type that is like one of them is declared in full. */
function removeTypes(files: TypesFiles, isLater: IsLaterType): void {
  const isGone = (file: TypesFile, name: string): boolean => isLater(file.path, name)
  for (const file of files.all())
    for (const name of file.typeNames()) {
      const block = file.type(name)
      if (block?.like === undefined || isGone(file, name)) continue
      const { model, modelName } = files.modelOf(block)
      if (model && isGone(model, modelName)) {
        const head = ['type', name, ...files.marksOf(file, name)].join(' ')
        file.setType({ kind: 'type', name, head, lines: files.linesOf(file, name) })
      }
    }
  for (const file of files.all()) {
    for (const name of file.typeNames()) if (isGone(file, name)) file.removeType(name)
    for (const name of file.namedTypes()) if (isGone(file, name)) file.removeNamed(name)
  }
}

const entriesBefore = (entries: readonly string[], minor: number): string[] =>
  entries.filter(entry => Number(/^\d+/.exec(entry)?.[0]) < minor)

function withoutStates(text: string, minor: number): string {
  return text.replace(/^ {2}\w+: '(\w+) (.*)',\n/gm, (line: string, effect: string, history: string) => {
    const states = entriesBefore(history.split(' '), minor)
    return states.length === 0 ? '' : line.replace(/'.*'/, `'${[effect, ...states].join(' ')}'`)
  })
}

function withoutStored(text: string, minor: number): string {
  return text.replace(/^ {2}'(.+)': '(\d.*)',\n/gm, (line: string, _: string, history: string) => {
    const entries = entriesBefore(history.split(', '), minor)
    return entries.length === 0 ? '' : line.replace(/: '.*'/, `: '${entries.join(', ')}'`)
  })
}

/** Removes kinds that came later, plans that were changed later, and early ends that were not decided. */
function withoutLifecycles(text: string, minor: number): string {
  const isLater = (release: string | undefined): boolean => release !== undefined && Number(release.slice(2)) >= minor
  const versions = readTable(text).map(version => ({
    ...version,
    entries: version.entries.flatMap(entry => {
      let { call } = entry
      const [, withdrawn, inner = ''] = /^withdrawn\('([\d.]+)', ([\s\S]*)\)$/.exec(call) ?? []
      if (isLater(withdrawn)) call = inner
      const [, until, plan = '', introduced = ''] =
        /^formerly\(\s*'([\d.]+)',\s*\{([^}]*)\},\s*since\(('[\d.]+')[\s\S]*\)$/.exec(call) ?? []
      if (isLater(until)) call = `since(${[introduced, ...planArguments(plan)].join(', ')})`
      return isLater(/since\('([\d.]+)'/.exec(call)?.[1]) ? [] : [{ ...entry, call }]
    }),
  }))
  return withTable(
    text,
    versions.filter(({ entries }) => entries.length > 0),
  )
}

/** Returns the arguments of `since` for a plan: `deprecated: '1.38', removed: '1.41'`. */
function planArguments(plan: string): string[] {
  const values = ['deprecated', 'removed', 'replacement'].map(member => new RegExp(`${member}: ('[^']*')`).exec(plan)?.[1])
  while (values.length > 0 && values.at(-1) === undefined) values.pop()
  return values.map(value => value ?? 'undefined')
}
