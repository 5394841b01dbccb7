import { expect } from 'chai'
import protobuf from 'protobufjs'
import { encodeOpenApi } from '../../../../src/endpoints/openapi/gnostic-v3.ts'
import { runAtOnce } from '../../../../src/lib/steps.ts'

describe('encodeOpenApi', () => {
  // The parts of gnostic's OpenAPIv3.proto that the document below uses.
  const { root } = protobuf.parse(`syntax = "proto3";
    message Any { string yaml = 2; }
    message NamedAny { string name = 1; Any value = 2; }
    message Info { string title = 1; string version = 6; }
    message Reference { string ref = 1; }
    message DefaultType { oneof oneof { double number = 1; bool boolean = 2; string string = 3; } }
    message ItemsItem { repeated SchemaOrReference schema_or_reference = 1; }
    message AdditionalPropertiesItem { oneof oneof { SchemaOrReference schema_or_reference = 1; bool boolean = 2; } }
    message NamedSchemaOrReference { string name = 1; SchemaOrReference value = 2; }
    message Schemas { repeated NamedSchemaOrReference additional_properties = 1; }
    message SchemaOrReference { oneof oneof { Schema schema = 1; Reference reference = 2; } }
    message Schema {
      double minimum = 13; int64 max_items = 18; repeated string required = 23; repeated Any enum = 24; string type = 25;
      repeated SchemaOrReference all_of = 26; ItemsItem items = 30; Schemas properties = 31; AdditionalPropertiesItem additional_properties = 32;
      DefaultType default = 33; string description = 34; string format = 35; repeated NamedAny specification_extension = 36;
    }
    message MediaType { SchemaOrReference schema = 1; }
    message NamedMediaType { string name = 1; MediaType value = 2; }
    message MediaTypes { repeated NamedMediaType additional_properties = 1; }
    message RequestBody { MediaTypes content = 2; bool required = 3; }
    message RequestBodyOrReference { RequestBody request_body = 1; }
    message Response { string description = 1; MediaTypes content = 3; }
    message ResponseOrReference { Response response = 1; }
    message NamedResponseOrReference { string name = 1; ResponseOrReference value = 2; }
    message Responses { repeated NamedResponseOrReference response_or_reference = 2; }
    message Parameter { string name = 1; string in = 2; bool required = 4; SchemaOrReference schema = 10; }
    message ParameterOrReference { Parameter parameter = 1; }
    message Operation {
      repeated string tags = 1; string operation_id = 5; RequestBodyOrReference request_body = 7; Responses responses = 8; repeated NamedAny specification_extension = 13;
    }
    message PathItem { Operation post = 6; repeated ParameterOrReference parameters = 13; }
    message NamedPathItem { string name = 1; PathItem value = 2; }
    message Paths { repeated NamedPathItem path = 1; }
    message SecurityScheme { string type = 1; string description = 2; string name = 3; string in = 4; }
    message SecuritySchemeOrReference { SecurityScheme security_scheme = 1; }
    message NamedSecurityScheme { string name = 1; SecuritySchemeOrReference value = 2; }
    message SecuritySchemes { repeated NamedSecurityScheme additional_properties = 1; }
    message Components { Schemas schemas = 1; SecuritySchemes security_schemes = 7; }
    message Document { string openapi = 1; Info info = 2; Paths paths = 4; Components components = 5; }`)
  const Document = root.lookupType('Document')
  const decode = (document: Parameters<typeof encodeOpenApi>[0]): object =>
    Document.toObject(Document.decode(Buffer.concat(runAtOnce(encodeOpenApi(document)))), { longs: Number }) as object

  it('encodes operations', () => {
    const reference = { $ref: '#/components/schemas/Thing' }
    const content = { 'application/json': { schema: reference } }
    const post = {
      tags: ['t'],
      operationId: 'createThing',
      requestBody: { content, required: true },
      responses: { 201: { description: 'Created', content } },
      'x-kubernetes-action': 'post',
    }
    const parameters = [{ name: 'namespace', in: 'path', required: true, schema: { type: 'string' } }]
    const types = {
      additionalProperties: [{ name: 'application/json', value: { schema: { reference: { ref: '#/components/schemas/Thing' } } } }],
    }
    const document = decode({ openapi: '3.0.0', info: { title: 'Kubernetes', version: 'v1' }, paths: { '/things': { post, parameters } } })
    expect(document).to.deep.equal({
      openapi: '3.0.0',
      info: { title: 'Kubernetes', version: 'v1' },
      paths: {
        path: [
          {
            name: '/things',
            value: {
              post: {
                tags: ['t'],
                operationId: 'createThing',
                requestBody: { requestBody: { content: types, required: true } },
                responses: { responseOrReference: [{ name: '201', value: { response: { description: 'Created', content: types } } }] },
                specificationExtension: [{ name: 'x-kubernetes-action', value: { yaml: 'post\n' } }],
              },
              parameters: [{ parameter: { name: 'namespace', in: 'path', required: true, schema: { schema: { type: 'string' } } } }],
            },
          },
        ],
      },
      components: { schemas: {} },
    })
  })

  it('encodes schemas, with scalar defaults', () => {
    const properties = {
      count: { type: 'integer', format: 'int32', minimum: 1.5, default: 0 },
      on: { type: 'boolean', default: false },
      mode: { type: 'string', enum: ['a'], default: '' },
      parts: {
        type: 'array',
        maxItems: 3,
        items: { allOf: [{ $ref: '#/components/schemas/Part' }], default: {} },
        'x-kubernetes-list-type': 'atomic',
      },
      labels: { type: 'object', additionalProperties: { type: 'string' } },
      closed: { type: 'object', additionalProperties: false },
    }
    const bearer = { type: 'apiKey', description: 'Bearer', name: 'authorization', in: 'header' }
    const components = {
      schemas: { Thing: { type: 'object', description: 'A thing.', required: ['count'], properties } },
      securitySchemes: { Bearer: bearer },
    }
    const { components: got } = decode({ openapi: '3.0.0', info: {}, paths: {}, components }) as { components: object }
    const text = { schema: { type: 'string' } }
    const part = { allOf: [{ reference: { ref: '#/components/schemas/Part' } }] }
    const members = {
      count: { type: 'integer', format: 'int32', minimum: 1.5, default: { number: 0 } },
      on: { type: 'boolean', default: { boolean: false } },
      mode: { type: 'string', enum: [{ yaml: 'a\n' }], default: { string: '' } },
      parts: {
        type: 'array',
        maxItems: 3,
        items: { schemaOrReference: [{ schema: part }] },
        specificationExtension: [{ name: 'x-kubernetes-list-type', value: { yaml: 'atomic\n' } }],
      },
      labels: { type: 'object', additionalProperties: { schemaOrReference: text } },
      closed: { type: 'object', additionalProperties: { boolean: false } },
    }
    const additionalProperties = Object.entries(members).map(([name, schema]) => ({ name, value: { schema } }))
    expect(got).to.deep.equal({
      schemas: {
        additionalProperties: [
          {
            name: 'Thing',
            value: { schema: { type: 'object', description: 'A thing.', required: ['count'], properties: { additionalProperties } } },
          },
        ],
      },
      securitySchemes: { additionalProperties: [{ name: 'Bearer', value: { securityScheme: bearer } }] },
    })
  })
})
