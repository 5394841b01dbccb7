import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { CustomResourceDefinition } from '../../../../src/api/apiextensions/v1.types.ts'
import { isJsonObject, type Json, type JsonObject, objectIn } from '../../../../src/api/meta/object.ts'
import { CatalogSnapshot } from '../../../../src/catalog/catalog.ts'
import { createOpenApi } from '../../../../src/endpoints/openapi/open-api.ts'
import { ConversionMetrics } from '../../../../src/extensions/conversion/metrics.ts'
import { customResource } from '../../../../src/extensions/custom-resource.ts'
import { bytesOf } from '../../../support/document-bytes.ts'

interface Case {
  readonly name: string
  readonly definition: CustomResourceDefinition
  readonly v3: Readonly<Record<string, JsonObject>>
  readonly v2: { readonly paths: JsonObject; readonly definitions: JsonObject }
}

const CASES = readFileSync(join(import.meta.dirname, '../../../fixtures/openapi/custom.jsonl'), 'utf8')
  .split('\n')
  .filter(Boolean)
  .map(line => JSON.parse(line) as Case)

/** The definition with its accepted names. */
function established(definition: CustomResourceDefinition): CustomResourceDefinition {
  const { names } = definition.spec
  const acceptedNames = { ...names, singular: names.singular || names.kind.toLowerCase(), listKind: names.listKind || `${names.kind}List` }
  const condition = { type: 'Established', status: 'True', lastTransitionTime: null, reason: '', message: '' }
  return { ...definition, status: { acceptedNames, conditions: [condition], storedVersions: [] } }
}

/** A value without descriptions, which differ between servers. Members named `description` of other types are kept. */
function undescribed(value: Json): Json {
  if (Array.isArray(value)) return value.map(undescribed)
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, member]) => name !== 'description' || typeof member !== 'string')
      .map(([name, member]) => [name, undescribed(member)]),
  )
}

/** Replaces references to parameters by the parameters. */
function inlined(value: Json, parameters: JsonObject): Json {
  if (Array.isArray(value)) return value.map(item => inlined(item, parameters))
  if (!isJsonObject(value)) return value
  const [, name] = typeof value.$ref === 'string' ? value.$ref.split('#/parameters/') : []
  if (name !== undefined) return parameters[name] ?? null
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, inlined(member, parameters)]))
}

const membersOf = (object: Json | undefined, chosen: (name: string) => boolean): JsonObject =>
  Object.fromEntries(Object.entries(objectIn(object)).filter(([name]) => chosen(name)))
const parse = (pieces: Parameters<typeof bytesOf>[0]): JsonObject => JSON.parse(bytesOf(pieces).toString()) as JsonObject

/** Serialized, because the order of members is significant. */
function expectSame(got: Json, want: Json): void {
  expect(JSON.stringify(got, undefined, 1)).to.equal(JSON.stringify(want, undefined, 1))
}

describe("OpenAPI documents of custom resources compared with upstream's", () => {
  for (const { name, definition, v3, v2 } of CASES) {
    const resource = customResource(established(definition), {
      post: () => Promise.reject(new Error('no webhook here')),
      metrics: new ConversionMetrics(),
    })
    const openApi = createOpenApi(new CatalogSnapshot(1, resource ? [resource] : [], '1.33'))
    const isOwn = (type: string): boolean => type.startsWith('dev.example.')

    it(`${name}: v3 has the same documents`, () => {
      expect([...openApi.paths()].filter(path => path.includes(definition.spec.group))).to.deep.equal(Object.keys(v3))
    })

    for (const [path, { schemas: wantSchemas = {}, beside = [], components: parts = [], ...want }] of Object.entries(v3))
      it(`${name}: v3 ${path}`, () => {
        const { components, ...got } = parse(openApi.v3(path))
        const { schemas, ...others } = objectIn(components)
        expectSame(undescribed(got), want)
        expectSame(undescribed(membersOf(schemas, isOwn)), wantSchemas)
        expectSame(
          Object.keys(objectIn(schemas)).filter(type => !isOwn(type)),
          beside,
        )
        expectSame(['schemas', ...Object.keys(others)], parts)
      })

    it(`${name}: v2`, () => {
      const { paths, definitions, parameters } = parse(openApi.v2())
      const own = membersOf(paths, path => path.includes(`/${definition.spec.group}/`))
      expectSame(undescribed(inlined(own, objectIn(parameters))), v2.paths)
      expectSame(undescribed(membersOf(definitions, isOwn)), v2.definitions)
    })
  }
})

describe('the OpenAPI documents of a custom resource with very many properties', () => {
  const definition = CASES.find(({ definition: { spec } }) =>
    (spec.versions ?? []).some(({ schema }) => schema?.openAPIV3Schema?.properties),
  )?.definition
  const properties = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`p${i}`, { type: 'string' }]))
  const openAPIV3Schema = { type: 'object', properties: { spec: { type: 'object', properties } } }

  it('are written in pieces', () => {
    if (!definition) throw new Error('no case')
    const { spec } = definition
    const wide = {
      ...definition,
      spec: { ...spec, versions: (spec.versions ?? []).map(version => ({ ...version, schema: { openAPIV3Schema } })) },
    }
    const resource = customResource(established(wide), {
      post: () => Promise.reject(new Error('no webhook here')),
      metrics: new ConversionMetrics(),
    })
    const openApi = createOpenApi(new CatalogSnapshot(1, resource ? [resource] : [], '1.33'))
    const path = [...openApi.paths()].find(each => each.includes(spec.group)) ?? ''
    for (const pieces of [[...openApi.v3(path)], [...openApi.v2()]]) {
      expect(JSON.parse(Buffer.concat(pieces.map(piece => piece ?? Buffer.alloc(0))).toString())).to.be.an('object')
      expect(pieces.filter(piece => (piece?.length ?? 0) > 10_000).length).to.be.at.least(15)
      // A document in one piece has 300,000 bytes.
      expect(Math.max(...pieces.map(piece => piece?.length ?? 0))).to.be.below(200_000)
    }
  })
})
