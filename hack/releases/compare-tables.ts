import { TypeRegistry } from '../../src/schema/idl.ts'
import { parseHeader } from '../../src/schema/idl-syntax.ts'
import type { Field, Schema, StructSchema } from '../../src/schema/schema.ts'
import { readTable } from './kinds-table.ts'
import { type Tables, tableText, typesIn } from './tables.ts'

/** How two sets of tables differ: what they mean, not how they are written. */
export interface TableDifferences {
  /** Number of fields that were compared, of all releases. */
  readonly fields: number
  /** Lines by subject. Empty if nothing differs. */
  readonly lines: ReadonlyMap<string, readonly string[]>
}

/** Marks of a field that no module states: a person decides them. */
const BY_HAND = 'rules, and uses of gates, of fields'

/** Releases and names that are compared. */
export interface Compared {
  /** Minor releases of which fields are compared. The last one is that which was added. */
  readonly minors: readonly number[]
  /** Reports whether a type came with the last release. Its fields before have no meaning. */
  readonly isNewType: (path: string, name: string) => boolean
  /** Names of the gates that modules state. */
  readonly gates: ReadonlySet<string>
}

/** Compares what `made` says about releases with what `kept` says. */
export function compareTables(made: Tables, kept: Tables, { minors, isNewType, gates }: Compared): TableDifferences {
  const lines = new Map<string, string[]>()
  const differ = (subject: string, text: string): void => {
    const found = lines.get(subject) ?? []
    if (!found.includes(text)) lines.set(subject, [...found, text])
  }
  let fields = 0
  for (const minor of minors)
    fields += compareTypes(made, kept, { minor, skips: minor === minors.at(-1) ? () => false : isNewType }, differ)
  compareEntries('lifecycles', lifecyclesIn(made), lifecyclesIn(kept), differ)
  const gateSubject = (gate: string): string => (gates.has(gate) ? 'gates' : 'gates of kubernetes proper')
  compareEntries(gateSubject, quotedEntries(tableText(made, 'gates')), quotedEntries(tableText(kept, 'gates')), differ)
  compareEntries('storage versions', quotedEntries(tableText(made, 'storage')), quotedEntries(tableText(kept, 'storage')), differ)
  compareEntries('packages', pathsIn(made), pathsIn(kept), differ)
  compareEntries('releases', releasesIn(made), releasesIn(kept), differ)
  return { fields, lines }
}

type Differ = (subject: string, text: string) => void

function compareTypes(
  made: Tables,
  kept: Tables,
  { minor, skips }: { readonly minor: number; readonly skips: (path: string, name: string) => boolean },
  differ: Differ,
): number {
  const [a, b] = [registryOf(made, minor), registryOf(kept, minor)]
  const names = new Map<string, string[]>()
  for (const file of typesIn(kept).all())
    names.set(
      definitionOf(kept, file.path),
      file.typeNames().filter(name => !skips(file.path, name)),
    )
  let count = 0
  for (const [definition, types] of names)
    for (const name of types) {
      const [its, ours] = [a.byDefinition(`${definition}.${name}`), b.byDefinition(`${definition}.${name}`)]
      if (ours === undefined) continue
      if (its === undefined) {
        differ('types that are not declared', `${definition}.${name}`)
        continue
      }
      try {
        count += compareFields(its, ours, text => differ(text.isByHand ? BY_HAND : 'fields', `${text.text} (1.${minor})`))
      } catch (error) {
        differ('fields', `${definition}.${name}: ${error instanceof Error ? error.message : String(error)}`)
      }
    }
  return count
}

/** Compares the fields of a type, their order included. Returns their number. */
function compareFields(
  made: StructSchema,
  kept: StructSchema,
  differ: (found: { readonly text: string; readonly isByHand: boolean }) => void,
): number {
  const [its, ours] = [[...made.fields.values()], [...kept.fields.values()]]
  const name = kept.definition ?? kept.name
  const [names, order] = [its, ours].map(fields => fields.map(field => field.name).join())
  if (names !== order) differ({ text: `${name}: ${names}, not ${order}`, isByHand: false })
  for (const field of ours) {
    const found = made.fields.get(field.name)
    if (!found) continue
    const [a, b] = [statedText(found), statedText(field)]
    if (a !== b) differ({ text: `${name}.${field.name}: ${a}, not ${b}`, isByHand: false })
    const [c, d] = [decidedText(found), decidedText(field)]
    if (c !== d) differ({ text: `${name}.${field.name}: ${c}, not ${d}`, isByHand: true })
  }
  const [a, b] = [made, kept].map(({ typeMeta, structType }) => JSON.stringify({ typeMeta, structType }))
  if (a !== b) differ({ text: `${name}: ${a}, not ${b}`, isByHand: false })
  return ours.length
}

/** Returns the attributes of a field that modules state. */
function statedText(field: Field): string {
  const { number, pointer, required, omitEmpty, omitZero, patchStrategy, patchMergeKey } = field
  return JSON.stringify({
    number,
    pointer,
    required,
    omitEmpty,
    omitZero,
    default: field.default,
    patchStrategy,
    patchMergeKey,
    type: typeText(field.schema),
  })
}

/**
 * Returns the attributes of a field that are decided by hand. A gate without the marker `+featureGate` is one of these.
 */
function decidedText({ gate, gateUse, ungated, rules, strayListType }: Field): string {
  return JSON.stringify({ gate, gateUse, ungated, strayListType, rules: rules?.map(({ origin }) => origin) })
}

function typeText(schema: Schema): string {
  switch (schema.type) {
    case 'struct':
      return `${schema.definition ?? schema.name}${schema.structType === undefined ? '' : ` ${schema.structType}`}`
    case 'list':
      return `[]${schema.pointerItems === true ? '*' : ''}${typeText(schema.items)} ${JSON.stringify([schema.listType, schema.listMapKeys, schema.unstated])}`
    case 'map':
      return `map ${typeText(schema.values)} ${schema.mapType ?? ''}`
    case 'string':
      return `string ${[...(schema.enum ?? [])].sort().join()}`
    default:
      return schema.type
  }
}

function registryOf(tables: Tables, minor: number): TypeRegistry {
  const registry = new TypeRegistry(minor)
  for (const [path, source] of tables) {
    const header = path.endsWith('.types') ? parseHeader(source) : undefined
    if (header) registry.add({ id: header.id, definition: header.definition, source })
  }
  return registry
}

const definitionOf = (tables: Tables, path: string): string => parseHeader(tables.get(`src/api/${path}.types`) ?? '')?.definition ?? ''

function compareEntries(
  subject: string | ((key: string) => string),
  made: ReadonlyMap<string, string>,
  kept: ReadonlyMap<string, string>,
  differ: Differ,
): void {
  for (const key of new Set([...made.keys(), ...kept.keys()])) {
    const [a, b] = [made.get(key) ?? 'none', kept.get(key) ?? 'none']
    if (a !== b) differ(typeof subject === 'string' ? subject : subject(key), `${key}: ${a}, not ${b}`)
  }
}

const lifecyclesIn = (tables: Tables): Map<string, string> =>
  new Map(
    readTable(tableText(tables, 'kinds')).flatMap(({ apiVersion, entries }) =>
      entries.map(({ kind, call }): [string, string] => [
        `${apiVersion} ${kind}`,
        call.replace(/\s+/g, ' ').replace(/\( /g, '(').replace(/,? \)/g, ')'),
      ]),
    ),
  )

/** Returns the histories of gates or storage versions. The effect of a gate is decided by a person. */
const quotedEntries = (text: string): Map<string, string> =>
  new Map([...text.matchAll(/^ {2}'?([\w./-]+)'?: '(?:\w+ (?=\d))?(\d.*)',$/gm)].map(([, key = '', history = '']) => [key, history]))

const pathsIn = (tables: Tables): Map<string, string> =>
  new Map([...tables.keys()].filter(path => path.endsWith('.types')).map(path => [path, path]))

const releasesIn = (tables: Tables): Map<string, string> =>
  new Map([['NEWEST_RELEASE', /NEWEST_RELEASE: Release = '([\d.]+)'/.exec(tableText(tables, 'release'))?.[1] ?? '']])
