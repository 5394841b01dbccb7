import { type FieldFacts, fieldText } from './field-facts.ts'
import { goTypeText, type TypeNames } from './go-type-names.ts'

/** A struct that is serialized. */
export interface GoStruct {
  readonly name: string
  /** Marks of its declaration: `typemeta`, `atomic`. */
  readonly marks: readonly string[]
  /** Whether it is the kind of a resource (`+genclient`). */
  readonly isResource: boolean
  readonly fields: readonly FieldFacts[]
  /** Markers of declared validation (`+k8s:`) by the name of the field, in Go's spelling. */
  readonly rules: ReadonlyMap<string, readonly string[]>
}

/** Structs and string types of a package. */
export interface GoTypes {
  readonly structs: ReadonlyMap<string, GoStruct>
  /** Values of string types with the marker `+enum`, sorted. */
  readonly enums: ReadonlyMap<string, readonly string[]>
  /** Names of other string types. */
  readonly strings: ReadonlySet<string>
}

/** Lines of a package that declare types, before names are resolved. */
interface GoDeclarations {
  readonly structs: { readonly name: string; readonly marks: string[]; readonly markers: readonly string[]; readonly fields: RawField[] }[]
  readonly enums: Map<string, string[]>
  readonly strings: Set<string>
  /** Other named types: `ResourceList` is `map[ResourceName]resource.Quantity`. */
  readonly aliases: Map<string, string>
  /** Values of constants, to which defaults refer. */
  readonly constants: Map<string, string>
}

interface RawField {
  readonly line: string
  readonly markers: readonly string[]
}

/** Names and constants of other packages that the types of a package use. */
export interface GoImports {
  /** Returns the name that declarations have for an imported package: `core` for `k8s.io/api/core/v1`. */
  readonly packageOf: (path: string) => string | undefined
  /** Values of constants of core, to which constants of other packages refer. */
  readonly constants: ReadonlyMap<string, string>
}

const NO_IMPORTS: GoImports = { packageOf: () => undefined, constants: new Map() }

/** Reads the serialized types of the files of a package, line by line. Comments above a field have its markers. */
export function readGoTypes(texts: readonly string[], { packageOf, constants: imported }: GoImports = NO_IMPORTS): GoTypes {
  const found = noDeclarations(imported)
  const imports = new Map<string, string>()
  for (const text of texts) {
    for (const [, alias, path = ''] of text.matchAll(/^\s*(?:import )?(\w+)? ?"([\w./-]+)"$/gm)) {
      const last = path.slice(path.lastIndexOf('/') + 1)
      const id = packageOf(path) ?? (path.startsWith('k8s.io/apimachinery/pkg/') && !path.includes('/apis/') ? last : undefined)
      if (id !== undefined) imports.set(alias ?? last, id)
    }
    readLines(text, found)
  }
  for (const values of found.enums.values()) values.sort()
  const names: TypeNames = { imports, aliases: found.aliases }
  const structs = found.structs.map(({ name, marks, markers, fields }): [string, GoStruct] => {
    const isResource = markers.some(marker => marker.startsWith('+genclient'))
    const rules = new Map(fields.map(({ line, markers: own }) => [nameIn(line), own.filter(marker => RULE.test(marker))]))
    return [name, { name, marks, isResource, fields: fields.flatMap(raw => readField(raw, names, found.constants)), rules }]
  })
  return { structs: new Map(structs), enums: found.enums, strings: found.strings }
}

/** Returns the values of the constants of a package, as Go writes them. */
export function readGoConstants(texts: readonly string[]): ReadonlyMap<string, string> {
  const found = noDeclarations(new Map())
  for (const text of texts) readLines(text, found)
  return found.constants
}

const noDeclarations = (constants: ReadonlyMap<string, string>): GoDeclarations => ({
  structs: [],
  enums: new Map(),
  strings: new Set(),
  aliases: new Map(),
  constants: new Map(constants),
})

/** Matches markers of declared validation, also those of other levels: `+k8s:alpha(since: "1.37")=+k8s:required`. */
const RULE = /^\+k8s:/

const nameIn = (line: string): string => /`json:"([^",]*)/.exec(line)?.[1] ?? ''

/** Returns the first line of a struct's declaration. */
export const structHead = ({ name, marks }: GoStruct): string => ['type', name, ...marks].join(' ')

/** Returns the lines of a struct's declaration. */
export const structLines = (struct: GoStruct): string[] => [structHead(struct), ...struct.fields.map(field => `  ${fieldText(field)}`)]

function readLines(text: string, found: GoDeclarations): void {
  let comments: string[] = []
  let open: GoDeclarations['structs'][number] | undefined
  for (const line of text.split('\n')) {
    if (/^\s*\/\//.test(line)) {
      const marker = /^\s*\/\/\s*(\+.*|Deprecated:.*)$/.exec(line)?.[1]
      if (marker !== undefined) comments.push(marker.trim())
      continue
    }
    const struct = /^type (\w+) struct ?\{\s*(\})?$/.exec(line)
    if (struct?.[1] !== undefined) {
      const started = { name: struct[1], marks: structMarks(comments), markers: comments, fields: [] }
      found.structs.push(started)
      open = struct[2] === undefined ? started : undefined
    } else if (line === '}') open = undefined
    else if (open && /^\s+metav1\.TypeMeta\b/.test(line)) open.marks.unshift('typemeta')
    else if (open) open.fields.push({ line, markers: comments })
    else readNamed(line, comments, found)
    if (line.trim() !== '' || open === undefined) comments = line.trim() === '' && open === undefined ? comments : []
  }
}

const structMarks = (markers: readonly string[]): string[] =>
  markers.flatMap(marker => /^\+structType=(atomic|granular)$/.exec(marker)?.[1] ?? [])

/** Reads a named type that is no struct, or a constant. */
function readNamed(line: string, markers: readonly string[], { enums, strings, aliases, constants }: GoDeclarations): void {
  const [, name = '', target = ''] = /^type (\w+) ([\w.[\]*]+)$/.exec(line) ?? []
  if (target === 'string' && markers.includes('+enum')) enums.set(name, [])
  else if (target === 'string') strings.add(name)
  else if (target !== '' && target !== 'interface') aliases.set(name, target)
  const [, constant = '', type = '', value = ''] = /^\s+(\w+)\s+(\w+)?\s*= (".*"|-?\d+|true|false)(?:\s*\/\/.*)?$/.exec(line) ?? []
  if (constant === '') {
    const [, converted = '', literal, name = ''] = /^\s+\w+\s+= (\w+)\((?:(".*")|(?:\w+\.)?(\w+))\)$/.exec(line) ?? []
    const text = literal ?? constants.get(name)
    if (text?.startsWith('"')) enums.get(converted)?.push(JSON.parse(text) as string)
    return
  }
  constants.set(constant, value)
  if (value.startsWith('"')) enums.get(type)?.push(JSON.parse(value) as string)
}

function readField({ line, markers }: RawField, names: TypeNames, constants: ReadonlyMap<string, string>): FieldFacts[] {
  const [, goType = '', json = ''] = /^\s+(?:\w+\s+)?(\S+)\s+`json:"([^"]*)"/.exec(line) ?? []
  const number = /protobuf:"\w+,(\d+)/.exec(line)?.[1] ?? '-'
  const [name = '', ...options] = json.split(',')
  if (goType === '' || name === '-' || (name === '' && number === '-')) return []
  const pointer = goType.startsWith('*')
  const type = goTypeText(pointer ? goType.slice(1) : goType, names)
  if (name === '') return [{ name, number, pointer: false, type, required: true, omitEmpty: false, marks: [] }]
  const omitEmpty = options.includes('omitempty')
  const required = !(markers.includes('+optional') || (omitEmpty && !markers.includes('+required')))
  const given = defaultOf(markerValue(markers, 'default'), constants)
  const marks = [...listMarks(markers), ...otherMarks(markers), ...(options.includes('omitzero') ? ['omitzero'] : [])]
  return [{ name, number, pointer, type, required, omitEmpty, marks, ...(given !== undefined && { default: `= ${given}` }) }]
}

const markerValue = (markers: readonly string[], marker: string): string | undefined =>
  markers.find(each => each.startsWith(`+${marker}=`))?.slice(marker.length + 2)

function listMarks(markers: readonly string[]): string[] {
  const list = markerValue(markers, 'listType') ?? markerValue(markers, 'mapType') ?? markerValue(markers, 'structType')
  const keys = markers.filter(each => each.startsWith('+listMapKey=')).map(each => each.slice('+listMapKey='.length))
  const key = markerValue(markers, 'patchMergeKey')
  const strategies = markerValue(markers, 'patchStrategy')?.split(',') ?? []
  return [
    ...(list === 'map' ? [`map(${keys.join(',')})`] : list === undefined ? [] : [list]),
    ...strategies.map(strategy => (strategy === 'merge' && key !== undefined ? `merge(${key})` : strategy)),
  ]
}

function otherMarks(markers: readonly string[]): string[] {
  const gate = markerValue(markers, 'featureGate')
  return [
    ...(gate === undefined ? [] : [`gate(${gate})`]),
    ...(markers.some(marker => marker.startsWith('Deprecated:')) ? ['deprecated'] : []),
  ]
}

/** A default is JSON, or refers to a constant: `ref(Always)`. */
function defaultOf(text: string | undefined, constants: ReadonlyMap<string, string>): string | undefined {
  const constant = /^ref\((?:[\w./-]+\.)?(\w+)\)$/.exec(text ?? '')?.[1]
  return constant === undefined ? text : constants.get(constant)
}
