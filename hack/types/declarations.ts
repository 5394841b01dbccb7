import { isGateName } from '../../src/lifecycle/feature-gates.ts'
import { enumValues } from '../../src/schema/idl-marks.ts'
import { SCALARS } from '../../src/schema/idl-scalars.ts'
import {
  type DeclarationSyntax,
  type FieldLine,
  type FieldSyntax,
  fieldKey,
  type PackageHeader,
  parseDeclarations,
  parseField,
  parseHeader,
  type ReportLine,
} from '../../src/schema/idl-syntax.ts'

/** A file of declarations. `schema/idl.ts` describes the language. */
export interface PackageFile extends PackageHeader {
  readonly file: string
  readonly declarations: ReadonlyMap<string, Declaration>
}

export interface Declaration extends Pick<DeclarationSyntax, 'kind' | 'name' | 'line' | 'like'> {
  readonly values?: readonly string[]
  readonly fields: FieldDeclaration[]
}

export interface FieldDeclaration extends Pick<FieldSyntax, 'name' | 'number' | 'marks'> {
  /** Type of the field, its items or its values, without `[]`, `map[string]`, `*` and `?`. */
  readonly type: string
  /** Whether the field holds one value, a list or a map. */
  readonly shape: 'single' | 'list' | 'map'
  readonly line: number
}

const TYPE_MARK = /^(?:typemeta|granular|atomic(?:@1\.\d+)?|nodefinition|prune|since\(1\.\d+\)|until\(1\.\d+\)|gate\([A-Z]\w*\))$/
const FIELD_MARK =
  /^(?:required|optional|omitempty|keepempty|(?:set|atomic|strayatomic|map\([\w,]+\))(?:@1\.\d+)?|granular|(?:minimum\(-?\d+(?:,\w+:-?\d+)?\)|known|(?:only|needs)\(\w+:\w+\)|unique(?:\(\w+(?:,\w+)*\))?|maxitems\(\d+\)|present|fixed|format\([\w-]+\)|maxlength\(\d+\)|exclusive\((?:\w+:)?\w+(?:,\w+)+\))(?:@1\.\d+)?|merge|replace|retainKeys|deprecated|ungated|omitzero(?:@1\.\d+)?|merge\(\w+\)|since\(1\.\d+\)|until\(1\.\d+\)|gate\([A-Z]\w*(?:,(?:own|follows|never|created))?\))$/
const NAME = /^[A-Z]\w*$/
const COLLECTIONS = /^(?:\[\]\*?|map\[string\])*/
/** Marks of which a field has one at most. */
const EXCLUSIVE = [
  ['required', 'optional'],
  ['omitempty', 'keepempty'],
  ['set', 'atomic', 'granular', 'map'],
]

/** Parses a file, and reports what is wrong with it, as far as the file by itself shows it. */
export function readDeclarations(file: string, text: string, report: ReportLine): PackageFile {
  const header = parseHeader(text)
  const headerAt = text.split('\n').findIndex(line => line !== '' && !line.startsWith('//'))
  if (!header || !text.split('\n')[headerAt]?.startsWith('package ')) report(headerAt + 1, 'the first line must be `package id definition`')
  const declarations = new Map<string, Declaration>()
  for (const syntax of parseDeclarations(text, report)) {
    const { name, line } = syntax
    if (!NAME.test(name)) report(line, `${JSON.stringify(name)} is not a valid name of a type`)
    if (declarations.has(name)) report(line, `${name} is declared twice`)
    declarations.set(name, checkedDeclaration(syntax, report))
  }
  return { file, id: '', definition: '', untyped: false, ...header, declarations }
}

function checkedDeclaration({ kind, name, line, like, words, fields }: DeclarationSyntax, report: ReportLine): Declaration {
  switch (kind) {
    case 'type': {
      for (const mark of words) if (!TYPE_MARK.test(mark)) report(line, `unknown mark ${mark} of a type`)
      checkGates(words, line, report)
      const declaration: Declaration = { kind, name, line, ...(like !== undefined && { like }), fields: [] }
      for (const each of fields) addField(declaration, each, report)
      return declaration
    }
    case 'enum': {
      const values = enumValues(words)
      if (values.length === 0) report(line, 'an enum without values: declare a string')
      if (new Set(values).size < values.length) report(line, `a value of ${name} stands twice`)
      return { kind, name, line, values, fields: [] }
    }
    case 'string':
      if (words.length !== 0) report(line, 'a string has only a name')
      return { kind, name, line, fields: [] }
    case 'union': {
      const [type = '', form = ''] = words
      if (words.length !== 2 || !['boolean', 'list', 'strings'].includes(form))
        report(line, 'a union is `union Name Type boolean|list|strings`')
      return { kind, name, line, fields: [{ name: '', number: undefined, type, shape: 'single', marks: [], line }] }
    }
  }
}

function checkedField(written: FieldLine, report: ReportLine): FieldDeclaration | undefined {
  const syntax = parseField(written, report)
  if (syntax === undefined) return undefined
  const { line } = written
  const { name, number, marks } = syntax
  const [collections = ''] = COLLECTIONS.exec(syntax.type) ?? []
  const shape = collections.startsWith('[]') ? 'list' : collections === '' ? 'single' : 'map'
  checkMarks(marks, shape, line, report)
  if (syntax.default) checkDefault(syntax.default.json, line, report)
  if (number !== undefined) checkNumber(number, line, report)
  return { name, number, type: syntax.type.slice(collections.length), shape, marks, line }
}

function checkNumber(number: number, line: number, report: ReportLine): void {
  if (number < 1 || number > 536_870_911 || (number >= 19_000 && number <= 19_999))
    report(line, `${number} is not a field number of protobuf`)
}

function checkMarks(marks: readonly string[], shape: FieldDeclaration['shape'], line: number, report: ReportLine): void {
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
function checkGates(marks: readonly string[], line: number, report: ReportLine): void {
  for (const mark of marks) {
    const gate = /^gate\((\w+)/.exec(mark)?.[1]
    if (gate !== undefined && !isGateName(gate)) report(line, `the feature gate ${gate} is not in src/lifecycle/gate-table.ts`)
  }
}

function checkDefault(text: string, line: number, report: ReportLine): void {
  try {
    JSON.parse(text)
  } catch {
    report(line, `the default ${text} is not JSON`)
  }
}

function addField(type: Declaration, written: FieldLine, report: ReportLine): void {
  const field = checkedField(written, report)
  if (field === undefined) return
  const before = type.fields.findLast(each => fieldKey(each) === fieldKey(field))
  if (before && !follows(before, field)) report(field.line, `${type.name} has the field ${fieldKey(field)} twice`)
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
