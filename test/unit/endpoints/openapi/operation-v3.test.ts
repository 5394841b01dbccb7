import { expect } from 'chai'
import type { JsonObject } from '../../../../src/api/meta/object.ts'
import { parameterV3, pathItemV3 } from '../../../../src/endpoints/openapi/operation-v3.ts'

const schema = { $ref: '#/definitions/a.B' }
const converted = { schema: { $ref: '#/components/schemas/a.B' } }

describe('pathItemV3', () => {
  const body = { name: 'body', in: 'body', required: true, schema }
  const known: JsonObject = Object.assign(Object.create(null), {
    'body-1': body,
    'body-2': { ...body, schema: { type: 'object' } },
    pretty: { name: 'pretty', in: 'query', type: 'string' },
  })
  const post = (parts: object): JsonObject => ({
    post: { operationId: 'make', consumes: ['a/b', 'c/d'], produces: ['e/f'], responses: {}, ...parts },
  })

  it('converts an operation', () => {
    const item = {
      ...post({
        parameters: [body],
        responses: { 200: { description: 'OK', schema }, 401: { description: 'no' }, 'x-y': 1 },
        'x-kubernetes-action': 'post',
        schemes: ['https'],
      }),
      parameters: [{ name: 'namespace', in: 'path', required: true, type: 'string', uniqueItems: true }],
      'x-z': 2,
    }
    expect(pathItemV3(item, known)).to.deep.equal({
      'x-z': 2,
      post: {
        operationId: 'make',
        'x-kubernetes-action': 'post',
        requestBody: { content: { 'a/b': converted, 'c/d': converted } },
        responses: { 200: { description: 'OK', content: { 'e/f': converted } }, 401: { description: 'no' }, 'x-y': 1 },
      },
      parameters: [{ name: 'namespace', in: 'path', required: true, schema: { type: 'string', uniqueItems: true } }],
    })
  })

  const referred = (name: string) => pathItemV3(post({ parameters: [{ $ref: `#/parameters/${name}` }] }), known).post

  it('resolves a body parameter', () => {
    expect(referred('body-1')).to.deep.include({ requestBody: { content: { 'a/b': converted, 'c/d': converted } } })
    expect(referred('body-1')).to.not.have.property('parameters')
  })

  for (const name of ['body-2', 'pretty', 'toString', 'nobody'])
    it(`keeps the reference to ${name}`, () =>
      expect(referred(name)).to.deep.include({ parameters: [{ $ref: `#/components/parameters/${name}` }] }))

  it('limits the media types for which a schema is repeated', () => {
    const many = Array.from({ length: 100 }, (_, i) => `a/${i}`)
    const { get } = pathItemV3({ get: { produces: many, responses: { 200: { schema } } } }, known) as {
      get: { responses: { 200: { content: object } } }
    }
    expect(Object.keys(get.responses[200].content).length).to.equal(16)
  })

  it('accepts malformed operations', () => {
    expect(pathItemV3({ get: 7, post: { parameters: 'x', responses: [] }, parameters: {} }, known)).to.deep.equal({
      get: { responses: {} },
      post: { responses: {} },
    })
  })
})

describe('parameterV3', () => {
  it('has a schema', () => {
    expect(parameterV3({ name: 'a', in: 'query', description: 'd', type: 'integer', format: 'int32' })).to.deep.equal({
      name: 'a',
      in: 'query',
      description: 'd',
      schema: { type: 'integer', format: 'int32' },
    })
  })
})
