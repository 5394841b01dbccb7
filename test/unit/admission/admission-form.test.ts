import { expect } from 'chai'
import { admissionFormOf } from '../../../src/admission/admission-form.ts'
import type { Json, KubeObject } from '../../../src/api/meta/object.ts'
import type { ResourceDefinition } from '../../../src/catalog/definition.ts'
import { runAtOnce } from '../../../src/lib/steps.ts'
import { configMapResource } from '../../../src/resources/core/config-map/definition.ts'
import { link, linkResource, linkVersion } from '../../support/conversion.ts'
import { countedSteps } from '../../support/counted-steps.ts'

const { converter: _, ...definition }: ResourceDefinition = linkResource(() => ({}))
const target = linkVersion(definition, 'v1')
const before = link('v1', 'a', { hostPort: 'h:1' })
const read = (body: Json) => runAtOnce(admissionFormOf(target.schema).fromWebhook({ target, body, before, builtIns: () => [], definition }))

/** Recorded from the packages of Kubernetes 1.33.9. */
describe('apiVersion and kind of a custom object after a webhook patch', () => {
  it('accepts another served version and converts it', () => {
    expect(read({ ...before, apiVersion: 'example.com/v2' })).to.deep.include({ apiVersion: 'example.com/v1', kind: 'Link' })
  })

  it('may be another version, in which it is defaulted and stays if a webhook converts the kind', () => {
    const converted: ResourceDefinition = linkResource(() => ({}))
    const body = { ...before, apiVersion: 'example.com/v2', spec: { host: 'h' } }
    const object = runAtOnce(
      admissionFormOf(target.schema).fromWebhook({ target, body, before, builtIns: () => [], definition: converted }),
    )
    expect(object).to.deep.include({ apiVersion: 'example.com/v2', kind: 'Link', spec: { host: 'h', extra: 'of v2' } })
  })

  const unsuitable = (of: string, kind = 'Link') =>
    `${of}, Kind=${kind} is unstructured and is not suitable for converting to "example.com/v1"`
  const { kind: __, ...kindless } = before
  const { apiVersion: ___, ...versionless } = before
  const refused: [what: string, body: Json, message: string][] = [
    ['another group', { ...before, apiVersion: 'other.dev/v1' }, unsuitable('other.dev/v1')],
    ['no group', { ...before, apiVersion: 'v9' }, unsuitable('/v9')],
    ['no version', { ...before, apiVersion: 'v1/', kind: 'Secret' }, unsuitable('v1/', 'Secret')],
    ['a slash', { ...before, apiVersion: '/' }, unsuitable('/')],
    ['no apiVersion', versionless, unsuitable('/')],
    [
      'an unknown version',
      { ...before, apiVersion: 'example.com/v9' },
      'request to convert CR from an invalid group/version: example.com/v9',
    ],
    ['two slashes', { ...before, apiVersion: 'a/b/c' }, 'Internal error occurred: unexpected GroupVersion string: a/b/c'],
    [
      'a number',
      { ...before, apiVersion: 5 },
      "Internal error occurred: couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct field .apiVersion of type string",
    ],
    [
      'no kind',
      { ...kindless, spec: {} },
      `Internal error occurred: Object 'Kind' is missing in '{"apiVersion":"example.com/v1","metadata":${JSON.stringify(before.metadata)},"spec":{}}'`,
    ],
    ['another kind', { ...before, kind: 'Secret' }, 'Secret.example.com "a" is invalid: kind: Invalid value: "Secret": must be Link'],
  ]
  for (const [what, body, message] of refused)
    it(`rejects ${what}`, () =>
      expect(() => read(body))
        .to.throw()
        .with.property('message', message))
})

describe('objects with many members', () => {
  const members = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`name-${i}`, `${i}`]))
  const configMap = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a' }, data: members } as unknown as KubeObject
  const custom = { ...link('v1', 'a', { hostPort: 'h:1' }), metadata: { name: 'a', annotations: members } } as KubeObject
  const forms = [
    ['a built-in kind', configMapResource.hub, configMap],
    ['a custom kind', target, custom],
  ] as const

  for (const [kind, version, object] of forms)
    it(`are sent to webhooks and read from them in steps: ${kind}`, () => {
      const form = admissionFormOf(version.schema)
      const { result, yields } = countedSteps(form.toWebhook(version.schema, object))
      expect(yields, 'sent').to.be.at.least(20)
      const patched = { target: version, body: result, before: object, builtIns: () => [], definition }
      const read = countedSteps(form.fromWebhook(patched))
      expect(read.yields, 'read').to.be.at.least(20)
      expect(read.result).to.deep.include({ ...(kind === 'a built-in kind' && { data: members }), kind: object.kind })
    })
})
