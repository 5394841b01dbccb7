import { expect } from 'chai'
import type { JsonSchemaProps } from '../../../../../src/api/apiextensions/json-schema-props.ts'
import { parseGates } from '../../../../../src/lifecycle/gates.ts'
import type { Release } from '../../../../../src/lifecycle/release.ts'
import { StatusError } from '../../../../../src/meta/status.ts'
import { customResourceDefinitionResource } from '../../../../../src/resources/apiextensions/custom-resource-definition/definition.ts'
import { causesOf, KindCases } from '../../../../support/kind-cases.ts'

const metadata = { name: 'widgets.example.com' }
const version = (name: string, properties: Record<string, JsonSchemaProps>, more: object = {}): object => ({
  name,
  served: true,
  storage: true,
  schema: { openAPIV3Schema: { type: 'object', properties } },
  ...more,
})
const of = (...versions: object[]): object => ({
  spec: { group: 'example.com', scope: 'Namespaced', names: { plural: 'widgets', kind: 'Widget', shortNames: ['w', 'wi'] }, versions },
})
const casesIn = (release: Release): KindCases => new KindCases(customResourceDefinitionResource, parseGates(release))

async function warningsOf(release: Release, properties: Record<string, JsonSchemaProps>): Promise<string[]> {
  const cases = casesIn(release)
  await cases.create(of(version('v1', properties)), metadata)
  return cases.server.warnings
}

describe('definitions in later releases', () => {
  const formats: Record<string, JsonSchemaProps> = {
    a: { type: 'string', format: 'odd' },
    b: { type: 'string', format: 'date-time' },
    c: { type: 'integer', format: 'int16' },
    d: { type: 'integer', format: 'int32' },
    e: { type: 'string', format: 'k8s-short-name' },
  }
  const unknown = (...names: string[]): string[] => names.map(name => `unrecognized format "${name}"`)

  it('warn of formats that are not checked: of strings since 1.34, of numbers since 1.36', async () => {
    expect(await warningsOf('1.33', formats)).to.deep.equal([])
    // The oldest release that a server of 1.34 must be compatible with has no format of names.
    expect(await warningsOf('1.34', formats)).to.deep.equal(unknown('k8s-short-name', 'odd'))
    expect(await warningsOf('1.35', formats)).to.deep.equal(unknown('odd'))
    expect(await warningsOf('1.36', formats)).to.deep.equal(unknown('int16', 'odd'))
  })

  it('warn of sets of objects and lists since 1.37', async () => {
    const set = (items: JsonSchemaProps): JsonSchemaProps => ({ type: 'array', 'x-kubernetes-list-type': 'set', items })
    const sets = { a: set({ type: 'object', 'x-kubernetes-map-type': 'atomic' }), b: set({ type: 'string' }) }
    expect(await warningsOf('1.36', sets)).to.deep.equal([])
    expect(await warningsOf('1.37', sets)).to.deep.equal([
      'x-kubernetes-list-type: set for items of type "object" is not supported by server-side apply or CEL validation rules',
    ])
  })

  it('do not repeat warnings about the stored definition', async () => {
    const cases = casesIn('1.37')
    await cases.create(of(version('v1', formats)), metadata)
    cases.server.warnings.length = 0
    await cases.server.update(
      { group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions' },
      '',
      metadata.name,
      old => ({ ...old, ...of(version('v1', { ...formats, f: { type: 'string', format: 'odder' } })) }) as typeof old,
      {},
    )
    expect(cases.server.warnings).to.deep.equal(unknown('odder'))
  })

  it('may have costly rules about names since 1.37, whose length is limited', async () => {
    const rule = { rule: 'self.l.all(e, self.metadata.name.contains(e))' }
    const costly = (release: Release): Promise<string[]> => {
      const l: JsonSchemaProps = { type: 'array', maxItems: 1000, items: { type: 'string', maxLength: 100 } }
      const schema = { type: 'object', properties: { l }, 'x-kubernetes-validations': [rule] }
      return causesOf(casesIn(release).create(of(version('v1', {}, { schema: { openAPIV3Schema: schema } })), metadata))
    }
    expect(await costly('1.36')).to.include('Forbidden spec.validation.openAPIV3Schema.x-kubernetes-validations[0].rule')
    expect(await costly('1.37')).to.deep.equal([])
  })

  it('have a table of their scope and versions since 1.37', async () => {
    const cells = (release: Release): unknown => {
      const cases = casesIn(release)
      const definition = {
        ...of(version('v2', {}), version('v1', {}, { storage: false }), version('v0', {}, { storage: false, served: false })),
      }
      const status = { conditions: [{ type: 'Established', status: 'True' }] }
      const object = cases.body({ ...definition, status }, { ...metadata, creationTimestamp: '2026-01-02T03:04:05Z' })
      return customResourceDefinitionResource.hub.tableIn?.(release)?.cells(object as never, 0)
    }
    expect(cells('1.36')).to.equal(undefined)
    expect(cells('1.37')).to.deep.equal([
      ...['widgets.example.com', 'Namespaced', 'v1,v2(storage)', '2026-01-02T03:04:05Z', 'example.com', 'Widget', 'w,wi', true],
    ])
  })

  it('print versions as JSON since 1.34, with their schemas', async () => {
    const schema: JsonSchemaProps = { type: 'array', items: { type: 'integer', maximum: 3 } }
    const scale = { specReplicasPath: '.spec.n', statusReplicasPath: '.status.n' }
    const error = await casesIn('1.34')
      .create(
        of(version('v1', { a: schema }, { storage: false, subresources: { status: {}, scale } }), version('v2', {}, { storage: false })),
        metadata,
      )
      .catch(reason => reason)
    if (!(error instanceof StatusError)) throw new Error('the definition is accepted')
    const message = error.worded('1.34').status.details?.causes?.find(({ field }) => field === 'spec.versions')?.message ?? ''
    const [value = ''] = /\[\{.*\}\]/.exec(message) ?? []
    const [first] = JSON.parse(value) as { Schema: { OpenAPIV3Schema: { Properties: { a: Record<string, unknown> } } } }[]
    if (!first) throw new Error('no version is printed')
    expect(first).to.deep.include({
      Name: 'v1',
      Served: true,
      Storage: false,
      Deprecated: false,
      DeprecationWarning: null,
      SelectableFields: null,
    })
    expect(first).to.deep.include({
      Subresources: { Status: {}, Scale: { SpecReplicasPath: '.spec.n', StatusReplicasPath: '.status.n', LabelSelectorPath: null } },
    })
    const { a } = first.Schema.OpenAPIV3Schema.Properties
    expect(Object.keys(a).slice(0, 4)).to.deep.equal(['ID', 'Schema', 'Ref', 'Description'])
    expect(a).to.deep.include({ Type: 'array', Nullable: false, XValidations: null })
    expect((a.Items as { Schema: object }).Schema).to.deep.include({ Type: 'integer', Maximum: 3, Minimum: null })
  })
})
