import type { Lifecycles } from './go-lifecycles.ts'
import type { GoStruct, GoTypes } from './go-structs.ts'

/** Returns the lines by which declarations of a package change, in the form of `.types` files. Empty if nothing changes. */
export function typeDifferences(before: GoTypes, after: GoTypes, release: string): string[] {
  const lines: string[] = []
  for (const [name, values] of after.enums) {
    const old = before.enums.get(name)
    if (old === undefined) lines.push(`enum ${name} ${values.map(quoted).join(' ')}`)
    else if (old.join() !== values.join()) lines.push(`enum ${name}: ${changedValues(old, values, release).join(' ')}`)
  }
  for (const [name, struct] of after.structs) {
    const old = before.structs.get(name)
    if (old === undefined) lines.push(struct.head, ...struct.fields.map(({ line }) => `  ${line}`))
    else lines.push(...fieldDifferences(old, struct, release))
  }
  for (const name of before.structs.keys()) if (!after.structs.has(name)) lines.push(`type ${name} is gone`)
  return lines
}

const quoted = (value: string): string => (/^[\w./-]+$/.test(value) ? value : JSON.stringify(value))

const changedValues = (old: readonly string[], values: readonly string[], release: string): string[] => [
  ...values.filter(value => !old.includes(value)).map(value => `${quoted(value)}@${release}`),
  ...old.filter(value => !values.includes(value)).map(value => `${quoted(value)}@-${release}`),
]

function fieldDifferences(old: GoStruct, next: GoStruct, release: string): string[] {
  const before = new Map(old.fields.map(({ name, line }) => [name, line]))
  const names = new Set(next.fields.map(({ name }) => name))
  const changed = next.fields.flatMap(({ name, line }) => {
    const was = before.get(name)
    if (was === line) return []
    return [...(was === undefined ? [] : [`  ${marked(was, `until(${release})`)}`]), `  ${marked(line, `since(${release})`)}`]
  })
  const gone = old.fields.filter(({ name }) => !names.has(name)).map(({ line }) => `  ${marked(line, `until(${release})`)}`)
  const head = old.head === next.head ? [] : [`${next.head}, which was: ${old.head}`]
  return changed.length + gone.length + head.length === 0 ? [] : [...(head.length > 0 ? head : [`type ${next.name}`]), ...changed, ...gone]
}

/** Adds a mark before the default. */
function marked(line: string, mark: string): string {
  const at = line.indexOf(' = ')
  return at < 0 ? `${line} ${mark}` : `${line.slice(0, at)} ${mark}${line.slice(at)}`
}

/** Returns the lines by which the table of kinds changes for a version. A changed plan keeps the old one for earlier releases. */
export const lifecycleDifferences = (before: Lifecycles, after: Lifecycles): string[] => [
  ...[...after].flatMap(([kind, life]) => {
    const was = before.get(kind)
    if (was === life) return []
    return [was === undefined ? `${kind}: ${life},` : `${kind}: ${life}, which was: ${was}`]
  }),
  ...[...before.keys()].filter(kind => !after.has(kind)).map(kind => `${kind} is gone`),
]
