import { invariant } from '../lib/invariant.ts'
import type { Json } from '../meta/object.ts'
import type { Field, Inline, ScalarSchema, Schema, StructSchema, UnionForm, UnionSchema } from './schema.ts'

/**
 * Types are declared in a small language, one line a field, one block a type:
 *
 *     type ServicePort
 *       name 1 string?
 *       protocol 2 Protocol? = "TCP"
 *       port 3 int32
 *       targetPort 4 IntOrString?
 *
 *     enum Protocol SCTP TCP UDP
 *     enum KeyUsage "client auth" signing
 *
 *     union PropsOrBool Props boolean
 *
 * A field is `name number type mark*`, with `-` for the number where protobuf has none. A type is a scalar, a special form, a type of this package, `package.Type` of
 * another, `[]T`, `map[string]T`, each with `*` before it for a Go pointer. `?` ends the type of an optional field (omitempty and not required). Marks:
 * `required` `optional` (against what `?` says) · `omitempty` `keepempty` (likewise) · `set` `atomic` `granular` `map(a,b)` list and map types ·
 * `strayatomic` a list type of what is no list ·
 * `merge(key)` `merge` `replace` `retainKeys` patch strategies · `deprecated` · `= json` default (last).
 * A union is a type that is one of ours, or of the other form that is named (`boolean`, `list`, `strings`). Declarations start a line, fields are indented. `inline number Type` puts a message's members into the parent's JSON object. A type line takes `typemeta`, `atomic`, `nodefinition`.
 * What types and fields mean is said elsewhere (`openapi/descriptions.ts`).
 *
 * `type DaemonSet like apps.DaemonSet` is the type of another package once more, as versions of a kind are: with its marks and fields, whose types are those of this package where it
 * declares some of that name. Fields that follow stand in the place of those of their name, or at the end. `types DaemonSet DaemonSetList like apps` says it of several at once.
 */
export class TypeRegistry {
  private readonly packages = new Map<string, TypePackage>()
  private readonly idsByPrefix = new Map<string, string>()
  /** Packages whose text nobody has asked for yet. */
  private readonly unread = new Set<string>()
  private readonly sources = new Map<string, Source>()
  private readonly enums = new Map<string, readonly string[]>()
  private readonly unions = new Map<string, { line: string; pkg: TypePackage }>()
  private readonly resolved = new Map<string, StructSchema>()

  /** Packages are read when one of their types is first asked for, so those of versions that nobody uses cost nothing but their text. */
  add(pkg: TypePackage): this {
    invariant(!this.packages.has(pkg.id), `package ${pkg.id} is declared twice`)
    this.packages.set(pkg.id, pkg)
    this.unread.add(pkg.id)
    this.idsByPrefix.set(pkg.definition, pkg.id)
    return this
  }

  /** The type `core.Pod`. Types are resolved when first asked for, so a large table costs nothing at start. */
  type(id: string): StructSchema {
    const known = this.resolved.get(id)
    if (known) return known
    const source = this.source(id)
    invariant(source, `no type ${id}`)
    const name = id.slice(id.indexOf('.') + 1)
    const { marks, lines } = this.written(source)
    const fields = new Map<string, Field>()
    const inlines: Inline[] = []
    const schema: Mutable<StructSchema> = { type: 'struct', name, fields, inlines, typeMeta: marks.includes('typemeta') }
    if (!marks.includes('nodefinition')) schema.definition = `${source.pkg.definition}.${name}`
    if (marks.includes('atomic')) schema.structType = 'atomic'
    this.resolved.set(id, schema) // before its fields: types may be recursive
    for (const { line, scope } of lines) {
      const inline = /^inline (\d+) (\S+)/.exec(line)
      if (inline) {
        const inner = this.type(this.qualify(inline[2] as string, scope))
        inlines.push({ number: Number(inline[1]), schema: inner })
        for (const [key, field] of inner.fields) fields.set(key, field)
      } else {
        const field = this.field(line, scope)
        invariant(!fields.has(field.name), `${id}: field ${field.name} twice`)
        fields.set(field.name, field)
      }
    }
    return schema
  }

  /** The type of an OpenAPI definition name, if there is one. */
  byDefinition(definition: string): StructSchema | undefined {
    const at = definition.lastIndexOf('.')
    const pkg = this.idsByPrefix.get(definition.slice(0, at))
    const id = `${pkg}.${definition.slice(at + 1)}`
    return pkg !== undefined && this.source(id) ? this.type(id) : undefined
  }

  private source(id: string): Source | undefined {
    this.read(id.slice(0, id.indexOf('.')))
    return this.sources.get(id)
  }

  /** Sorts the declarations of a package by their names. */
  private read(id: string): void {
    if (!this.unread.delete(id)) return
    const pkg = this.packages.get(id) as TypePackage
    let current: string[] | undefined
    for (const raw of pkg.source.split('\n')) {
      const line = raw.trimEnd()
      if (line === '' || line.startsWith('//')) continue
      if (line.startsWith('types ')) {
        const [names, model] = line.slice('types '.length).split(' like ') as [string, string]
        for (const name of names.split(' ')) this.declare(pkg, name, `type ${name} like ${model}.${name}`)
      } else if (line.startsWith('type ')) {
        current = this.declare(pkg, line.split(' ', 2)[1] as string, line)
      } else if (line.startsWith('union ')) {
        this.unions.set(`${id}.${line.split(' ', 2)[1]}`, { line, pkg })
      } else if (line.startsWith('enum ')) {
        const [name, ...values] = line.slice('enum '.length).match(/"[^"]*"|\S+/g) as string[]
        this.enums.set(
          `${id}.${name}`,
          values.map(value => (value.startsWith('"') ? value.slice(1, -1) : value)),
        )
      } else {
        invariant(current, `a field outside of a type: ${line}`)
        current.push(line.trimStart())
      }
    }
  }

  /** Keeps a declaration, and gives its lines to be filled. */
  private declare(pkg: TypePackage, name: string, head: string): string[] {
    const id = `${pkg.id}.${name}`
    invariant(!this.sources.has(id), `type ${id} is declared twice`)
    const lines: string[] = []
    this.sources.set(id, { head, lines, pkg })
    return lines
  }

  /** What stands of a type in its package, and in that of the type that it is like. */
  private written({ head, lines, pkg }: Source): Written {
    const marks = head.split(/\s+/).slice(2)
    const own = lines.map(line => ({ line, scope: [pkg] }))
    if (marks[0] !== 'like') return { marks, lines: own }
    const model = this.source(marks[1] as string)
    invariant(model, `no type ${marks[1]}`)
    const base = this.written(model)
    const byName = new Map<string, WrittenField>()
    for (const { line, scope } of base.lines) byName.set(fieldKey(line), { line, scope: [pkg, ...scope] })
    for (const field of own) byName.set(fieldKey(field.line), field)
    return { marks: [...base.marks, ...marks.slice(2)], lines: [...byName.values()] }
  }

  private field(line: string, scope: Scope): Field {
    const at = line.indexOf(' = ')
    const [name, number, type, ...marks] = (at < 0 ? line : line.slice(0, at)).split(/\s+/) as [string, string, string, ...string[]]
    invariant(!marks.includes('#'), `a description belongs beside the declarations: ${line}`)
    const optional = type.endsWith('?')
    const pointer = type.startsWith('*')
    const field: Mutable<Field> = {
      name,
      number: number === '-' ? 0 : Number(number),
      pointer,
      schema: this.schema(optional ? type.slice(pointer ? 1 : 0, -1) : type.slice(pointer ? 1 : 0), marks, scope),
      required: marks.includes('required') || (!optional && !marks.includes('optional')),
      omitEmpty: marks.includes('omitempty') || (optional && !marks.includes('keepempty')),
    }
    if (name.startsWith(MARKER)) field.alias = `${NEUTRAL_MARKER}${name.slice(MARKER.length)}`
    if (at >= 0) field.default = JSON.parse(line.slice(at + 3)) as Json
    const strategies: string[] = []
    for (const mark of marks) {
      const merge = /^merge\((.+)\)$/.exec(mark)
      if (merge) {
        strategies.push('merge')
        field.patchMergeKey = merge[1] as string
      } else if (mark === 'merge' || mark === 'replace' || mark === 'retainKeys') strategies.push(mark)
    }
    if (strategies.length > 0) field.patchStrategy = strategies.join(',')
    if (marks.includes('deprecated')) field.deprecated = true
    if (marks.includes('strayatomic')) field.strayListType = 'atomic'
    return field
  }

  private union(line: string, pkg: TypePackage): UnionSchema {
    const [, name, type, form] = line.split(/\s+/) as [string, string, string, UnionForm]
    const struct = this.type(this.qualify(type, [pkg]))
    return { type: 'union', name, definition: `${pkg.definition}.${name}`, form, struct }
  }

  private schema(type: string, marks: readonly string[], scope: Scope): Schema {
    if (type.startsWith('[]')) {
      const pointerItems = type.startsWith('[]*')
      const items = this.schema(type.slice(pointerItems ? 3 : 2), [], scope)
      const keys = marks.map(m => /^map\((.+)\)$/.exec(m)?.[1]).find(k => k !== undefined)
      const listType = keys !== undefined ? 'map' : marks.includes('set') ? 'set' : marks.includes('atomic') ? 'atomic' : undefined
      return {
        type: 'list',
        items,
        ...(listType && { listType }),
        ...(keys !== undefined && { listMapKeys: keys.split(',') }),
        ...(pointerItems && { pointerItems }),
      }
    }
    if (type.startsWith('map[string]')) {
      const mapType = marks.includes('atomic') ? 'atomic' : marks.includes('granular') ? 'granular' : undefined
      return { type: 'map', values: this.schema(type.slice(11), [], scope), ...(mapType && { mapType }) }
    }
    const scalar = SCALARS[type]
    if (scalar) return scalar
    const id = this.qualify(type, scope)
    const values = this.enums.get(id)
    if (values) return { type: 'string', goType: `v1.${id.slice(id.indexOf('.') + 1)}`, enum: values }
    const union = this.unions.get(id)
    if (union) return this.union(union.line, union.pkg)
    const struct = this.type(id)
    if (!marks.includes('atomic') && !marks.includes('granular')) return struct
    const structType = marks.includes('atomic') ? 'atomic' : 'granular'
    // Shares the members, which may not be resolved yet.
    return { ...struct, fields: struct.fields, inlines: struct.inlines, structType, base: struct }
  }

  /** The name with its package: the first of those in scope that declares it. */
  private qualify(type: string, scope: Scope): string {
    if (type.includes('.')) {
      this.read(type.slice(0, type.indexOf('.')))
      return type
    }
    const ids = scope.map(pkg => `${pkg.id}.${type}`)
    return ids.find(id => this.sources.has(id) || this.enums.has(id) || this.unions.has(id)) ?? (ids[0] as string)
  }
}

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

interface WrittenField {
  readonly line: string
  readonly scope: Scope
}

interface Written {
  readonly marks: readonly string[]
  readonly lines: readonly WrittenField[]
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

/** What a field is told from others by: its name, or `inline` and its number. */
const fieldKey = (line: string): string => line.split(' ', line.startsWith('inline ') ? 2 : 1).join(' ')

const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1'

/** Scalars and special JSON forms by their names in declarations. */
const SCALARS: Readonly<Record<string, ScalarSchema>> = {
  string: { type: 'string', goType: 'string' },
  UID: { type: 'string', goType: 'types.UID' },
  bool: { type: 'boolean', goType: 'bool' },
  int32: { type: 'integer', goType: 'int32' },
  int64: { type: 'integer', goType: 'int64' },
  uint32: { type: 'integer', goType: 'uint32' },
  uint64: { type: 'integer', goType: 'uint64' },
  double: { type: 'number', goType: 'float64' },
  float: { type: 'number', goType: 'float32' },
  bytes: { type: 'bytes', goType: '[]uint8' },
  Time: { type: 'time', goType: 'v1.Time', definition: `${meta}.Time` },
  MicroTime: { type: 'microTime', goType: 'v1.MicroTime', definition: `${meta}.MicroTime` },
  Duration: { type: 'duration', goType: 'v1.Duration', definition: `${meta}.Duration` },
  Quantity: { type: 'quantity', goType: 'resource.Quantity', definition: 'io.k8s.apimachinery.pkg.api.resource.Quantity' },
  IntOrString: { type: 'intOrString', goType: 'intstr.IntOrString', definition: 'io.k8s.apimachinery.pkg.util.intstr.IntOrString' },
  FieldsV1: { type: 'raw', goType: 'v1.FieldsV1', definition: `${meta}.FieldsV1` },
  JSON: { type: 'json', goType: 'v1.JSON', definition: 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON' },
  RawExtension: { type: 'raw', goType: 'runtime.RawExtension', definition: 'io.k8s.apimachinery.pkg.runtime.RawExtension' },
}
