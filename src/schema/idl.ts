import { invariant } from '../lib/invariant.ts'
import { readProgramFile } from '../lib/program-files.ts'
import { DeclaredStruct, type StructHead, type StructMembers } from './declared-struct.ts'
import { availability, enumValues, isInRelease, listMarks, marksIn, patchMarks } from './idl-marks.ts'
import { SCALARS } from './idl-scalars.ts'
import { ruleMarks } from './rule-kinds.ts'
import type { Field, Inline, ScalarSchema, Schema, StructSchema, UnionForm, UnionSchema } from './schema.ts'

/**
 * Types are declared in a small language, one line a field, one block a type, one file a package (`src/resources/batch/v1.types`):
 *
 *     package core io.k8s.api.core.v1
 *
 *     enum Protocol SCTP TCP UDP
 *     enum KeyUsage "client auth" signing
 *     string ConditionStatus
 *     union PropsOrBool Props boolean
 *
 *     type ServicePort
 *       name 1 string?
 *       protocol 2 Protocol? = "TCP"
 *       port 3 int32
 *       targetPort 4 IntOrString?
 *
 * Declarations start a line, fields are indented, `//` starts a line of comment. The first line is `package id definition`: how other packages name this one, and how names of its OpenAPI
 * definitions begin. `untyped` behind it: no code of the server reads these types, and no TypeScript is made of them.
 *
 * A field is `name number type mark*`, with `-` for the number where protobuf has none. A type is a scalar, a special form, a type of this package, `package.Type` of
 * another, `[]T`, `map[string]T`, each with `*` before it for a Go pointer (a scalar without it is written in protobuf even if it is absent). `?` ends the type of an optional
 * field (omitempty and not required). Marks:
 * `required` `optional` (against what `?` says) · `omitempty` `keepempty` (likewise) ·
 * `omitzero` a struct that is no pointer is left out of JSON where it is empty · `set` `atomic` `granular` `map(a,b)` list and map types ·
 * `strayatomic` a list type of what is no list ·
 * `merge(key)` `merge` `replace` `retainKeys` patch strategies · `deprecated` · `since(1.30)` the first release that has it, `until(1.31)` the first that has it no more,
 * `gate(Name)` the feature gate without which writes clear it, `gate(Name,own)` and its like (`GateUse`) where the old object keeps it otherwise ·
 * `ungated` gates of the fields of its type do not clear them here · `minimum(0)` `minimum(1,Gate:0)` `maxitems(8)` `known` `unique` `unique(name)` `only(type:A)` `needs(type:A)` `present` `fixed` `format(k8s-short-name)` `maxlength(63)` `exclusive(A,B)` `exclusive(Shown:A,B)` rules for validation (`rule-kinds.ts`) ·
 * `= json` default (last).
 * `atomic@1.30` is a mark of that release and later ones, `=@1.31 json` a default.
 * A field that releases declare differently otherwise has a line for each: the first ends with `until(1.34)`, the next has `since(1.34)`, and both have the number.
 * An enum is a string type with its values, a string a named type of Go's without. `None@1.35` is a value that came with a release, `None@-1.31` one that went with it. A union is a type that is one of ours, or of the other form that is named (`boolean`, `list`,
 * `strings`). `inline number Type` puts a message's members into the parent's JSON object. A type line takes `typemeta`, `atomic`, `nodefinition`, `since`, `until`, `gate` and `prune`
 * (a value of it goes with the gated field that leaves it empty).
 * What types and fields mean is said elsewhere (`openapi/descriptions.ts`).
 *
 * `type DaemonSet like apps.DaemonSet` is the type of another package once more, as versions of a kind are: with its marks and fields, whose types are those of this package where it
 * declares some of that name. Fields that follow stand in the place of those of their name, or at the end. `types DaemonSet DaemonSetList like apps` says it of several at once.
 *
 * The reader here trusts what it reads; `hack/verify-types` and the build check every file strictly (`hack/types/check.ts`).
 */
export class TypeRegistry {
  private readonly packages = new Map<string, TypePackage>()
  /** Files of packages that nobody has asked for yet, by id. */
  private readonly files = new Map<string, string>()
  /** Packages whose text nobody has asked for yet. */
  private readonly unread = new Set<string>()
  private readonly sources = new Map<string, Source>()
  private readonly strings = new Map<string, ScalarSchema>()
  private readonly unions = new Map<string, { line: string; pkg: TypePackage }>()
  private readonly resolved = new Map<string, StructSchema>()
  private readonly minor: number | undefined

  /** @param minor of the release 1.x whose fields types have; without it they have all of them. */
  constructor(minor?: number) {
    this.minor = minor
  }

  /** Packages are read when one of their types is first asked for, so those of versions that nobody uses cost nothing. */
  add(pkg: TypePackage): this {
    invariant(!this.unread.has(pkg.id) && !this.packages.has(pkg.id), `package ${pkg.id} is declared twice`)
    this.packages.set(pkg.id, pkg)
    this.unread.add(pkg.id)
    return this
  }

  /** The package of this id, from its file. */
  addFile(id: string, file: string): this {
    invariant(!this.files.has(id), `package ${id} is declared twice`)
    this.files.set(id, file)
    return this
  }

  /** Whether there is a package of this id. */
  has(id: string): boolean {
    return this.files.has(id) || this.packages.has(id)
  }

  /** The type `core.Pod`. Its members are read when they are first asked for, so a large table costs nothing at start: what is wrong with them is thrown then. */
  type(id: string): StructSchema {
    const known = this.resolved.get(id)
    if (known) return known
    const source = this.source(id)
    invariant(source, `no type ${id}`)
    const name = id.slice(id.indexOf('.') + 1)
    const marks = marksIn(this.marks(source), this.minor)
    const head: Mutable<StructHead> = { id, name, typeMeta: marks.includes('typemeta') }
    if (!marks.includes('nodefinition')) head.definition = `${source.pkg.definition}.${name}`
    if (marks.includes('atomic')) head.structType = 'atomic'
    if (marks.includes('prune')) head.prune = true
    Object.assign(head, availability(marks))
    const schema = new DeclaredStruct(head, () => this.members(id, this.lines(source)))
    this.resolved.set(id, schema)
    return schema
  }

  /** The members that these lines declare. */
  private members(id: string, lines: readonly WrittenField[]): StructMembers {
    const fields = new Map<string, Field>()
    const inlines: Inline[] = []
    for (const { line, scope } of lines) {
      const [, number, type] = /^inline (\d+) (\S+)/.exec(line) ?? []
      if (type !== undefined) {
        const inner = this.type(this.qualify(type, scope))
        inlines.push({ number: Number(number), schema: inner })
        for (const [key, field] of inner.fields) fields.set(key, field)
      } else {
        if (this.minor !== undefined && !isInRelease(line, this.minor)) continue
        const field = this.field(line, scope)
        const earlier = fields.get(field.name)
        invariant(earlier === undefined || this.minor === undefined, `${id}: field ${field.name} twice`)
        fields.set(field.name, earlier ? { ...field, earlier } : field)
      }
    }
    return { fields, inlines }
  }

  /** The type of an OpenAPI definition name, if there is one. Reads the files of all packages. */
  byDefinition(definition: string): StructSchema | undefined {
    for (const id of this.files.keys()) this.load(id)
    const at = definition.lastIndexOf('.')
    for (const pkg of this.packages.values()) {
      const id = `${pkg.id}.${definition.slice(at + 1)}`
      if (pkg.definition === definition.slice(0, at)) return this.source(id) && this.type(id)
    }
    return undefined
  }

  private source(id: string): Source | undefined {
    this.read(id.slice(0, id.indexOf('.')))
    return this.sources.get(id)
  }

  /** Reads the file of a package, if it has one that is not read yet. */
  private load(id: string): void {
    const file = this.files.get(id)
    if (file === undefined) return
    this.files.delete(id)
    const source = readProgramFile(file)
    const [, found, definition] = /^package (\S+) (\S+)/m.exec(source) ?? []
    invariant(found === id && definition !== undefined, `${file} is not the package ${id}`)
    this.add({ id, definition, source })
  }

  /** Sorts the declarations of a package by their names. */
  private read(id: string): void {
    this.load(id)
    const pkg = this.packages.get(id)
    if (pkg === undefined || !this.unread.delete(id)) return
    let current: string[] | undefined
    for (const raw of pkg.source.split('\n')) {
      const line = raw.trimEnd()
      if (line === '' || line.startsWith('//') || line.startsWith('package ')) continue
      if (line.startsWith('types ')) {
        const [names = '', model] = line.slice('types '.length).split(' like ')
        for (const name of names.split(' ')) this.declare(pkg, name, `type ${name} like ${model}.${name}`)
      } else if (line.startsWith('type ')) {
        current = this.declare(pkg, line.split(' ', 2)[1] ?? '', line)
      } else if (line.startsWith('union ')) {
        this.unions.set(`${id}.${line.split(' ', 2)[1]}`, { line, pkg })
      } else if (line.startsWith('enum ') || line.startsWith('string ')) {
        const [, name, ...values] = line.match(WORDS) ?? []
        const isEnum = line.startsWith('enum ')
        this.strings.set(`${id}.${name}`, {
          type: 'string',
          goType: `${pkg.definition.slice(pkg.definition.lastIndexOf('.') + 1)}.${name}`,
          declaredIn: pkg.definition,
          ...(isEnum && { enum: enumValues(values, this.minor) }),
        })
      } else {
        invariant(current, `a field outside of a type: ${line}`)
        current.push(line.trimStart())
      }
    }
  }

  /** Keeps a declaration, and returns its list of lines, which the caller fills. */
  private declare(pkg: TypePackage, name: string, head: string): string[] {
    const id = `${pkg.id}.${name}`
    invariant(!this.sources.has(id), `type ${id} is declared twice`)
    const lines: string[] = []
    this.sources.set(id, { head, lines, pkg })
    return lines
  }

  /** The marks of a type, and before them those of the type that it is like. */
  private marks(source: Source): readonly string[] {
    const model = this.modelOf(source)
    const own = wordsOf(source)
    return model ? [...this.marks(model), ...own.slice(2)] : own
  }

  /** What stands of a type in its package, and in that of the type that it is like. */
  private lines(source: Source): readonly WrittenField[] {
    const { pkg } = source
    const own = source.lines.map(line => ({ line, scope: [pkg] }))
    const model = this.modelOf(source)
    if (model === undefined) return own
    const byName = linesByField(this.lines(model).map(({ line, scope }) => ({ line, scope: [pkg, ...scope] })))
    for (const [key, fields] of linesByField(own)) byName.set(key, fields)
    return [...byName.values()].flat()
  }

  /** The type that another is declared to be like. */
  private modelOf(source: Source): Source | undefined {
    const [like, id = ''] = wordsOf(source)
    if (like !== 'like') return undefined
    const model = this.source(id)
    invariant(model, `no type ${id}`)
    return model
  }

  private field(line: string, scope: Scope): Field {
    const given = DEFAULT.exec(line)
    const [written, since, value] = given ? [line.slice(0, given.index), given[1], line.slice(given.index + given[0].length)] : [line]
    const [name = '', number, type = '', ...all] = written.split(/\s+/)
    const marks = marksIn(all, this.minor)
    invariant(!marks.includes('#'), `a description belongs beside the declarations: ${line}`)
    const optional = type.endsWith('?')
    const pointer = type.startsWith('*')
    const field: Mutable<Field> = {
      name,
      number: number === '-' ? 0 : Number(number),
      pointer,
      schema: this.stated(this.schema(optional ? type.slice(pointer ? 1 : 0, -1) : type.slice(pointer ? 1 : 0), marksIn(all), scope), marks),
      required: marks.includes('required') || (!optional && !marks.includes('optional')),
      omitEmpty: marks.includes('omitempty') || (optional && !marks.includes('keepempty')),
    }
    if (name.startsWith(MARKER)) field.alias = `${NEUTRAL_MARKER}${name.slice(MARKER.length)}`
    if (value !== undefined && (since === undefined || this.minor === undefined || Number(since) <= this.minor)) field.default = JSON.parse(value)
    Object.assign(field, patchMarks(marks), availability(marks))
    // Types of no one release have every field, as the earliest one writes it.
    if (marks.includes('omitzero') && this.minor !== undefined) field.omitZero = true
    if (marks.includes('deprecated')) field.deprecated = true
    const rules = ruleMarks(name, marks, field.schema)
    if (rules) field.rules = rules
    if (marks.includes('ungated')) field.ungated = true
    if (marks.includes('strayatomic')) field.strayListType = 'atomic'
    return field
  }

  /** A list that the release does not say the type of is merged by it all the same: what says so besides is older (the key of patches). */
  private stated(schema: Schema, marks: readonly string[]): Schema {
    return schema.type === 'list' && schema.listType !== undefined && listMarks(marks).listType === undefined ? { ...schema, unstated: true } : schema
  }

  private union(line: string, pkg: TypePackage): UnionSchema {
    const [, name = '', type = '', form = ''] = line.split(/\s+/)
    invariant(isUnionForm(form), `no form of a union: ${line}`)
    const struct = this.type(this.qualify(type, [pkg]))
    return { type: 'union', name, definition: `${pkg.definition}.${name}`, form, struct }
  }

  private schema(type: string, marks: readonly string[], scope: Scope): Schema {
    if (type.startsWith('[]')) {
      const pointerItems = type.startsWith('[]*')
      const items = this.schema(type.slice(pointerItems ? 3 : 2), [], scope)
      return { type: 'list', items, ...listMarks(marks), ...(pointerItems && { pointerItems }) }
    }
    if (type.startsWith('map[string]')) {
      const mapType = marks.includes('atomic') ? 'atomic' : marks.includes('granular') ? 'granular' : undefined
      return { type: 'map', values: this.schema(type.slice(11), [], scope), ...(mapType && { mapType }) }
    }
    const scalar = SCALARS[type]
    if (scalar) return scalar
    const id = this.qualify(type, scope)
    const named = this.strings.get(id)
    if (named) return named
    const union = this.unions.get(id)
    if (union) return this.union(union.line, union.pkg)
    const struct = this.type(id)
    if (!marks.includes('atomic') && !marks.includes('granular')) return struct
    const structType = marks.includes('atomic') ? 'atomic' : 'granular'
    return new DeclaredStruct({ ...struct, structType, base: struct }, () => struct)
  }

  /** The name with its package: the first of those in scope that declares it. */
  private qualify(type: string, scope: Scope): string {
    if (type.includes('.')) {
      this.read(type.slice(0, type.indexOf('.')))
      return type
    }
    const ids = scope.map(pkg => `${pkg.id}.${type}`)
    return ids.find(id => this.sources.has(id) || this.strings.has(id) || this.unions.has(id)) ?? ids[0] ?? type
  }
}

const isUnionForm = (form: string): form is UnionForm => form === 'boolean' || form === 'list' || form === 'strings'

/** A package whose text is in memory. `definition`: how names of its OpenAPI definitions begin. */
export interface TypePackage {
  readonly id: string
  readonly definition: string
  readonly source: string
}

/** How names of markers in schemas begin, and how they are spelt neutrally. */
const MARKER = 'x-kubernetes-'
const NEUTRAL_MARKER = 'x-svc-'

/** Packages in which a name is looked up, in turn. */
type Scope = readonly TypePackage[]

/** A declaration as it stands in its package. */
interface Source {
  readonly head: string
  readonly lines: readonly string[]
  readonly pkg: TypePackage
}

/** A line of a field, and where the names in it are looked up. */
interface WrittenField {
  readonly line: string
  readonly scope: Scope
}

/** Words of a declaration's first line behind the name of the type. */
const wordsOf = ({ head }: Source): readonly string[] => head.split(/\s+/).slice(2)

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

/** The lines of each field, of which releases may have different ones. */
function linesByField(lines: readonly WrittenField[]): Map<string, WrittenField[]> {
  const byName = new Map<string, WrittenField[]>()
  for (const field of lines) {
    const key = fieldKey(field.line)
    const others = byName.get(key)
    if (others) others.push(field)
    else byName.set(key, [field])
  }
  return byName
}

/** Words of a declaration; what is in quotes may have blanks. */
export const WORDS = /(?:"[^"]*"|[^\s"])+/g

/** What stands between the marks of a field and its default, with the release since which it has it. */
const DEFAULT = / =(?:@1\.(\d+))? /

/** What identifies a field: its name, or `inline` and its number. */
const fieldKey = (line: string): string => line.split(' ', line.startsWith('inline ') ? 2 : 1).join(' ')
