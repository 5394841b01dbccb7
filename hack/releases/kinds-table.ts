import { isSince, previousRelease, type Release } from '../../src/lifecycle/release.ts'
import type { Lifecycles } from './go-lifecycles.ts'

/** An entry of the table of kinds. */
interface Entry {
  readonly kind: string
  /** Lines of comments above it. */
  readonly comment: string
  /** Lifecycle, such as `since('1.33', '1.36')`. */
  readonly call: string
}

/** Entries of a version, with the lines between which they stand. */
interface Version {
  readonly apiVersion: string
  readonly entries: readonly Entry[]
}

/** A version of a group in two releases. */
export interface VersionLifecycles {
  readonly apiVersion: string
  readonly before: Lifecycles
  readonly after: Lifecycles
  /** Kinds with a resource. Others get no entry. */
  readonly resources: ReadonlySet<string>
}

const TABLE = /(export const LIFECYCLES\b[^{]*\{\n)([\s\S]*?)(\n\}\n)/

/**
 * Adds the lifecycles of a release to the text of `src/lifecycle/kinds.ts`. If a plan changes, the old one is kept for
 * earlier releases. A kind that is gone before its time is withdrawn.
 */
export function withLifecycles(
  text: string,
  versions: readonly VersionLifecycles[],
  release: Release,
  note: (text: string) => void,
): string {
  const table = new Map(readTable(text).map(version => [version.apiVersion, version]))
  for (const version of versions) {
    const entries = new Map(table.get(version.apiVersion)?.entries.map(entry => [entry.kind, entry]))
    const setCall = (kind: string, call: string): unknown => entries.set(kind, { kind, comment: entries.get(kind)?.comment ?? '', call })
    for (const [kind, life] of version.after) {
      const known = entries.get(kind)?.call
      const next = known === undefined ? added(version, kind, life) : changed(known, version.before.get(kind), life, release)
      if (next === undefined) continue
      if (next === CHANGED_TWICE) note(`${version.apiVersion} ${kind}: the plan changes for the second time, to ${life}`)
      else setCall(kind, next)
    }
    for (const [kind, { call }] of entries)
      if (version.before.has(kind) && !version.after.has(kind) && isOpen(call, release)) setCall(kind, `withdrawn('${release}', ${call})`)
    if (entries.size > 0) table.set(version.apiVersion, { apiVersion: version.apiVersion, entries: sorted(entries.values()) })
  }
  return withTable(text, inOrder(table))
}

/** Replaces the versions of the table. */
export const withTable = (text: string, versions: readonly Version[]): string =>
  text.replace(TABLE, (_, head: string, _body: string, tail: string) => `${head}${versions.map(written).join('\n')}${tail}`)

const CHANGED_TWICE = ''

const added = ({ before, resources }: VersionLifecycles, kind: string, life: string): string | undefined =>
  resources.has(kind) && !before.has(kind) ? life : undefined

/**
 * Returns the entry with a new plan, or undefined if nothing changes for a kind that the release before has. A plan for
 * its removal now may have been given up.
 */
function changed(known: string, before: string | undefined, after: string, release: Release): string | undefined {
  if (before === undefined || before === after || !isOpen(known, previousRelease(release))) return undefined
  const [introduced] = argumentsOf(sinceIn(known))
  const next = `since(${[introduced, ...argumentsOf(after).slice(1)].join(', ')})`
  if (sinceIn(known) === next) return undefined
  const earlier = /^formerly\(\s*'([\d.]+)',\s*\{[^}]*\}/.exec(known)
  if (earlier?.[1] === release) return known.replace(sinceIn(known), next)
  if (earlier) return CHANGED_TWICE
  return introduced === `'${release}'` ? next : `formerly('${release}', ${planOf(sinceIn(known))}, ${next})`
}

/** Reports whether a kind exists in the release by its entry. */
function isOpen(entry: string, release: Release): boolean {
  const withdrawn = /withdrawn\('([\d.]+)'/.exec(entry)?.[1]
  const removed = /^'([\d.]+)'$/.exec(argumentsOf(sinceIn(entry))[2] ?? '')?.[1]
  const end = withdrawn ?? removed
  return end === undefined || !isSince(release, end as Release)
}

const sinceIn = (entry: string): string => /since\([^)]*\)/.exec(entry)?.[0] ?? ''

const argumentsOf = (call: string): string[] =>
  call
    .slice(call.indexOf('(') + 1, -1)
    .split(',')
    .map(each => each.trim())
    .filter(each => each !== '')

/** Writes the plan of a lifecycle: `{ deprecated: '1.36', removed: '1.39' }`. */
function planOf(call: string): string {
  const members = ['deprecated', 'removed', 'replacement']
  const [, ...plan] = argumentsOf(call)
  const given = members.flatMap((member, i) => (plan[i] === undefined || plan[i] === 'undefined' ? [] : [`${member}: ${plan[i]}`]))
  return given.length === 0 ? '{}' : `{ ${given.join(', ')} }`
}

/** Reads the table. Comments belong to the entry below them. */
export function readTable(text: string): Version[] {
  const body = TABLE.exec(text)?.[2] ?? ''
  return [...body.matchAll(/^ {2}'?([\w./-]+)'?: \{\n([\s\S]*?)\n {2}\},$/gm)].map(([, apiVersion = '', entries = '']) => ({
    apiVersion,
    entries: [...entries.matchAll(/^((?: {4}\/\/.*\n)*) {4}(\w+): ((?:.*\n(?! {4}[\w/]))*.*),$/gm)].map(
      ([, comment = '', kind = '', call = '']) => ({
        kind,
        comment,
        call,
      }),
    ),
  }))
}

const sorted = (entries: Iterable<Entry>): Entry[] => [...entries].sort((a, b) => (a.kind < b.kind ? -1 : 1))

/** Puts new versions behind the other versions of their group. */
function inOrder(table: ReadonlyMap<string, Version>): Version[] {
  const groups = new Map<string, Version[]>()
  for (const version of table.values()) {
    const group = version.apiVersion.split('/').slice(0, -1).join('/')
    groups.set(group, [...(groups.get(group) ?? []), version])
  }
  return [...groups.values()].flat()
}

const written = ({ apiVersion, entries }: Version): string =>
  [
    `  ${/^\w+$/.test(apiVersion) ? apiVersion : `'${apiVersion}'`}: {`,
    ...entries.map(({ kind, comment, call }) => `${comment}    ${kind}: ${call},`),
    '  },',
  ].join('\n')
