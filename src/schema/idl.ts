import { invariant } from '../lib/invariant.ts'
import { readProgramFile } from '../lib/program-files.ts'
import { DeclaredStruct, type StructHead, type StructMembers } from './declared-struct.ts'
import { availability, enumValues, isInRelease, listMarks, marksIn, patchMarks } from './idl-marks.ts'
import { SCALARS } from './idl-scalars.ts'
import {
  type DeclarationSyntax,
  type FieldSyntax,
  fieldKey,
  parseDeclarations,
  parseField,
  parseHeader,
  type ReportLine,
} from './idl-syntax.ts'
import { ruleMarks } from './rule-kinds.ts'
import type { Field, Inline, ScalarSchema, Schema, StructSchema, UnionForm, UnionSchema } from './schema.ts'

/**
 * Types are declared in a small language: a line for each field, a block for each type, a file for each package
 * (`src/api/batch/v1.types`).
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
 * Declarations begin at the start of a line, fields are indented, and `//` begins a comment line. The first line is
 * `package id definition`: the name of the package in other packages, and the prefix of its OpenAPI definition names.
 * `untyped` after it means that the server's code does not use these types, so no TypeScript is generated for them.
 *
 * A field is `name number type mark*`. The number is `-` if protobuf does not have the field. A type is a scalar, a
 * special form, a type of this package, `package.Type` of another, `[]T` or `map[string]T`, each prefixed by `*` for a
 * Go pointer (protobuf has a scalar without it even if it is absent). `?` after the type makes the field optional
 * (omitempty and not required). Marks:
 *
 * - `required`, `optional`, `omitempty`, `keepempty`: override what `?` implies.
 * - `omitzero`: JSON omits an empty non-pointer struct.
 * - `set`, `atomic`, `granular`, `map(a,b)`: list and map types. `strayatomic`: a list type on a field that is not a
 *   list.
 * - `merge(key)`, `merge`, `replace`, `retainKeys`: patch strategies.
 * - `deprecated`.
 * - `since(1.30)`: first release that has the field. `until(1.31)`: first release that does not have it any longer.
 * - `gate(Name)`: feature gate without which writes clear the field. `gate(Name,own)` and similar: see `GateUse`.
 * - `ungated`: gates within the field's type do not clear fields here.
 * - Validation rules (`rule-kinds.ts`): `minimum(0)`, `minimum(1,Gate:0)`, `maxitems(8)`, `known`, `unique`,
 *   `unique(name)`, `only(type:A)`, `needs(type:A)`, `present`, `fixed`, `format(k8s-short-name)`, `maxlength(63)`,
 *   `exclusive(A,B)`, `exclusive(Shown:A,B)`.
 * - `= json`: default, after all marks.
 *
 * `atomic@1.30` applies from that release on, as does the default `=@1.31 json`. If releases differ otherwise, a field
 * has several lines with the same number: the first ends with `until(1.34)`, the next has `since(1.34)`.
 *
 * An enum is a string type with its values, a string a named Go type without them. The value `None@1.35` was added in
 * that release, `None@-1.31` was removed. A union is either a type of this package or the named alternative (`boolean`,
 * `list`, `strings`). `inline number Type` inlines a message's members in the parent's JSON object. A type line accepts
 * `typemeta`, `atomic`, `granular`, `nodefinition`, `since`, `until`, `gate` and `prune` (a value is removed if
 * clearing a gated field leaves it empty). Descriptions are kept elsewhere (`openapi/descriptions.ts`).
 *
 * `type DaemonSet like apps.DaemonSet` repeats a type of another package, usually another version of the kind, with its
 * marks and fields. Names of types refer to this package first. Fields that follow replace those of the same name, or
 * are appended. `types DaemonSet DaemonSetList like apps` repeats several types.
 *
 * `idl-syntax.ts` parses lines, also for `hack/verify-types` and the build, which check every file
 * (`hack/types/check.ts`). Marks and names are trusted here.
 */
export class TypeRegistry {
  readonly #packages = new Map<string, TypePackage>()
  /** Files of packages that have not been read, by id. */
  readonly #files = new Map<string, string>()
  /** Packages whose text has not been parsed. */
  readonly #unread = new Set<string>()
  readonly #sources = new Map<string, DeclarationSource>()
  readonly #strings = new Map<string, ScalarSchema>()
  readonly #unions = new Map<string, DeclarationSource>()
  readonly #resolved = new Map<string, StructSchema>()
  readonly #minor: number | undefined

  /** @param minor release 1.`minor` whose fields the types have; without it they have the fields of all releases */
  constructor(minor?: number) {
    this.#minor = minor
  }

  /** Adds a package. It is parsed when one of its types is first used, so unused versions cost nothing. */
  add(pkg: TypePackage): this {
    invariant(!this.#unread.has(pkg.id) && !this.#packages.has(pkg.id), `package ${pkg.id} is declared twice`)
    this.#packages.set(pkg.id, pkg)
    this.#unread.add(pkg.id)
    return this
  }

  /** Adds the package with this id, read from its file on first use. */
  addFile(id: string, file: string): this {
    invariant(!this.#files.has(id), `package ${id} is declared twice`)
    this.#files.set(id, file)
    return this
  }

  /** Whether there is a package with this id. */
  has(id: string): boolean {
    return this.#files.has(id) || this.#packages.has(id)
  }

  /**
   * Returns a type such as `core.Pod`. Its members are parsed on first access, so a large table costs nothing at start;
   * errors in them are thrown then.
   */
  type(id: string): StructSchema {
    const known = this.#resolved.get(id)
    if (known) return known
    const source = this.#source(id)
    invariant(source, `no type ${id}`)
    const name = id.slice(id.indexOf('.') + 1)
    const marks = marksIn(this.#marks(source), this.#minor)
    const head: Mutable<StructHead> = { id, name, typeMeta: marks.includes('typemeta') }
    if (!marks.includes('nodefinition')) head.definition = `${source.pkg.definition}.${name}`
    const structType = (['atomic', 'granular'] as const).find(mark => marks.includes(mark))
    if (structType !== undefined) head.structType = structType
    if (marks.includes('prune')) head.prune = true
    Object.assign(head, availability(marks))
    const schema = new DeclaredStruct(head, () => this.#members(id, this.#fields(source)))
    this.#resolved.set(id, schema)
    return schema
  }

  /** Returns the values of an enum such as `core.Protocol`, in the declared order. */
  enumValues(id: string): readonly string[] {
    this.#read(id.slice(0, id.indexOf('.')))
    const values = this.#strings.get(id)?.enum
    invariant(values, `no enum ${id}`)
    return values
  }

  /** Returns the members that the fields declare. */
  #members(id: string, declared: readonly ScopedField[]): StructMembers {
    const fields = new Map<string, Field>()
    const inlines: Inline[] = []
    for (const { field: written, scope } of declared) {
      if (written.name === '') {
        const inner = this.type(this.#qualify(written.type, scope))
        inlines.push({ number: written.number ?? 0, schema: inner })
        for (const [key, field] of inner.fields) fields.set(key, field)
      } else {
        if (this.#minor !== undefined && !isInRelease(written.marks, this.#minor)) continue
        const field = this.#field(written, scope)
        const earlier = fields.get(field.name)
        invariant(earlier === undefined || this.#minor === undefined, `${id}: field ${field.name} twice`)
        fields.set(field.name, earlier ? { ...field, earlier } : field)
      }
    }
    return { fields, inlines }
  }

  /** Returns the type with this OpenAPI definition name, if there is one. Reads the files of all packages. */
  byDefinition(definition: string): StructSchema | undefined {
    for (const id of this.#files.keys()) this.#load(id)
    const at = definition.lastIndexOf('.')
    for (const pkg of this.#packages.values()) {
      const id = `${pkg.id}.${definition.slice(at + 1)}`
      if (pkg.definition === definition.slice(0, at)) return this.#source(id) && this.type(id)
    }
    return undefined
  }

  #source(id: string): DeclarationSource | undefined {
    this.#read(id.slice(0, id.indexOf('.')))
    return this.#sources.get(id)
  }

  /** Reads the file of a package unless it has been read. */
  #load(id: string): void {
    const file = this.#files.get(id)
    if (file === undefined) return
    this.#files.delete(id)
    const source = readProgramFile(file)
    const header = parseHeader(source)
    invariant(header?.id === id, `${file} is not the package ${id}`)
    this.add({ id, definition: header.definition, source })
  }

  /** Indexes the declarations of a package by name. */
  #read(id: string): void {
    this.#load(id)
    const pkg = this.#packages.get(id)
    if (pkg === undefined || !this.#unread.delete(id)) return
    for (const declaration of parseDeclarations(pkg.source, reportIn(pkg))) {
      const { kind, name, words } = declaration
      const key = `${id}.${name}`
      if (kind === 'type') {
        invariant(!this.#sources.has(key), `type ${key} is declared twice`)
        this.#sources.set(key, { declaration, pkg })
      } else if (kind === 'union') {
        this.#unions.set(key, { declaration, pkg })
      } else {
        this.#strings.set(key, {
          type: 'string',
          goType: `${pkg.definition.slice(pkg.definition.lastIndexOf('.') + 1)}.${name}`,
          declaredIn: pkg.definition,
          ...(kind === 'enum' && { enum: enumValues(words, this.#minor) }),
        })
      }
    }
  }

  /** Returns the marks of a type, preceded by those of the type after `like`. */
  #marks(source: DeclarationSource): readonly string[] {
    const model = this.#modelOf(source)
    const own = source.declaration.words
    return model ? [...this.#marks(model), ...own] : own
  }

  /** Returns the fields of a type: its own, and those of the type after `like`. */
  #fields(source: DeclarationSource): readonly ScopedField[] {
    const { declaration, pkg } = source
    const report = reportIn(pkg)
    const own = declaration.fields.flatMap(line => parseField(line, report) ?? []).map((field): ScopedField => ({ field, scope: [pkg] }))
    const model = this.#modelOf(source)
    if (model === undefined) return own
    const byName = groupByName(this.#fields(model).map(({ field, scope }) => ({ field, scope: [pkg, ...scope] })))
    for (const [key, fields] of groupByName(own)) byName.set(key, fields)
    return [...byName.values()].flat()
  }

  /** Returns the type after `like`. */
  #modelOf({ declaration: { like } }: DeclarationSource): DeclarationSource | undefined {
    if (like === undefined) return undefined
    const model = this.#source(like)
    invariant(model, `no type ${like}`)
    return model
  }

  /** Builds the field for the release of the reader: marks and defaults of later minor releases are left out. */
  #field({ name, number = 0, type, pointer, optional, marks: all, default: given }: FieldSyntax, scope: PackageScope): Field {
    const marks = marksIn(all, this.#minor)
    invariant(!marks.includes('#'), `a description belongs beside the declarations: ${name}`)
    const field: Mutable<Field> = {
      name,
      number,
      pointer,
      schema: this.#stated(this.#schema(type, marksIn(all), scope), marks),
      required: marks.includes('required') || (!optional && !marks.includes('optional')),
      omitEmpty: marks.includes('omitempty') || (optional && !marks.includes('keepempty')),
    }
    if (name.startsWith(MARKER)) field.alias = `${NEUTRAL_MARKER}${name.slice(MARKER.length)}`
    if (given && (given.since === undefined || this.#minor === undefined || given.since <= this.#minor))
      field.default = JSON.parse(given.json)
    Object.assign(field, patchMarks(marks), availability(marks))
    // Types of all releases have every field, written as in the earliest release.
    if (marks.includes('omitzero') && this.#minor !== undefined) field.omitZero = true
    if (marks.includes('deprecated')) field.deprecated = true
    const rules = ruleMarks(name, marks, field.schema)
    if (rules) field.rules = rules
    if (marks.includes('ungated')) field.ungated = true
    if (marks.includes('strayatomic')) field.strayListType = 'atomic'
    return field
  }

  /**
   * A list without a list type in this release is still merged by the type that another mark implies, which is older
   * (the key of patches).
   */
  #stated(schema: Schema, marks: readonly string[]): Schema {
    return schema.type === 'list' && schema.listType !== undefined && listMarks(marks).listType === undefined
      ? { ...schema, unstated: true }
      : schema
  }

  #union({ declaration: { name, words }, pkg }: DeclarationSource): UnionSchema {
    const [type = '', form = ''] = words
    invariant(isUnionForm(form), `no form of a union: ${form}`)
    const struct = this.type(this.#qualify(type, [pkg]))
    return { type: 'union', name, definition: `${pkg.definition}.${name}`, form, struct }
  }

  /**
   * Marks of a list or map apply to the outermost type, not to its items. A struct with a mark is a copy that refers to
   * the unmarked one by `base`.
   */
  #schema(type: string, marks: readonly string[], scope: PackageScope): Schema {
    if (type.startsWith('[]')) {
      const pointerItems = type.startsWith('[]*')
      const items = this.#schema(type.slice(pointerItems ? 3 : 2), [], scope)
      return { type: 'list', items, ...listMarks(marks), ...(pointerItems && { pointerItems }) }
    }
    if (type.startsWith('map[string]')) {
      const mapType = marks.includes('atomic') ? 'atomic' : marks.includes('granular') ? 'granular' : undefined
      return { type: 'map', values: this.#schema(type.slice(11), [], scope), ...(mapType && { mapType }) }
    }
    const scalar = SCALARS[type]
    if (scalar) return scalar
    const id = this.#qualify(type, scope)
    const named = this.#strings.get(id)
    if (named) return named
    const union = this.#unions.get(id)
    if (union) return this.#union(union)
    const struct = this.type(id)
    if (!marks.includes('atomic') && !marks.includes('granular')) return struct
    const structType = marks.includes('atomic') ? 'atomic' : 'granular'
    return new DeclaredStruct({ ...struct, structType, base: struct }, () => struct)
  }

  /** Returns the name with its package: the first package in scope that declares it. */
  #qualify(type: string, scope: PackageScope): string {
    if (type.includes('.')) {
      this.#read(type.slice(0, type.indexOf('.')))
      return type
    }
    const ids = scope.map(pkg => `${pkg.id}.${type}`)
    return ids.find(id => this.#sources.has(id) || this.#strings.has(id) || this.#unions.has(id)) ?? ids[0] ?? type
  }
}

const isUnionForm = (form: string): form is UnionForm => form === 'boolean' || form === 'list' || form === 'strings'

/** A package whose text is in memory. `definition`: prefix of its OpenAPI definition names. */
export interface TypePackage {
  readonly id: string
  readonly definition: string
  readonly source: string
}

/** Prefix of the markers in schemas, and its neutral spelling. */
const MARKER = 'x-kubernetes-'
const NEUTRAL_MARKER = 'x-svc-'

/** Packages in which a name is looked up, in order. */
type PackageScope = readonly TypePackage[]

/** A declaration in its package. */
interface DeclarationSource {
  readonly declaration: DeclarationSyntax
  readonly pkg: TypePackage
}

/** A field, and the scope of the names in it. */
interface ScopedField {
  readonly field: FieldSyntax
  readonly scope: PackageScope
}

/** Throws the first error in a package. */
const reportIn =
  ({ id }: TypePackage): ReportLine =>
  (line, message) =>
    invariant(false, `package ${id}, line ${line}: ${message}`)

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

/** Groups fields by name. Releases can declare a field differently. */
function groupByName(fields: readonly ScopedField[]): Map<string, ScopedField[]> {
  const byName = new Map<string, ScopedField[]>()
  for (const each of fields) {
    const key = fieldKey(each.field)
    const others = byName.get(key)
    if (others) others.push(each)
    else byName.set(key, [each])
  }
  return byName
}
