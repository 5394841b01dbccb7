import { expect } from 'chai'
import protobuf from 'protobufjs'
import { declarationsOf } from '../../../../src/api/packages.ts'
import { CatalogSnapshot } from '../../../../src/catalog/catalog.ts'
import type { ResourceDefinition, Version } from '../../../../src/catalog/definition.ts'
import { createOpenApi } from '../../../../src/endpoints/openapi/open-api.ts'
import type { Release } from '../../../../src/lifecycle/release.ts'
import { TypeRegistry } from '../../../../src/schema/idl.ts'
import { customStruct } from '../../../../src/schema/json-schema/custom-struct.ts'
import { unstructuredForm } from '../../../../src/schema/json-schema/unstructured-form.ts'
import { bytesOf } from '../../../support/document-bytes.ts'

const types = new TypeRegistry().addFile('meta', declarationsOf('meta')).add({
  id: 't',
  definition: 'io.example.v1',
  source: `
type Thing typemeta
  metadata 1 meta.ObjectMeta?
  spec 2 Spec?

type Spec
  mode 1 string?

type Options typemeta
  path 1 string?
  words 2 []string?
  lines 3 *int64?
  since 4 *Time?

type Scale typemeta
  metadata 1 meta.ObjectMeta?
`,
})

const thing: Version = {
  group: 'things.k8s.io',
  name: 'v1',
  kind: 'Thing',
  names: { plural: 'things', singular: 'thing' },
  verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
  schema: types.type('t.Thing'),
  subresources: {
    status: { verbs: ['get', 'patch', 'update'] },
    log: { verbs: ['get'], connect: { how: 'log', methods: ['GET'], options: types.type('t.Options'), locate: async () => undefined } },
    tunnel: {
      verbs: ['create', 'get'],
      kind: { group: '', version: 'v1', kind: 'Options', schema: types.type('t.Options') },
      connect: { how: 'proxy', methods: ['GET', 'HEAD'], options: types.type('t.Options'), subpath: true, locate: async () => undefined },
    },
    scale: { verbs: ['get'], kind: { group: 'autoscaling', version: 'v1', kind: 'Scale', schema: types.type('t.Scale') } },
  },
}
const definition: ResourceDefinition = { scope: 'Namespaced', versions: [thing], hub: thing }

interface Operation {
  operationId: string
  tags: string[]
  parameters?: { name?: string; $ref?: string }[]
  responses: Record<string, unknown>
  'x-kubernetes-action'?: string
  'x-kubernetes-group-version-kind'?: object
}
type Paths = Record<string, Record<string, Operation> & { parameters?: unknown }>

const openApi = createOpenApi(new CatalogSnapshot(1, [definition]))
const parse = (body: Buffer) =>
  JSON.parse(body.toString()) as { paths: Paths; definitions: Record<string, object>; components: { schemas: Record<string, object> } }
const methods = ['get', 'put', 'post', 'delete', 'head', 'patch']
const ids = (paths: Paths) =>
  Object.entries(paths).flatMap(([path, item]) =>
    methods
      .filter(method => item[method])
      .map(method => `${method} ${path} ${item[method]?.operationId} ${item[method]?.['x-kubernetes-action'] ?? '-'}`),
  )

describe('OpenAPI documents', () => {
  const v2 = parse(bytesOf(openApi.v2()))
  const v3 = parse(bytesOf(openApi.v3('apis/things.k8s.io/v1')))
  const root = '/apis/things.k8s.io/v1'
  const inNamespace = `${root}/namespaces/{namespace}/things`

  it('have every operation of a resource', () => {
    expect(ids(v3.paths)).to.deep.equal([
      `get ${root}/ getThingsV1APIResources -`,
      `get ${inNamespace} listThingsV1NamespacedThing list`,
      `post ${inNamespace} createThingsV1NamespacedThing post`,
      `delete ${inNamespace} deleteThingsV1CollectionNamespacedThing deletecollection`,
      `get ${inNamespace}/{name} readThingsV1NamespacedThing get`,
      `put ${inNamespace}/{name} replaceThingsV1NamespacedThing put`,
      `delete ${inNamespace}/{name} deleteThingsV1NamespacedThing delete`,
      `patch ${inNamespace}/{name} patchThingsV1NamespacedThing patch`,
      `get ${inNamespace}/{name}/log readThingsV1NamespacedThingLog get`,
      `get ${inNamespace}/{name}/scale readThingsV1NamespacedThingScale get`,
      `get ${inNamespace}/{name}/status readThingsV1NamespacedThingStatus get`,
      `put ${inNamespace}/{name}/status replaceThingsV1NamespacedThingStatus put`,
      `patch ${inNamespace}/{name}/status patchThingsV1NamespacedThingStatus patch`,
      `get ${inNamespace}/{name}/tunnel connectThingsV1GetNamespacedThingTunnel connect`,
      `head ${inNamespace}/{name}/tunnel connectThingsV1HeadNamespacedThingTunnel connect`,
      `get ${inNamespace}/{name}/tunnel/{path} connectThingsV1GetNamespacedThingTunnelWithPath connect`,
      `head ${inNamespace}/{name}/tunnel/{path} connectThingsV1HeadNamespacedThingTunnelWithPath connect`,
      `get ${root}/things listThingsV1ThingForAllNamespaces list`,
      `get ${root}/watch/namespaces/{namespace}/things watchThingsV1NamespacedThingList watchlist`,
      `get ${root}/watch/namespaces/{namespace}/things/{name} watchThingsV1NamespacedThing watch`,
      `get ${root}/watch/things watchThingsV1ThingListForAllNamespaces watchlist`,
    ])
    for (const id of ids(v3.paths)) expect(ids(v2.paths)).to.include(id)
  })

  it('do not list custom groups as groups of the built-in kinds of meta/v1', () => {
    const form = unstructuredForm({ group: 'g.dev', kind: 'W', schemas: new Map(), preserveUnknown: false }, 'v1')
    const schema = customStruct({}, { kind: 'W', definition: 'dev.g.v1.W', form })
    const custom: Version = { ...thing, group: 'g.dev', kind: 'W', names: { plural: 'ws', singular: 'w' }, schema, subresources: {} }
    const both = createOpenApi(new CatalogSnapshot(1, [definition, { scope: 'Namespaced', versions: [custom], hub: custom }]))
    const { schemas } = parse(bytesOf(both.v3('apis/g.dev/v1'))).components
    expect(schemas['io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions']).to.deep.include({
      'x-kubernetes-group-version-kind': [{ group: 'things.k8s.io', kind: 'DeleteOptions', version: 'v1' }],
    })
    expect(schemas['dev.g.v1.W']).to.deep.include({ 'x-kubernetes-group-version-kind': [{ group: 'g.dev', kind: 'W', version: 'v1' }] })
  })

  it('name the kind of a resource and of a subresource', () => {
    expect(v3.paths[inNamespace]?.get?.['x-kubernetes-group-version-kind']).to.deep.equal({
      group: 'things.k8s.io',
      version: 'v1',
      kind: 'Thing',
    })
    expect(v3.paths[`${inNamespace}/{name}/scale`]?.get?.['x-kubernetes-group-version-kind']).to.deep.equal({
      group: 'autoscaling',
      version: 'v1',
      kind: 'Scale',
    })
    expect(v2.definitions['io.example.v1.Thing']).to.deep.include({
      'x-kubernetes-group-version-kind': [{ group: 'things.k8s.io', kind: 'Thing', version: 'v1' }],
    })
    expect(v2.definitions['io.example.v1.ThingList']).to.deep.include({
      'x-kubernetes-group-version-kind': [{ group: 'things.k8s.io', kind: 'ThingList', version: 'v1' }],
    })
  })

  it('contain all referenced definitions', () => {
    for (const [document, known] of [
      [v2, Object.keys(v2.definitions)],
      [v3, Object.keys(v3.components.schemas)],
    ] as const) {
      const text = JSON.stringify(document)
      for (const [, name] of text.matchAll(/"#\/(?:definitions|components\/schemas)\/([^"]+)"/g)) expect(known).to.include(name)
    }
  })

  it('have the parameters of the release', () => {
    const parametersIn = (release: Release) => {
      const { paths } = parse(bytesOf(createOpenApi(new CatalogSnapshot(1, [definition], release)).v3('apis/things.k8s.io/v1')))
      return [`${root}/things`, inNamespace, `${root}/watch/things`].map(path =>
        [...Object.values(paths[path]?.get?.parameters ?? []), ...((paths[path]?.parameters ?? []) as { name: string }[])].map(
          ({ name }) => name,
        ),
      )
    }
    for (const names of parametersIn('1.36')) expect(names).to.include.members(['sendInitialEvents', 'shardSelector'])
    for (const names of parametersIn('1.35')) expect(names).to.include('sendInitialEvents').and.not.include('shardSelector')
    for (const names of parametersIn('1.26')) expect(names).to.include('resourceVersionMatch').and.not.include('sendInitialEvents')
  })

  it('have unique operation IDs', () => {
    const all = ids(v2.paths).map(id => id.split(' ')[2])
    expect(new Set(all).size).to.equal(all.length)
  })

  it('have parameters at the path if all its operations share them', () => {
    const item = v3.paths[`${inNamespace}/{name}`] as { parameters: { name: string }[] }
    expect(item.parameters.map(p => p.name)).to.deep.equal(['name', 'namespace', 'pretty'])
    expect(v3.paths[`${inNamespace}/{name}`]?.get?.parameters).to.equal(undefined)
  })

  it('describe connections by their options, and text responses', () => {
    const log = v3.paths[`${inNamespace}/{name}/log`] as Record<string, unknown> & {
      parameters: { name: string; schema: { type: string } }[]
    }
    expect(log.parameters.map(({ name, schema }) => `${name} ${schema.type}`)).to.deep.equal([
      'lines integer',
      'name string',
      'namespace string',
      'path string',
      'pretty string',
      'words string',
    ])
    expect(v2.paths[`${inNamespace}/{name}/log`]?.get).to.deep.include({
      produces: ['text/plain', 'application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'],
      responses: { 200: { description: 'OK', schema: { type: 'string' } }, 401: { description: 'Unauthorized' } },
    })
    const tunnel = v3.paths[`${inNamespace}/{name}/tunnel/{path}`] as Record<string, unknown> & {
      head: object
      parameters: { name: string; in: string }[]
    }
    expect(tunnel.parameters.map(p => `${p.name} ${p.in}`)).to.include.members(['path path', 'path query'])
    expect(tunnel.head).to.deep.include({
      responses: { 200: { description: 'OK', content: { '*/*': { schema: { type: 'string' } } } }, 401: { description: 'Unauthorized' } },
      'x-kubernetes-group-version-kind': { group: '', version: 'v1', kind: 'Options' },
    })
  })
})

describe('encodeSwagger', () => {
  const { root } = protobuf.parse(`syntax = "proto3";
    message Any { string yaml = 2; }
    message NamedAny { string name = 1; Any value = 2; }
    message Properties { repeated NamedSchema additional_properties = 1; }
    message NamedSchema { string name = 1; Schema value = 2; }
    message TypeItem { repeated string value = 1; }
    message Schema { string ref = 1; string description = 4; TypeItem type = 22; Properties properties = 25; repeated NamedAny vendor_extension = 31; }
    message Operation { string operation_id = 5; repeated NamedAny vendor_extension = 13; }
    message PathItem { Operation get = 2; }
    message NamedPathItem { string name = 1; PathItem value = 2; }
    message Paths { repeated NamedPathItem path = 2; }
    message Document { string swagger = 1; Paths paths = 8; Properties definitions = 9; }`)

  it('encodes the same document in protobuf', () => {
    const Document = root.lookupType('Document')
    const document = Document.toObject(Document.decode(bytesOf(openApi.v2Proto()))) as {
      swagger: string
      paths: { path: { name: string; value: { get?: { operationId: string } } }[] }
      definitions: {
        additionalProperties: {
          name: string
          value: { type: { value: string[] }; properties: { additionalProperties: { name: string }[] }; vendorExtension: object[] }
        }[]
      }
    }
    const v2 = parse(bytesOf(openApi.v2()))
    expect(document.swagger).to.equal('2.0')
    expect(document.paths.path.map(p => [p.name, p.value.get?.operationId])).to.deep.equal(
      Object.entries(v2.paths).map(([name, item]) => [name, item.get?.operationId]),
    )
    const definition = document.definitions.additionalProperties.find(d => d.name === 'io.example.v1.Thing')
    expect(definition?.value.type.value).to.deep.equal(['object'])
    expect(definition?.value.properties.additionalProperties.map(p => p.name)).to.deep.equal(['apiVersion', 'kind', 'metadata', 'spec'])
    expect(definition?.value.vendorExtension).to.deep.equal([
      { name: 'x-kubernetes-group-version-kind', value: { yaml: '- group: things.k8s.io\n  kind: Thing\n  version: v1\n' } },
    ])
  })
})
