import { expect } from 'chai'
import { MOST_VALUES } from '../../../../../src/codec/value-bound.ts'
import { clone } from '../../../../../src/meta/equal.ts'
import { codecOf } from '../../../../../src/registry/codec.ts'
import { convert, versionsOf } from '../../../../../src/registry/conversion/convert.ts'
import { customResourceDefinitionResource } from '../../../../../src/resources/apiextensions/custom-resource-definition/definition.ts'
import { revision } from '../../../../../src/storage/revision.ts'
import type { AnyObject } from '../../../../support/any-object.ts'

const GROUP = 'apiextensions.k8s.io'
const schema = (type: string) => ({ openAPIV3Schema: { type: 'object', properties: { a: { type } } } })
const names = { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' }
const version = (name: string, more: object = {}) => ({ name, served: true, storage: name === 'v1', ...more })
const column = { name: 'A', type: 'string' }
const status = { conditions: [], acceptedNames: { plural: 'things', kind: 'Thing' }, storedVersions: ['v1'] }

const definition = (apiVersion: string, spec: object): AnyObject =>
  ({
    kind: 'CustomResourceDefinition',
    apiVersion: `${GROUP}/${apiVersion}`,
    metadata: { name: 'things.example.com' },
    spec: { group: 'example.com', names, scope: 'Namespaced', ...spec },
    status,
  }) as unknown as AnyObject

const codec = codecOf(customResourceDefinitionResource, 'test')
const stored = (spec: object): AnyObject => JSON.parse(String(codec.encode(definition('v1', spec)))) as AnyObject

const hub = versionsOf(customResourceDefinitionResource).get(`${GROUP}/v1`)!
const older = versionsOf(customResourceDefinitionResource).get(`${GROUP}/v1beta1`)!

/** The stored object, converted to v1. */
const read = (object: AnyObject): AnyObject =>
  convert(customResourceDefinitionResource, clone(codec.decode(Buffer.from(JSON.stringify(object)), revision(1))), older, hub)

describe('stored CustomResourceDefinitions', () => {
  it('are of v1beta1, with values common to all versions at the top level', () => {
    const parts = {
      schema: schema('string'),
      subresources: { status: {} },
      additionalPrinterColumns: [{ ...column, jsonPath: '.a' }],
      selectableFields: [{ jsonPath: '.a' }],
    }
    const { apiVersion, spec } = stored({ versions: [version('v1', parts), version('v2', parts)], conversion: { strategy: 'None' } })
    expect(apiVersion).to.equal('apiextensions.k8s.io/v1beta1')
    expect(JSON.stringify(spec)).to.equal(
      JSON.stringify({
        group: 'example.com',
        version: 'v1',
        names,
        scope: 'Namespaced',
        validation: schema('string'),
        subresources: { status: {} },
        versions: [version('v1'), version('v2')],
        additionalPrinterColumns: [{ ...column, JSONPath: '.a' }],
        selectableFields: [{ jsonPath: '.a' }],
        conversion: { strategy: 'None' },
        preserveUnknownFields: false,
      }),
    )
  })

  it('keep values per version if they differ', () => {
    const columns = [{ ...column, jsonPath: '.a' }]
    const { spec } = stored({
      versions: [
        version('v1', { schema: schema('string'), additionalPrinterColumns: columns }),
        version('v2', { schema: schema('integer') }),
      ],
    })
    expect(spec.validation).to.equal(undefined)
    expect(spec.versions).to.deep.equal([
      { ...version('v1'), schema: schema('string'), additionalPrinterColumns: [{ ...column, JSONPath: '.a' }] },
      { ...version('v2'), schema: schema('integer') },
    ])
  })

  it('are decoded unchanged, with separate objects for each version', () => {
    const webhook = { clientConfig: { url: 'https://a' }, conversionReviewVersions: ['v1'] }
    const spec = {
      versions: [version('v1', { schema: schema('string') }), version('v2', { schema: schema('string') })],
      conversion: { strategy: 'Webhook', webhook },
      preserveUnknownFields: true,
    }
    const back = read(stored(spec))
    expect([back.apiVersion, back.spec]).to.deep.equal(['apiextensions.k8s.io/v1', definition('v1', spec).spec])
    expect(back.spec.versions[0].schema).not.to.equal(back.spec.versions[1].schema)
  })

  it('are refused if the expanded definition is too large, but decoded if another server has stored them', () => {
    const parts = { schema: { openAPIV3Schema: { type: 'object', enum: Array.from({ length: MOST_VALUES / 2 - 10 }, (_, i) => i) } } }
    const fitting = { versions: [version('v1', parts), version('v2', parts)] }
    const back = read(stored(fitting))
    expect(back.spec.versions[1]).to.deep.equal(version('v2', parts))
    const versions = [...fitting.versions, version('v3', parts)]
    expect(() => stored({ versions })).to.throw(`Request entity too large: limit is ${MOST_VALUES} values`)
    const theirs = definition('v1beta1', {
      validation: parts.schema,
      versions: versions.map(({ name, served, storage }) => ({ name, served, storage })),
    })
    expect(read(theirs).spec.versions).to.deep.equal(versions)
  })

  it('are decoded from v1, which earlier releases of this server stored', () => {
    const spec = {
      versions: [version('v1', { schema: schema('string'), additionalPrinterColumns: [{ ...column, jsonPath: '.a' }] })],
      conversion: { strategy: 'None' },
    }
    expect(read(definition('v1', spec)).spec).to.deep.equal(definition('v1', spec).spec)
  })

  it('are decoded without versions, as very old releases stored them', () => {
    const { spec, status } = read({
      ...definition('v1beta1', { version: 'v1alpha1', validation: schema('string') }),
      status: {},
    } as AnyObject)
    expect(spec.versions).to.deep.equal([{ name: 'v1alpha1', served: true, storage: true, schema: schema('string') }])
    expect([spec.preserveUnknownFields, spec.conversion, status.storedVersions]).to.deep.equal([true, { strategy: 'None' }, ['v1alpha1']])
  })
})
