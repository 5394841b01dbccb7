import { seededRandom } from '../../../src/lib/seeded-random.ts'

export interface Schema {
  readonly type?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly enum?: readonly unknown[]
  readonly default?: unknown
  readonly minItems?: number
  readonly maxItems?: number
  readonly minLength?: number
  readonly minimum?: number
  readonly format?: string
  readonly 'x-kubernetes-validations'?: readonly { readonly rule: string; readonly message: string }[]
}

export interface DefinitionVersion {
  readonly name: string
  readonly served: boolean
  readonly storage: boolean
  readonly schema: { readonly openAPIV3Schema: Schema }
  readonly subresources?: object
}

/** A definition of custom resources, as far as it matters here. */
export interface Definition {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly spec: {
    readonly group: string
    readonly scope: string
    readonly names: { readonly plural: string; readonly kind: string; readonly singular?: string; readonly listKind?: string }
    readonly versions: readonly DefinitionVersion[]
  }
}

const WORDS =
  'the name of a secret in the same namespace that holds credentials which the operator reads when it connects to this endpoint'.split(' ')

/**
 * So many, with 30 to 3,000 fields each, most with a description, some with rules, whose estimated cost the bounds of
 * the arrays keep low: half a dozen groups, every fourth in two versions. The same each time.
 */
export function generateDefinitions(count: number): Definition[] {
  const random = seededRandom(250)
  const below = (n: number): number => Math.floor(random() * n)
  const description = (): string => Array.from({ length: 8 + below(30) }, () => WORDS[below(WORDS.length)]).join(' ')
  const leaf = (): Schema => {
    const kind = below(10)
    if (kind === 0) return { type: 'integer', description: description(), minimum: 0, format: 'int32' }
    if (kind === 1) return { type: 'boolean', description: description(), default: false }
    if (kind === 2) return { type: 'string', description: description(), enum: ['Always', 'Never', 'OnFailure'] }
    return { type: 'string', description: description() }
  }
  const struct = (fields: number): Schema => {
    const properties: Record<string, Schema> = {}
    for (let left = fields, i = 0; left > 0; i++) {
      const size = left < 6 || below(3) > 0 ? 1 : Math.min(left, 2 + below(left))
      left -= size
      if (size === 1) properties[`field${i}`] = leaf()
      else
        properties[`field${i}`] =
          below(3) === 0 ? { type: 'array', description: description(), maxItems: 8, items: struct(size - 1) } : struct(size - 1)
    }
    const rules = below(6) === 0 ? [{ rule: '!has(self.field0) || has(self.field0)', message: 'field0 is wrong' }] : []
    return { type: 'object', description: description(), properties, ...(rules.length > 0 && { 'x-kubernetes-validations': rules }) }
  }
  return Array.from({ length: count }, (_, i) => {
    const kind = `Generated${i}`
    const plural = kind.toLowerCase().concat('s')
    const group = `group${i % 20}.example.com`
    const fields = Math.round(30 * 100 ** (random() ** 2))
    const version = (name: string, storage: boolean): DefinitionVersion => ({
      name,
      served: true,
      storage,
      schema: { openAPIV3Schema: { type: 'object', properties: { spec: struct(fields), status: struct(10) } } },
      subresources: { status: {} },
    })
    return {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `${plural}.${group}` },
      spec: {
        group,
        scope: i % 5 === 0 ? 'Cluster' : 'Namespaced',
        names: { plural, kind, singular: kind.toLowerCase(), listKind: `${kind}List` },
        versions: i % 4 === 0 ? [version('v1', true), version('v1beta1', false)] : [version('v1', true)],
      },
    }
  })
}

/** An object of the version with what it requires; rules may still refuse it. */
export function objectOf({ spec }: Definition, version: DefinitionVersion, name: string): object {
  const filled = sampleOf(version.schema.openAPIV3Schema) as Record<string, unknown>
  return {
    ...filled,
    apiVersion: `${spec.group}/${version.name}`,
    kind: spec.names.kind,
    metadata: { name, labels: { app: name } },
    spec: filled.spec ?? {},
  }
}

function sampleOf(schema: Schema): unknown {
  if (schema.default !== undefined) return schema.default
  if (schema.enum !== undefined) return schema.enum[0]
  switch (schema.type) {
    case 'object': {
      const value: Record<string, unknown> = {}
      for (const name of schema.required ?? []) value[name] = sampleOf(schema.properties?.[name] ?? {})
      return value
    }
    case 'array':
      return Array.from({ length: schema.minItems ?? 0 }, () => sampleOf(schema.items ?? {}))
    case 'integer':
    case 'number':
      return schema.minimum ?? 1
    case 'boolean':
      return true
    default:
      return schema.format === 'date-time' ? '2026-01-01T00:00:00Z' : 'a'.repeat(Math.max(1, schema.minLength ?? 1))
  }
}
