import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { readDescriptions } from '../../../src/api/descriptions.ts'
import { types } from '../../../src/catalog/types.ts'
import { createOpenApi, type DocumentPieces } from '../../../src/endpoints/openapi/open-api.ts'
import { RELEASES, type Release } from '../../../src/lifecycle/release.ts'
import { createMetricsOpenApi } from '../../../src/process/metrics-open-api.ts'
import { builtinSnapshot } from '../../support/reference.ts'

interface Property {
  readonly description?: string
  readonly allOf?: readonly { readonly $ref: string }[]
  readonly items?: { readonly allOf?: readonly { readonly $ref: string }[] }
}

interface Definition {
  readonly description?: string
  readonly properties?: Readonly<Record<string, Property>>
}

const folder = join(import.meta.dirname, '../../../src/api/descriptions')
const groups = new Set(readdirSync(folder).map(file => file.replace(/(-\w+)?\.txt$/, '')))

const snapshot = builtinSnapshot()
const parse = (pieces: DocumentPieces) => JSON.parse(Buffer.concat([...pieces].filter(piece => piece !== undefined)).toString())

/** The definitions of the metrics API of simulated nodes, which is no part of the snapshot. */
function metricsDefinitions(): [name: string, definition: Definition, document: string][] {
  const metrics = createMetricsOpenApi('1.37', ['v1', 'v1beta1'])
  return [...metrics.paths()].flatMap(path =>
    Object.entries(parse(metrics.v3(path)).components.schemas as Record<string, Definition>).map(
      ([name, definition]): [string, Definition, string] => [name, definition, path],
    ),
  )
}

/** The definitions in every document of a release, each with its document. */
function definitionsOf(release: Release): [name: string, definition: Definition, document: string][] {
  const snapshot = builtinSnapshot(release)
  const openApi = createOpenApi(snapshot, readDescriptions)
  const all = Object.entries(parse(openApi.v2()).definitions as Record<string, Definition>).map(
    ([name, definition]): [string, Definition, string] => [name, definition, 'v2'],
  )
  for (const groupVersion of snapshot.servedGroupVersions()) {
    const path = groupVersion.includes('/') ? `apis/${groupVersion}` : `api/${groupVersion}`
    const { schemas } = parse(openApi.v3(path)).components as { schemas: Record<string, Definition> }
    for (const [name, definition] of Object.entries(schemas)) all.push([name, definition, `${release} ${path}`])
  }
  return all
}

/** Every line of the descriptions with its type and, unless it describes the type itself, its field. */
function* lines(): Generator<{ group: string; type: string; field: string | undefined; text: string }> {
  for (const group of groups) {
    let type = ''
    for (const line of readDescriptions(group).split('\n')) {
      if (line === '' || line.startsWith('#')) continue
      const [head, ...rest] = line.trimStart().split(': ') as [string, ...string[]]
      if (!line.startsWith(' ')) type = head.split(' ')[0] as string
      yield { group, type, field: line.startsWith(' ') ? head : undefined, text: rest.join(': ') }
    }
  }
}

describe('descriptions of the built-in kinds', () => {
  const all = [...RELEASES.flatMap(definitionsOf), ...metricsDefinitions()]
  const fields = new Map<string, Set<string>>([['meta.TypeMeta', new Set(['apiVersion', 'kind', 'metadata', 'items'])]])
  for (const [name, { properties = {} }] of all) {
    const [, group, type] = /([a-z]+)\.v\d\w*\.(\w+)$/.exec(name) ?? ['', 'meta', name.slice(name.lastIndexOf('.') + 1)]
    fields.set(`${group}.${type}`, new Set([...(fields.get(`${group}.${type}`) ?? []), ...Object.keys(properties)]))
  }

  // The options of connections are parameters of operations, not definitions.
  for (const { version } of snapshot.servedGroupVersions().flatMap(groupVersion => snapshot.resourcesOf(groupVersion)))
    for (const { connect } of Object.values(version.subresources ?? {}))
      if (connect) fields.set(`core.${connect.options.name}`, new Set(connect.options.fields.keys()))

  it('exist for every type and field, in each document', () => {
    const missing: string[] = []
    for (const [name, { description, properties = {} }, document] of all) {
      if (!description) missing.push(`${document}: ${name}`)
      for (const [field, property] of Object.entries(properties)) if (!property.description) missing.push(`${document}: ${name}.${field}`)
    }
    expect(missing).to.deep.equal([])
  })

  // `kubectl explain` prints both, one after the other.
  it('differ between a field and its type', () => {
    const texts = new Map(all.map(([name, { description }, document]) => [`${document}: ${name}`, description]))
    const repeated = all.flatMap(([name, { properties = {} }, document]) =>
      Object.entries(properties)
        .filter(([, { description, allOf, items }]) =>
          [...(allOf ?? []), ...(items?.allOf ?? [])].some(({ $ref }) => {
            const type = $ref.slice($ref.lastIndexOf('/') + 1)
            return !type.endsWith('.ListMeta') && description === texts.get(`${document}: ${type}`)
          }),
        )
        .map(([field]) => `${document}: ${name}.${field}`),
    )
    expect(repeated).to.deep.equal([])
  })

  it('exist for every parameter of every operation', () => {
    const silent: string[] = []
    const look = (value: unknown, path: string): void => {
      if (typeof value !== 'object' || value === null) return
      if ('in' in value && 'name' in value && value.in !== 'body' && !('description' in value && value.description))
        silent.push(`${path}: ${value.name}`)
      for (const [key, member] of Object.entries(value)) look(member, `${path}/${key}`)
    }
    const { paths, parameters } = parse(createOpenApi(snapshot, readDescriptions).v2())
    look(paths, 'paths')
    look(parameters, 'parameters')
    expect(silent).to.deep.equal([])
  })

  it('describe existing types and fields only', () => {
    const unknown: string[] = []
    for (const { group, type, field } of lines()) {
      const known = fields.get(`${group}.${type}`)
      if (!known || (field !== undefined && !known.has(field))) unknown.push(`${group}.${type}${field === undefined ? '' : `.${field}`}`)
    }
    expect(unknown).to.deep.equal([])
  })

  it('say more than the name, in sentences of plain ASCII', () => {
    const letters = (text: string) => text.toLowerCase().replace(/\W|\b(a|an|the|of)\b/g, '')
    const poor: string[] = []
    for (const { group, type, field, text } of lines()) {
      const sentences = /^[A-Z`0-9][\x20-\x7e]*[.]$/.test(text) && !/ {2}/.test(text)
      if (!sentences || letters(text) === letters(field ?? type) || text.length > 500)
        poor.push(`${group}.${type}${field === undefined ? '' : `.${field}`}: ${text}`)
    }
    expect(poor).to.deep.equal([])
  })

  it('begin with a warning if a field is deprecated', () => {
    const silent: string[] = []
    for (const [name, { properties = {} }] of all)
      for (const [field, { description = '' }] of Object.entries(properties))
        if (types.byDefinition(name)?.fields.get(field)?.deprecated && !description.startsWith('Deprecated: '))
          silent.push(`${name}.${field}`)
    expect(silent).to.deep.equal([])
  })
})
