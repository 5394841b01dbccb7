import { isSince, minorOf, previousRelease, type Release } from '../../src/lifecycle/release.ts'
import { compareVersionNames, parseApiVersion, stabilityOf } from '../../src/meta/gvk.ts'
import { readTable } from './kinds-table.ts'

interface ServedVersion {
  readonly version: string
  readonly introduced: Release
}

const ENTRIES = /(const STORED\b[^{]*\{\n)([\s\S]*?)(\n\}\n)/

/**
 * Adds the storage versions of a release to the text of `src/lifecycle/storage-versions.ts`, by the rule of
 * kube-apiserver 1.37: the newest version other than alpha that the previous release has, or else the newest that the
 * release has. Exceptions are in no module. Source: pkg/server/storage/resource_encoding_config.go in k8s.io/apiserver.
 *
 * @param kinds text of `src/lifecycle/kinds.ts` with the lifecycles of the release
 */
export function withStorageVersions(
  text: string,
  kinds: string,
  release: Release,
): { readonly text: string; readonly changes: readonly string[] } {
  const entries = new Map(
    [...(ENTRIES.exec(text)?.[2] ?? '').matchAll(/^ {2}'(.+)': '(.*)',$/gm)].map(([, key = '', history = '']) => [key, history]),
  )
  const changes: string[] = []
  for (const [name, versions] of kindsOf(kinds)) {
    const { key, kind } = resourceOf(name, entries)
    const [before, after] = [previousRelease(release), release].map(each => storedBy(versions, each))
    const known = entries.get(key)
    const last = known?.split(', ').at(-1)?.split(' ')
    if (after === undefined || (before === undefined && known === undefined)) continue
    if (last === undefined ? before === after : last[1] === after || Number(last[0]) >= minorOf(release)) continue
    const first = versions.map(({ introduced }) => minorOf(introduced)).sort((a, b) => a - b)[0]
    entries.set(key, `${known ?? `${first} ${before}`}, ${minorOf(release)} ${after}`)
    changes.push(`${kind}: ${last?.[1] ?? before} -> ${after}`)
  }
  const lines = [...entries].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, history]) => `  '${key}': '${history}',`)
  return { text: text.replace(ENTRIES, (_, head: string, _body: string, tail: string) => `${head}${lines.join('\n')}${tail}`), changes }
}

/** Returns the versions of each kind, by `group/Kind`, without those that the release does not have any longer. */
function kindsOf(kinds: string): Map<string, ServedVersion[]> {
  const found = new Map<string, ServedVersion[]>()
  for (const { apiVersion, entries } of readTable(kinds))
    for (const { kind, call } of entries) {
      const { group = '', version = '' } = parseApiVersion(apiVersion) ?? {}
      const introduced = /since\('([\d.]+)'/.exec(call)?.[1] as Release | undefined
      if (introduced !== undefined && !call.startsWith('withdrawn'))
        found.set(`${group}/${kind}`, [...(found.get(`${group}/${kind}`) ?? []), { version, introduced }])
    }
  return found
}

function storedBy(versions: readonly ServedVersion[], release: Release): string | undefined {
  const newest = (found: readonly ServedVersion[]): string | undefined => found.map(({ version }) => version).sort(compareVersionNames)[0]
  const stable = versions.filter(
    ({ version, introduced }) => stabilityOf(version) !== 'alpha' && isSince(previousRelease(release), introduced),
  )
  return newest(stable) ?? newest(versions.filter(({ introduced }) => isSince(release, introduced)))
}

/** Returns the key of a kind: its resource, in the plural that the table has or that English has. */
function resourceOf(name: string, entries: ReadonlyMap<string, string>): { readonly key: string; readonly kind: string } {
  const lower = name.toLowerCase()
  const plurals = [`${lower}s`, `${lower}es`, lower.replace(/y$/, 'ies')]
  const regular = lower.endsWith('y') ? plurals[2] : lower.endsWith('s') ? plurals[1] : plurals[0]
  return { key: plurals.find(plural => entries.has(plural)) ?? regular ?? lower, kind: name }
}
