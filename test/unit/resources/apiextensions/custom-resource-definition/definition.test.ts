import { expect } from 'chai'
import type { JsonSchemaProps } from '../../../../../src/api/apiextensions/json-schema-props.ts'
import type { CustomResourceDefinitionVersion } from '../../../../../src/api/apiextensions/v1.types.ts'
import { customResourceDefinitionResource } from '../../../../../src/resources/apiextensions/custom-resource-definition/definition.ts'
import type { AnyObject } from '../../../../support/any-object.ts'
import { hookContext } from '../../../../support/hook-context.ts'
import { causesOf, KindCases } from '../../../../support/kind-cases.ts'
import { KindServer } from '../../../../support/kind-server.ts'

const GR = { group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions' }
const NAME = 'widgets.example.com'
const metadata = { name: NAME }

const version = (schema: JsonSchemaProps = {}, more: Partial<CustomResourceDefinitionVersion> = {}): object => ({
  name: 'v1',
  served: true,
  storage: true,
  schema: { openAPIV3Schema: { type: 'object', ...schema } },
  ...more,
})
/** A definition of widgets with additional fields in its spec. */
const of = (more: object = {}): object => ({
  spec: { group: 'example.com', scope: 'Namespaced', names: { plural: 'widgets', kind: 'Widget' }, versions: [version()], ...more },
})
/** A definition whose schema has a field `a`. */
const field = (a: JsonSchemaProps, more: Partial<CustomResourceDefinitionVersion> = {}): object =>
  of({ versions: [version({ properties: { a } }, more)] })
const at = 'spec.validation.openAPIV3Schema.properties[a]'
const rule = (member: object): object =>
  field({ type: 'object', properties: { x: { type: 'string' } }, 'x-kubernetes-validations': [{ rule: 'true', ...member }] })
const ruleAt = `${at}.x-kubernetes-validations[0]`
const webhook = (clientConfig: object | undefined, more: object = {}): object =>
  of({ conversion: { strategy: 'Webhook', webhook: { ...(clientConfig && { clientConfig }), conversionReviewVersions: ['v1'], ...more } } })
const keyed = (items: JsonSchemaProps, keys: string[] | undefined = ['k']): object =>
  field({ type: 'array', 'x-kubernetes-list-type': 'map', ...(keys && { 'x-kubernetes-list-map-keys': keys }), items })

const creations: Record<string, [body: object, causes: string[], metadata?: object]> = {
  'the least': [of(), []],
  'another name': [of(), ['Invalid metadata.name'], { name: 'gadgets.example.com' }],
  'a kind that is its list': [of({ names: { plural: 'widgets', kind: 'Widget', listKind: 'Widget' } }), ['Invalid spec.names.listKind']],
  'bad names': [
    of({ names: { plural: 'widgets', kind: 'Wid_get', singular: 'X', shortNames: ['W'], categories: ['a.b'] } }),
    ['singular', 'kind', 'listKind', 'shortNames[0]', 'categories[0]'].map(name => `Invalid spec.names.${name}`),
  ],
  'two versions that are stored': [
    of({ versions: [version(), version({}, { name: 'v2' })] }),
    ['Invalid spec.versions', 'Invalid status.storedVersions'],
  ],
  'one version twice': [of({ versions: [version(), version({}, { storage: false })] }), ['Invalid spec.versions']],
  'a column without all': [
    of({ versions: [version({}, { additionalPrinterColumns: [{ name: '', type: '', jsonPath: '' }] })] }),
    ['name', 'type', 'JSONPath'].map(name => `Required spec.additionalPrinterColumns[0].${name}`),
  ],
  'columns of one version': [
    of({
      versions: [
        version(),
        version({}, { name: 'v2', storage: false, additionalPrinterColumns: [{ name: 'A', type: 'thing', jsonPath: 'a' }] }),
      ],
    }),
    ['Invalid spec.versions[1].additionalPrinterColumns[0].type', 'Invalid spec.versions[1].additionalPrinterColumns[0].JSONPath'],
  ],
  'a scale without paths': [
    of({ versions: [version({}, { subresources: { scale: { specReplicasPath: '', statusReplicasPath: '' } } })] }),
    ['Required spec.subresources.scale.specReplicasPath', 'Required spec.subresources.scale.statusReplicasPath'],
  ],
  'a scale with paths of elsewhere': [
    of({
      versions: [
        version(
          {},
          { subresources: { scale: { specReplicasPath: '.status.n', statusReplicasPath: 'status.n', labelSelectorPath: '.metadata.x' } } },
        ),
      ],
    }),
    ['specReplicasPath', 'statusReplicasPath', 'labelSelectorPath'].map(name => `Invalid spec.subresources.scale.${name}`),
  ],
  'a schema without structural form': [field({ type: 'string', $ref: 'x' }), [`Forbidden ${at}.$ref`]],
  'a $schema': [field({ type: 'string', $schema: 'x' }), ['Invalid spec.validation.openAPIV3Schema']],
  'an unknown type': [field({ type: 'text' }), [`NotSupported ${at}.type`]],
  'unsupported keywords': [
    field({ type: 'array', items: [{ type: 'string' }], id: 'x', dependencies: { x: ['y'] }, patternProperties: { x: {} } }),
    ['id', 'patternProperties', 'dependencies', 'items'].map(name => `Forbidden ${at}.${name}`),
  ],
  'items of a set': [
    field({ type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'object', nullable: true } }),
    [`Invalid ${at}.items.x-kubernetes-map-type`, `Forbidden ${at}.items.nullable`],
  ],
  'a set that is not a list': [field({ type: 'string', 'x-kubernetes-list-type': 'set' }), [`Invalid ${at}.type`]],
  'duplicate keys': [
    keyed({ type: 'object', properties: { k: { type: 'string' } }, required: ['k'] }, ['k', 'k']),
    [`Invalid ${at}.x-kubernetes-list-map-keys`],
  ],
  'a key that may be null': [
    keyed({ type: 'object', properties: { k: { type: 'string', nullable: true, default: 'x' } } }),
    [`Forbidden ${at}.items.properties[k].nullable`],
  ],
  'a key that is a list': [
    keyed({ type: 'object', properties: { k: { type: 'array', items: { type: 'string' } } }, required: ['k'] }),
    [`Invalid ${at}.items.properties[k].type`],
  ],
  'a default that fits': [field({ type: 'object', properties: { b: { type: 'integer' } }, default: { b: 1 } }), []],
  'defaults beside fields that are kept unasked': [
    of({ preserveUnknownFields: true, versions: [version({ properties: { a: { type: 'string', default: 'x' } } })] }),
    ['Invalid spec.preserveUnknownFields', 'Invalid spec.preserveUnknownFields'],
  ],
  'a default of neither type, which objects alone are judged by': [field({ 'x-kubernetes-int-or-string': true, default: 1.5 }), []],
  'a default of another type': [field({ type: 'string', default: 1 }), [`TypeInvalid ${at}.default`]],
  'a default with more than is known': [field({ type: 'object', default: { b: 1 } }), [`Invalid ${at}.default`]],
  'a default of an embedded object': [
    field({
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      'x-kubernetes-preserve-unknown-fields': true,
      default: { kind: 'x_y' },
    }),
    [`Required ${at}.default.apiVersion`, `Invalid ${at}.default.kind`],
  ],
  'a default of embedded labels': [
    field({
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      properties: {
        metadata: {
          type: 'object',
          properties: { labels: { type: 'object', additionalProperties: { type: 'string' }, default: { 'a b': 'x' } } },
        },
      },
    }),
    [`Invalid ${at}.properties[metadata].properties[labels].default`],
  ],
  'a rule of many lines': [rule({ rule: 'true &&\ntrue' }), [`Required ${ruleAt}.message`]],
  'a rule with empty fields': [
    rule({ rule: ' ', messageExpression: ' ', fieldPath: ' ' }),
    [`Required ${ruleAt}.rule`, `Required ${ruleAt}.messageExpression`, `Invalid ${ruleAt}.fieldPath`, `Invalid ${ruleAt}.fieldPath`],
  ],
  'a rule for a field': [rule({ fieldPath: '.x' }), []],
  'a rule that names the old value in a text': [
    rule({ rule: '\'oldSelf\' == r"oldSelf" // oldSelf', optionalOldSelf: true }),
    [`Invalid ${ruleAt}.optionalOldSelf`],
  ],
  'a rule of a map that may be renamed': [rule({ rule: '!oldSelf.hasValue() || self == oldSelf.value()', optionalOldSelf: true }), []],
  'a rule of items, with the old value': [
    field({
      type: 'array',
      maxItems: 9,
      items: { type: 'string', maxLength: 9, 'x-kubernetes-validations': [{ rule: 'self == oldSelf' }] },
    }),
    [`Invalid ${at}.items.x-kubernetes-validations[0].rule`],
  ],
  'nine fields to select by': [
    of({
      versions: [
        version(
          { properties: Object.fromEntries([...'abcdefghi'].map(name => [name, { type: 'string' }])) },
          { selectableFields: [...'abcdefghi'].map(name => ({ jsonPath: `.${name}` })) },
        ),
      ],
    }),
    ['TooMany spec.selectableFields'],
  ],
  'a webhook without a client': [webhook(undefined), ['Required spec.conversion.webhookClientConfig']],
  'a webhook of two addresses': [
    webhook({ url: 'https://a', service: { namespace: 'n', name: 's' } }),
    ['Required spec.conversion.webhookClientConfig'],
  ],
  'a webhook without TLS': [webhook({ url: 'http://a' }), ['Invalid spec.conversion.webhookClientConfig.url']],
  'a webhook with unknown review versions': [
    webhook({ url: 'https://a' }, { conversionReviewVersions: ['v9', 'v9', 'X'] }),
    [
      'Invalid spec.conversion.conversionReviewVersions[1]',
      'Invalid spec.conversion.conversionReviewVersions[2]',
      'Invalid spec.conversion.conversionReviewVersions',
    ],
  ],
  'any certificates, at first': [webhook({ url: 'https://a', caBundle: 'eA==' }), []],
  'a group of the project': [
    of({ group: 'widgets.k8s.io' }),
    ['Required metadata.annotations[api-approved.kubernetes.io]'],
    { name: 'widgets.widgets.k8s.io' },
  ],
}

/** The definition after the given writes. */
async function written(...specs: object[]): Promise<AnyObject> {
  const server = new KindServer([customResourceDefinitionResource])
  const [first, ...rest] = specs
  const cases = new KindCases(customResourceDefinitionResource)
  let object = await server.create(GR, '', cases.body(first as object, metadata))
  for (const spec of rest) object = await server.update(GR, '', NAME, old => ({ ...old, ...spec }))
  return object
}

describe('CustomResourceDefinition', () => {
  for (const [what, [body, causes, given]] of Object.entries(creations)) {
    it(`creating: ${what}`, async () =>
      expect(await causesOf(new KindCases(customResourceDefinitionResource).create(body, given ?? metadata))).to.deep.equal(causes))
  }

  it('defaults names, the conversion and the port of its service', async () => {
    const { spec } = await written(webhook({ service: { namespace: 'n', name: 's' } }))
    expect(spec.names).to.deep.equal({ plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' })
    expect(spec.conversion.webhook.clientConfig.service.port).to.equal(443)
    expect((await written(of())).spec.conversion).to.deep.equal({ strategy: 'None' })
  })

  it('records the versions in which objects may be stored', async () => {
    const v2 = (storage: boolean): object => version({}, { name: 'v2', storage })
    const { metadata: given, status } = await written(of(), of({ versions: [version({}, { storage: false }), v2(true)] }), {
      status: { storedVersions: ['v9'] },
    })
    expect([given.generation, status.storedVersions]).to.deep.equal([2, ['v1', 'v2']])
    expect(await causesOf(written(of(), of({ versions: [v2(true)] })))).to.deep.equal(['Invalid status.storedVersions[0]'])
  })

  const established = {
    status: { acceptedNames: { plural: '', kind: '' }, conditions: [{ type: 'Established', status: 'True' }], storedVersions: ['v1'] },
  }
  const renamed = of({ scope: 'Cluster', names: { plural: 'widgets', kind: 'Wodget' } })
  async function update(before: object, after: object, isEstablished: boolean): Promise<string[]> {
    const server = new KindServer([customResourceDefinitionResource])
    await server.create(GR, '', new KindCases(customResourceDefinitionResource).body(before, metadata))
    if (isEstablished) await server.update(GR, '', NAME, old => ({ ...old, ...established }), { subresource: 'status' })
    return causesOf(server.update(GR, '', NAME, old => ({ ...old, ...after })))
  }
  it('may change its kind and scope until it is established', async () => {
    expect(await update(of(), renamed, false)).to.deep.equal([])
    expect(await update(of(), renamed, true)).to.deep.equal(['Invalid spec.scope', 'Invalid spec.names.kind'])
    expect(await update(of(), of({ group: 'other.com' }), false)).to.deep.equal(['Invalid spec.group'])
  })
  it('requires valid CA certificates once it is established', async () => {
    const bad = webhook({ url: 'https://a', caBundle: 'eA==' })
    expect(await update(of(), bad, true)).to.deep.equal(['Invalid spec.conversion.webhookClientConfig.caBundle'])
    expect(await update(bad, webhook({ url: 'https://b', caBundle: 'eA==' }), true)).to.deep.equal([])
  })

  it('updates its status separately', async () => {
    const server = new KindServer([customResourceDefinitionResource])
    await server.create(GR, '', new KindCases(customResourceDefinitionResource).body(of(), metadata))
    const write = (acceptedNames: object): Promise<AnyObject> =>
      server.update(GR, '', NAME, old => ({ ...old, spec: { ...old.spec, group: 'x' }, status: { ...old.status, acceptedNames } }), {
        subresource: 'status',
      })
    expect((await write({ plural: 'widgets', kind: 'Widget' })).spec.group).to.equal('example.com')
    expect(await causesOf(write({ plural: 'W', kind: 'Widget' }))).to.deep.equal(['Invalid status.acceptedNames.plural'])
    // Stored versions are validated only when the whole object is written.
    const stored = server.update(GR, '', NAME, old => ({ ...old, status: { ...old.status, storedVersions: ['v0'] } }), {
      subresource: 'status',
    })
    expect((await stored).status.storedVersions).to.deep.equal(['v0'])
  })

  it('is validated in steps of at most one schema, default or rule', () => {
    const many = (member: (i: number) => object): object => Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`p${i}`, member(i)]))
    const judge = (schema: JsonSchemaProps): number => {
      const next = new KindServer([customResourceDefinitionResource]).decode(GR, { ...of({ versions: [version(schema)] }), metadata })
      return [...(customResourceDefinitionResource.strategy?.validate?.(next, undefined, hookContext()) ?? [])].length
    }
    const properties = many(i => ({ type: 'integer', default: i })) as Record<string, JsonSchemaProps>
    expect(judge({ properties })).to.be.greaterThan(200)
    const rules = Array.from({ length: 100 }, (_, i) => ({ rule: `self > ${i}` }))
    expect(judge({ properties: { a: { type: 'integer', 'x-kubernetes-validations': rules } } })).to.be.greaterThan(100)
  })
})
