import { type LeafRewrite, mapLeaves, NAME, type Tree, type TreeObject } from './tree.ts'

const isVersion = (value: Tree, key: unknown): value is string =>
  typeof value === 'string' && typeof key === 'string' && /(^|\.)resourceVersion$/.test(key) && /^\d+$/.test(value) && value !== '0'

/** Parts of texts that differ between runs: times, addresses, pointers, hashes. */
const TEXTS: readonly (readonly [RegExp, string])[] = [
  [/apiextensions\.ValidationRule\{.*?OptionalOldSelf:\(\*bool\)\([^)]*\)\}/gs, '<rule>'],
  [/Invalid value: "\{(?:[^"\\]|\\.)*\}"/gs, 'Invalid value: <object>'],
  [/\(0x[0-9a-f]{6,}\)/g, '(0x<pointer>)'],
  [/selfType\d+/g, 'selfType'],
  [/(in record |precondition )\(\d+\)/g, '$1(<rv>)'],
  [/hash=[0-9A-F]{32,}/g, 'hash=<hash>'],
  [/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----\n?/g, '<cert>'],
  [/\b10\.(43|96|0)\.\d+\.\d+\b/g, '<clusterIP>'],
  [/\bfd[0-9a-f:]{6,}\b/g, '<ipv6>'],
  [/(Too large resource version: )\d+(, current: )\d+/, '$1<rv>$2<rv>'],
  [/too old resource version: \d+ \(\d+\)/, 'too old resource version: <rv> (<rv>)'],
]

/**
 * Replaces what differs from run to run: uids by their order of appearance, versions by their rank among those of the
 * case, times, tokens, generated names, addresses, the case's own namespace and suffix.
 */
export function withPlaceholders(rows: Tree, vars: Readonly<Record<string, string>>): Tree {
  const ranks = rankVersions(rows)
  const uids = new Map<string, string>()
  const uid = (found: string): string => {
    if (!uids.has(found)) uids.set(found, `<uid${uids.size + 1}>`)
    return uids.get(found) ?? found
  }
  const inText = (value: string): string => {
    let text = vars.ns === undefined ? value : value.split(vars.ns).join('{ns}')
    if (vars.rnd !== undefined) text = text.split(vars.rnd).join('{rnd}')
    text = text
      .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, uid)
      .replace(/20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, (_, fraction) => (fraction ? '<microtime>' : '<time>'))
    for (const [pattern, placeholder] of TEXTS) text = text.replace(pattern, placeholder)
    return text.replace(
      /(resource ?version|resourceVersion)([:= "]+)(\d+)/gi,
      (_, name: string, between: string, version: string) => name + between + (ranks.get(version) ?? '<rv>'),
    )
  }
  const rewrite: LeafRewrite = (value, key, parent) => {
    if (typeof value !== 'string') return value
    return (key === NAME ? undefined : ownPlaceholder(value, key, parent, ranks)) ?? inText(value)
  }
  return mapLeaves(rows, rewrite)
}

/** Returns the placeholder for a value that is determined by the name of its member. */
function ownPlaceholder(
  value: string,
  key: string | number | undefined,
  parent: Tree | undefined,
  ranks: ReadonlyMap<string, string>,
): string | undefined {
  const leaf = typeof key === 'string' ? key.slice(key.lastIndexOf('.') + 1) : key
  if (leaf === 'resourceVersion' && ranks.has(value)) return ranks.get(value)
  if (leaf === 'continue' && value) return '<continue>'
  if (key === 'token' && value.length > 40) return '<token>'
  if (key === 'etag') return '<etag>'
  if (key === 'storageVersionHash') return value
  const prefix = (parent as TreeObject | undefined)?.generateName
  if (key === 'name' && typeof prefix === 'string' && prefix && value.startsWith(prefix) && value.length === prefix.length + 5)
    return `${prefix}<rand>`
  return undefined
}

function rankVersions(rows: Tree): Map<string, string> {
  const versions = new Set<string>()
  mapLeaves(rows, (value, key) => {
    if (isVersion(value, key)) versions.add(value)
    return value
  })
  const sorted = [...versions].sort((a, b) => (a.padStart(20, '0') < b.padStart(20, '0') ? -1 : 1))
  return new Map(sorted.map((version, i) => [version, `<rv${i + 1}>`]))
}

/**
 * Names versions by those that the case saved (v0, v1 …): any other stands after the last of them that it is not below.
 * In a row that is `loose`, and at the end of a watch's initial events, the version may be the last saved one or later,
 * as others write meanwhile. Other bookmarks come when the server likes, and are left out.
 */
export function placeVersions(rows: readonly TreeObject[], vars: Readonly<Record<string, string>>): TreeObject[] {
  const texts = Object.entries(vars).flatMap(([name, value]) => (/^v\d+$/.test(name) && /^\d+$/.test(value) ? [value] : []))
  const saved = [...new Set(texts)].map(BigInt).sort((a, b) => (a < b ? -1 : 1))
  const place = (version: Tree | undefined, loose: boolean): string => {
    const number = BigInt(String(version))
    const below = saved.filter(one => one <= number).length
    return below > 0 && saved[below - 1] === number && !loose ? `<rv${below}>` : `<rv${below}+>`
  }
  const VERSION = 'object.metadata.resourceVersion'
  const placeEvents = (events: readonly Tree[]): Tree[] =>
    (events as readonly TreeObject[])
      .filter(event => event.type !== 'BOOKMARK' || event['object.metadata.annotations'])
      .map(event => (event.type === 'BOOKMARK' && event[VERSION] ? { ...event, [VERSION]: place(event[VERSION], true) } : event))
  return rows.map(({ loose, ...row }) => {
    if (Array.isArray(row.events)) row.events = placeEvents(row.events)
    const body = row.body as TreeObject | undefined
    const metadata = body?.metadata as TreeObject | undefined
    const list = metadata?.resourceVersion
    const placed =
      loose && list && list !== '0' ? { ...row, body: { ...body, metadata: { ...metadata, resourceVersion: place(list, true) } } } : row
    return mapLeaves(placed, (value, key) => (isVersion(value, key) ? place(value, false) : value)) as TreeObject
  })
}
