/**
 * Plays the addition of a release that the tables have: removes it and those that follow in a scratch folder, adds it
 * by `hack/add-release`, and compares the result with the tables of this checkout without those that follow. Exits with
 * 1 if something differs that the modules state. docs/how-to/add-a-release.md has the results.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { minorOf, previousRelease, type Release } from '../src/lifecycle/release.ts'
import { compareTables } from './releases/compare-tables.ts'
import { readGates } from './releases/go-gates.ts'
import { GoModules } from './releases/go-modules.ts'
import { readGoTypes } from './releases/go-structs.ts'
import { readTables, writeTables } from './releases/tables.ts'
import { MODULE_VERSIONS } from './releases/versions.ts'
import { type IsLaterType, withoutRelease } from './releases/without-release.ts'

/** Subjects of differences that no published module decides. */
const BY_HAND = ['gates of kubernetes proper', 'storage versions', 'rules, and uses of gates, of fields']

const { values, positionals } = parseArgs({ allowPositionals: true, options: { keep: { type: 'string' } } })
const release = positionals[0] as Release | undefined
const root = join(import.meta.dirname, '..')
if (release === undefined || MODULE_VERSIONS[release] === undefined || MODULE_VERSIONS[previousRelease(release)] === undefined) {
  console.error(`usage: hack/play-release RELEASE [--keep FOLDER], of ${Object.keys(MODULE_VERSIONS).slice(1).join(', ')}`)
  process.exit(2)
}
const scratch = values.keep === undefined ? mkdtempSync(join(tmpdir(), 'play-release-')) : resolve(values.keep)
mkdirSync(scratch, { recursive: true })
try {
  process.exitCode = play(release)
} finally {
  if (values.keep === undefined) rmSync(scratch, { recursive: true, force: true })
}

function play(release: Release): number {
  const tables = readTables(root)
  const next: Release = `1.${minorOf(release) + 1}`
  const kept = MODULE_VERSIONS[next] === undefined ? tables : withoutRelease(tables, next, laterThan(release))
  const tree = join(scratch, 'tree')
  cpSync(join(root, 'src/lifecycle'), join(tree, 'src/lifecycle'), { recursive: true })
  writeTables(tree, withoutRelease(tables, release, laterThan(previousRelease(release))))
  const args = [MODULE_VERSIONS[release] ?? '', '--since', MODULE_VERSIONS[previousRelease(release)] ?? '', '--write', '--tree', tree]
  const checklist = execFileSync(join(root, 'hack/add-release'), args, { encoding: 'utf8', maxBuffer: 2 ** 28 })
  const minors = Array.from({ length: minorOf(release) - 23 }, (_, i) => 24 + i)
  const { fields, lines } = compareTables(readTables(tree), kept, {
    minors,
    isNewType: laterThan(previousRelease(release)),
    gates: gatesOf(release),
  })
  console.log(`${fields} fields of ${minors.length} releases were compared; the checklist has ${checklist.split('\n').length} lines`)
  let stated = 0
  for (const [subject, found] of lines) {
    if (!BY_HAND.includes(subject)) stated += found.length
    console.log(
      [`# ${subject}${BY_HAND.includes(subject) ? ' (by hand)' : ''}: ${found.length}`, ...found.map(line => `- ${line}`)].join('\n'),
    )
  }
  console.log(stated === 0 ? 'nothing that the modules state differs' : `${stated} differences`)
  return stated === 0 ? 0 : 1
}

/** Returns the names of the gates that the modules of a release and of the one before have. */
function gatesOf(release: Release): Set<string> {
  const versions = [previousRelease(release), release].map(each => MODULE_VERSIONS[each] ?? '')
  return new Set(versions.flatMap(version => new GoModules(version, scratch).gateFiles().flatMap(text => [...readGates(text).keys()])))
}

/** Returns a predicate for the types that came after a release, by the modules of this and of later releases. */
function laterThan(last: Release): IsLaterType {
  const versions = Object.entries(MODULE_VERSIONS).filter(([each]) => minorOf(each as Release) >= minorOf(last))
  const [old, ...later] = versions.map(([, version]) => new GoModules(version, scratch))
  const namesOf = (modules: GoModules | undefined, path: string): Set<string> => {
    const { structs, enums, strings } = readGoTypes(modules?.typeFiles(path) ?? [])
    return new Set([...structs.keys(), ...enums.keys(), ...strings])
  }
  const known = new Map<string, { readonly old: Set<string>; readonly later: Set<string> }>()
  return (path, name) => {
    const names = known.get(path) ?? { old: namesOf(old, path), later: new Set(later.flatMap(modules => [...namesOf(modules, path)])) }
    known.set(path, names)
    return !names.old.has(name) && names.later.has(name)
  }
}
