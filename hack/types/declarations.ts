import { isGateName } from '../../src/lifecycle/feature-gates.ts'
import { WORDS } from '../../src/schema/idl.ts'
import { enumValues } from '../../src/schema/idl-marks.ts'
import { SCALARS } from '../../src/schema/idl-scalars.ts'

/** A file of declarations, read strictly. `schema/idl.ts` describes the language. */
export interface PackageFile {
  readonly file: string
  readonly id: string
  readonly definition: string
  /** No TypeScript is made of it. */
  readonly untyped: boolean
  readonly declarations: ReadonlyMap<string, Declaration>
}

export interface Declaration {
  readonly kind: 'type' | 'enum' | 'string' | 'union'
  readonly name: string
  readonly line: number
  /** Optional. `package.Type` that the type is like. */
  readonly like?: string
  readonly values?: readonly string[]
  readonly fields: FieldDeclaration[]
}

export interface FieldDeclaration {
  /** Empty for `inline`. */
  readonly name: string
  /** Undefined if the field has no protobuf number. */
  readonly number: number | undefined
  /** Type of the field, its items or its values, without `[]`, `map[string]`, `*` and `?`. */
  readonly type: string
  /** Whether the field holds one value, a list or a map. */
  readonly shape: 'single' | 'list' | 'map'
  readonly marks: readonly string[]
  readonly line: number
}

export type Report = (line: number, message: string) => void

const TYPE_MARK = /^(?:typemeta|granular|atomic(?:@1\.\d+)?|nodefinition|prune|since\(1\.\d+\)|until\(1\.\d+\)|gate\([A-Z]\w*\))$/
const FIELD_MARK =
  /^(?:required|optional|omitempty|keepempty|(?:set|atomic|strayatomic|map\([\w,]+\))(?:@1\.\d+)?|granular|(?:minimum\(-?\d+(?:,\w+:-?\d+)?\)|known|(?:only|needs)\(\w+:\w+\)|unique(?:\(\w+(?:,\w+)*\))?|maxitems\(\d+\)|present|fixed|format\([\w-]+\)|maxlength\(\d+\)|exclusive\((?:\w+:)?\w+(?:,\w+)+\))(?:@1\.\d+)?|merge|replace|retainKeys|deprecated|ungated|omitzero(?:@1\.\d+)?|merge\(\w+\)|since\(1\.\d+\)|until\(1\.\d+\)|gate\([A-Z]\w*(?:,(?:own|follows|never|created))?\))$/
const NAME = /^[A-Z]\w*$/
const FIELD =
  /^(?<name>[\w$-]+) (?<number>-|\d+) (?<pointer>\*?)(?<shape>(?:\[\]\*?|map\[string\])*)(?<type>[\w.]+)(?<optional>\??)(?<marks>(?: [^\s=]+)*)(?: =(?:@1\.\d+)? (?<value>.+))?$/
const INLINE = /^inline (?<number>\d+) (?<type>[\w.]+)$/
/** Marks of which a field has one at most. */
const EXCLUSIVE = [
  ['required', 'optional'],
  ['omitempty', 'keepempty'],
  ['set', 'atomic', 'granular', 'map'],
]

/** Reads a file; tells what is wrong with it, as far as the file by itself shows it. */
export function readDeclarations(file: string, text: string, report: Report): PackageFile {
  const lines = text.split('\n')
  const declarations = new Map<string, Declaration>()
  const headerAt = lines.findIndex(line => line !== '' && !line.startsWith('//'))
  const header = /^package (?<id>[a-z]\w*) (?<definition>[\w.-]+)(?<untyped> untyped)?$/.exec(lines[headerAt] ?? '')?.groups
  if (!header) report(headerAt + 1, 'the first line must be `package id definition`')
  let current: Declaration | undefined
  for (const [i, line] of lines.entries()) {
    if (i === headerAt || line === '' || line.startsWith('//')) continue
    const at = i + 1
    if (line !== line.trimEnd()) report(at, 'blanks at the end of the line')
    if (line.startsWith('  ')) {
      const field = readField(line.slice(2), at, report)
      if (!current) report(at, 'a field outside of a type')
      else if (field) addField(current, field, report)
      continue
    }
    current = undefined
    for (const declaration of readDeclaration(line, at, report)) {
      if (declarations.has(declaration.name)) report(at, `${declaration.name} is declared twice`)
      declarations.set(declaration.name, declaration)
      if (declaration.kind === 'type' && !line.startsWith('types ')) current = declaration
    }
  }
  return { file, id: header?.id ?? '', definition: header?.definition ?? '', untyped: header?.untyped !== undefined, declarations }
}

function readDeclaration(line: string, at: number, report: Report): Declaration[] {
  const [kind, ...words] = line.match(WORDS) ?? []
  const name = words[0] ?? ''
  const declaration = (more: Partial<Declaration> = {}): Declaration[] => [{ kind: 'type', name, line: at, fields: [], ...more }]
  if (kind !== 'types' && !NAME.test(name)) report(at, `${JSON.stringify(name)} is not a valid name of a type`)
  switch (kind) {
    case 'type': {
      const [, like, model, ...rest] = words
      const marks = like === 'like' ? rest : words.slice(1)
      for (const mark of marks) if (!TYPE_MARK.test(mark)) report(at, `unknown mark ${mark} of a type`)
      checkGates(marks, at, report)
      return declaration(like === 'like' ? { like: model ?? '' } : {})
    }
    case 'types': {
      const [like, model = ''] = words.slice(-2)
      if (like !== 'like') report(at, '`types` must end with `like package`')
      return words.slice(0, -2).flatMap(each => (NAME.test(each) ? declaration({ name: each, like: `${model}.${each}` }) : []))
    }
    case 'enum': {
      const values = enumValues(words.slice(1))
      if (values.length === 0) report(at, 'an enum without values: declare a string')
      if (new Set(values).size < values.length) report(at, `a value of ${name} stands twice`)
      return declaration({ kind, values })
    }
    case 'string':
      if (words.length !== 1) report(at, 'a string has only a name')
      return declaration({ kind })
    case 'union': {
      const [, type = '', form = ''] = words
      if (words.length !== 3 || !['boolean', 'list', 'strings'].includes(form)) report(at, 'a union is `union Name Type boolean|list|strings`')
      return declaration({ kind, fields: [{ name: '', number: undefined, type, shape: 'single', marks: [], line: at }] })
    }
    default:
      report(at, `unknown declaration ${JSON.stringify(kind)}`)
      return []
  }
}

function readField(text: string, line: number, report: Report): FieldDeclaration | undefined {
  const inline = INLINE.exec(text)?.groups
  if (inline) return { name: '', number: fieldNumber(inline.number as string, line, report), type: inline.type as string, shape: 'single', marks: [], line }
  const found = FIELD.exec(text)?.groups
  if (!found) {
    report(line, 'a field must be `name number type mark*`, with one blank between them')
    return undefined
  }
  const marks = (found.marks ?? '').split(' ').filter(mark => mark !== '')
  const shape = found.shape?.startsWith('[]') ? 'list' : found.shape?.startsWith('map') ? 'map' : 'single'
  checkMarks(marks, shape, line, report)
  if (found.value !== undefined) checkDefault(found.value, line, report)
  return { name: found.name as string, number: fieldNumber(found.number as string, line, report), type: found.type as string, shape, marks, line }
}

function fieldNumber(text: string, line: number, report: Report): number | undefined {
  if (text === '-') return undefined
  const number = Number(text)
  if (number < 1 || number > 536_870_911 || (number >= 19_000 && number <= 19_999)) report(line, `${text} is not a field number of protobuf`)
  return number
}

function checkMarks(marks: readonly string[], shape: FieldDeclaration['shape'], line: number, report: Report): void {
  const names = marks.map(mark => mark.replace(/[(@].*/, ''))
  for (const mark of marks) if (!FIELD_MARK.test(mark)) report(line, `unknown mark ${mark} of a field`)
  checkGates(marks, line, report)
  for (const [i, name] of names.entries()) if (names.indexOf(name) !== i) report(line, `the mark ${name} stands twice`)
  for (const group of EXCLUSIVE) {
    const given = group.filter(name => names.includes(name))
    if (given.length > 1) report(line, `the marks ${given.join(' and ')} exclude each other`)
  }
  if (shape !== 'list') for (const mark of ['set', 'map']) if (names.includes(mark)) report(line, `the mark ${mark} is one of lists`)
}

/** A gate that no release has would be found only when a server first writes an object of the type. */
function checkGates(marks: readonly string[], line: number, report: Report): void {
  for (const mark of marks) {
    const gate = /^gate\((\w+)/.exec(mark)?.[1]
    if (gate !== undefined && !isGateName(gate)) report(line, `the feature gate ${gate} is not in src/lifecycle/gate-table.ts`)
  }
}

function checkDefault(text: string, line: number, report: Report): void {
  try {
    JSON.parse(text)
  } catch {
    report(line, `the default ${text} is not JSON`)
  }
}

function addField(type: Declaration, field: FieldDeclaration, report: Report): void {
  const before = type.fields.findLast(({ name, number }) => (field.name === '' ? name === '' && number === field.number : name === field.name))
  if (before && !follows(before, field)) report(field.line, `${type.name} has the field ${field.name || `inline ${field.number}`} twice`)
  type.fields.push(field)
}

/** Whether releases declare the field by one line until the other takes over. */
function follows(before: FieldDeclaration, { number, marks }: FieldDeclaration): boolean {
  const until = releaseOf('until', before.marks)
  return until !== undefined && releaseOf('since', marks) === until && before.number === number
}

const releaseOf = (mark: string, marks: readonly string[]): string | undefined =>
  marks.map(each => new RegExp(`^${mark}\\((1\\.\\d+)\\)$`).exec(each)?.[1]).find(Boolean)

export const isScalar = (type: string): boolean => Object.hasOwn(SCALARS, type)
