import { expect } from 'chai'
import protobuf from 'protobufjs'
import { withConverted } from '../../../../src/endpoints/openapi/from-v2.ts'
import type { DocumentPieces, OpenApi } from '../../../../src/endpoints/openapi/open-api.ts'

const bytesOf = (pieces: DocumentPieces): Buffer => Buffer.concat([...pieces].flatMap(piece => piece ?? []))
const textOf = (pieces: DocumentPieces): string => bytesOf(pieces).toString()

function* said(text: string): DocumentPieces {
  yield Buffer.from(text)
}

const part: object = {}
const own: OpenApi = {
  v2: () => said('v2'),
  v2Proto: () => said('v2 proto'),
  paths: () => ['api/v1', 'apis/z/v1'],
  has: path => ['api/v1', 'apis/z/v1'].includes(path),
  partsOf: () => [part],
  v3: path => said(path),
  v3Proto: path => said(`${path} proto`),
}
const swagger = {
  paths: {
    '/apis/a/v1/': {
      get: { operationId: 'list', produces: ['a/b'], responses: { 200: { description: 'OK', schema: { $ref: '#/definitions/A' } } } },
    },
    '/apis/a/v1/x': {},
  },
  definitions: { A: { type: 'object', properties: { b: { $ref: '#/definitions/B' } } }, B: { type: 'string' } },
  parameters: { p: { name: 'p', in: 'query', type: 'string' }, body: { name: 'body', in: 'body', schema: {} } },
}
const empty = { paths: {}, definitions: {}, parameters: {} }

describe('withConverted', () => {
  const all = withConverted(own, new Map(Object.entries({ 'apis/a/v1': swagger, 'apis/e/v1': empty, 'api/v1': swagger })))

  it('adds documents to those of this server, which take precedence', () => {
    expect([...all.paths()]).to.deep.equal(['api/v1', 'apis/a/v1', 'apis/e/v1', 'apis/z/v1'])
    expect(['apis/a/v1', 'apis/z/v1', 'apis/b/v1'].map(all.has)).to.deep.equal([true, true, false])
    expect([textOf(all.v2()), textOf(all.v3('api/v1')), textOf(all.v3Proto('apis/z/v1'))]).to.deep.equal([
      'v2',
      'api/v1',
      'apis/z/v1 proto',
    ])
    expect([all.partsOf('apis/a/v1'), all.partsOf('api/v1')]).to.deep.equal([[swagger], [part]])
  })

  it('converts documents to OpenAPI 3.0', () => {
    expect(JSON.parse(textOf(all.v3('apis/a/v1')))).to.deep.equal({
      openapi: '3.0.0',
      info: { title: 'Kubernetes', version: 'unversioned' },
      paths: {
        '/apis/a/v1/': {
          get: {
            operationId: 'list',
            responses: { 200: { description: 'OK', content: { 'a/b': { schema: { $ref: '#/components/schemas/A' } } } } },
          },
        },
        '/apis/a/v1/x': {},
      },
      components: {
        schemas: { A: { type: 'object', properties: { b: { $ref: '#/components/schemas/B' } } }, B: { type: 'string' } },
        parameters: { p: { name: 'p', in: 'query', schema: { type: 'string' } } },
      },
    })
    expect(JSON.parse(textOf(all.v3('apis/e/v1')))).to.deep.include({ paths: {}, components: { schemas: {}, parameters: {} } })
  })

  it('encodes the same documents in protobuf', () => {
    const { root } = protobuf.parse(`syntax = "proto3";
      message Named { string name = 1; }
      message Paths { repeated Named path = 1; }
      message Members { repeated Named additional_properties = 1; }
      message Components { Members schemas = 1; Members parameters = 3; }
      message Document { string openapi = 1; Paths paths = 4; Components components = 5; }`)
    const Document = root.lookupType('Document')
    const names = (...all: string[]) => all.map(name => ({ name }))
    expect(Document.toObject(Document.decode(bytesOf(all.v3Proto('apis/a/v1'))))).to.deep.equal({
      openapi: '3.0.0',
      paths: { path: names('/apis/a/v1/', '/apis/a/v1/x') },
      components: { schemas: { additionalProperties: names('A', 'B') }, parameters: { additionalProperties: names('p') } },
    })
  })
})
