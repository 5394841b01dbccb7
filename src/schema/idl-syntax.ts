/**
 * Syntax of declarations: lines become declarations and fields, whose names are not resolved. `idl.ts` describes the
 * language.
 */

/** Reports an error in a line, which is counted from 1. */
export type ReportLine = (line: number, message: string) => void

/** First line of a file. */
export interface PackageHeader {
  /** Name by which other packages refer to its types: `core` in `core.Pod`. */
  readonly id: string
  /** Prefix of the package's OpenAPI definition names. */
  readonly definition: string
  /** Whether no interfaces are generated for the types. */
  readonly untyped: boolean
}

/** A declaration as written: its first line, and the lines of its fields. */
export interface DeclarationSyntax {
  readonly kind: 'type' | 'enum' | 'string' | 'union'
  readonly name: string
  /** Line of the file, from 1. */
  readonly line: number
  /** Optional. `package.Type` that the type is like. */
  readonly like?: string
  /** Marks of a type, values of an enum, type and form of a union. */
  readonly words: readonly string[]
  /** Only types have fields, except those of `types`. */
  readonly fields: readonly FieldLine[]
}

/** A field as written. Most are never parsed: a server uses few types. */
export interface FieldLine {
  /** The line without its indentation. */
  readonly text: string
  readonly line: number
}

/** A parsed line of a field. */
export interface FieldSyntax {
  /** Empty for `inline`. */
  readonly name: string
  /** Undefined if protobuf does not have the field. */
  readonly number: number | undefined
  /** Type without `*` and `?`: `[]core.Container`. */
  readonly type: string
  /** Whether the type has a `*`. */
  readonly pointer: boolean
  /** Whether the type has a `?`. */
  readonly optional: boolean
  /** Words after the type, as written: `gate(PodNickname)`. */
  readonly marks: readonly string[]
  /** Optional. Default as JSON, with the minor release that introduced it. */
  readonly default?: { readonly json: string; readonly since?: number }
}

/** `package core io.k8s.api.core.v1 untyped` */
const HEADER = /^package (?<id>[a-z]\w*) (?<definition>[\w.-]+)(?<untyped> untyped)?$/m
/** Matches the words of a declaration. Text in quotes may contain blanks. */
const WORDS = /(?:"[^"]*"|[^\s"])+/g
/** `name number type marks = default`. A default may have the release that introduced it: `=@1.34 "x"`. */
const FIELD =
  /^(?<name>[\w$-]+) (?<number>-|\d+) (?<pointer>\*?)(?<type>(?:\[\]\*?|map\[string\])*[\w.]+)(?<optional>\??)(?<marks>(?: [^\s=]+)*)(?: =(?:@1\.(?<since>\d+))? (?<json>.+))?$/
/** `inline number type` */
const INLINE = /^inline (?<number>\d+) (?<type>[\w.]+)$/

/** Parses the header of a file. Undefined if it has none. */
export function parseHeader(source: string): PackageHeader | undefined {
  const { id, definition, untyped } = HEADER.exec(source)?.groups ?? {}
  return id === undefined || definition === undefined ? undefined : { id, definition, untyped: untyped !== undefined }
}

/** Parses the declarations of a package in their order. Lines that cannot be parsed are reported and left out. */
export function parseDeclarations(source: string, report: ReportLine): DeclarationSyntax[] {
  const declarations: DeclarationSyntax[] = []
  let fields: FieldLine[] | undefined
  for (const [i, raw] of source.split('\n').entries()) {
    const text = raw.trimEnd()
    const line = i + 1
    if (text === '' || text.startsWith('//') || text.startsWith('package ')) continue
    if (raw.length > text.length) report(line, 'blanks at the end of the line')
    if (text.startsWith('  ')) {
      if (fields) fields.push({ text: text.slice(2), line })
      else report(line, 'a field outside of a type')
      continue
    }
    fields = []
    declarations.push(...declarationsOf(text.match(WORDS) ?? [], line, fields, report))
    if (declarations.at(-1)?.kind !== 'type' || text.startsWith('types ')) fields = undefined
  }
  return declarations
}

/** Parses a line that declares a type, or several (`types A B like apps`). */
function declarationsOf(
  [kind = '', name = '', ...words]: readonly string[],
  line: number,
  fields: readonly FieldLine[],
  report: ReportLine,
): DeclarationSyntax[] {
  switch (kind) {
    case 'type': {
      const [like, model = '', ...marks] = words
      return [like === 'like' ? { kind, name, line, like: model, words: marks, fields } : { kind, name, line, words, fields }]
    }
    case 'types': {
      const [like, model = ''] = words.slice(-2)
      if (like !== 'like') report(line, '`types` must end with `like package`')
      return [name, ...words.slice(0, -2)].map(each => ({
        kind: 'type',
        name: each,
        line,
        like: `${model}.${each}`,
        words: [],
        fields: [],
      }))
    }
    case 'enum':
    case 'string':
    case 'union':
      return [{ kind, name, line, words, fields: [] }]
    default:
      report(line, `unknown declaration ${JSON.stringify(kind)}`)
      return []
  }
}

/** Parses a field. Undefined, and reported, if it is malformed. */
export function parseField({ text, line }: FieldLine, report: ReportLine): FieldSyntax | undefined {
  const inline = INLINE.exec(text)?.groups
  if (inline) return { name: '', number: Number(inline.number), type: inline.type as string, pointer: false, optional: false, marks: [] }
  const { name, number, pointer, type, optional, marks = '', since, json } = FIELD.exec(text)?.groups ?? {}
  if (name === undefined || type === undefined) {
    report(line, 'a field must be `name number type mark*`, with one blank between them')
    return undefined
  }
  return {
    name,
    number: number === '-' ? undefined : Number(number),
    type,
    pointer: pointer !== '',
    optional: optional !== '',
    marks: marks === '' ? [] : marks.slice(1).split(' '),
    ...(json !== undefined && { default: { json, ...(since !== undefined && { since: Number(since) }) } }),
  }
}

/** Key of a field in its type: its name, or `inline` and its number. */
export const fieldKey = ({ name, number }: Pick<FieldSyntax, 'name' | 'number'>): string => name || `inline ${number}`
