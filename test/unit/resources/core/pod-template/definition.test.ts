import { expect } from 'chai'
import type { JsonObject } from '../../../../../src/api/meta/object.ts'
import { fieldErrorText } from '../../../../../src/meta/field-error.ts'
import { podTemplateResource } from '../../../../../src/resources/core/pod-template/definition.ts'
import { decode } from '../../../../../src/schema/decode.ts'
import type { AnyObject } from '../../../../support/any-object.ts'
import { kindErrors } from '../../../../support/kind-errors.ts'
import { contextOf, NOW } from '../../../../support/pod.ts'

const { hub, strategy } = podTemplateResource

function templateOf(template: object): AnyObject {
  const object = decode(hub.schema, {
    apiVersion: 'v1',
    kind: 'PodTemplate',
    metadata: { name: 't' },
    template,
  } as unknown as JsonObject) as AnyObject
  hub.setDefaults?.(object)
  return object
}
const spec = {
  containers: [
    { name: 'a', image: 'i:1' },
    { name: 'b', image: 'j' },
  ],
}
const errorsOf = (template: object): string[] => kindErrors(strategy, templateOf(template), undefined, contextOf()).map(fieldErrorText)

describe('resources/core/pod-template', () => {
  it('has defaults, except those of pods only', () => {
    const { template } = templateOf({ spec })
    expect(template.spec).to.include({ restartPolicy: 'Always', dnsPolicy: 'ClusterFirst' }).and.not.to.have.property('enableServiceLinks')
    expect(template.spec.containers[1].imagePullPolicy).to.equal('Always')
  })

  it('increments the generation', () => {
    const first = templateOf({ spec })
    strategy?.prepare?.(first, undefined, contextOf())
    expect(first.metadata.generation).to.equal(1)
    const second = templateOf({ metadata: { labels: { a: 'b' } }, spec })
    strategy?.prepare?.(second, first, contextOf())
    expect(second.metadata.generation).to.equal(2)
  })

  it('is validated', () => {
    expect(errorsOf({ spec })).to.deep.equal([])
    expect(
      errorsOf({ metadata: { labels: { 'a b': 'c' } }, spec: { ...spec, ephemeralContainers: [{ name: 'e', image: 'i' }] } }),
    ).to.deep.equal([
      `template.labels: Invalid value: "a b": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
      'template.spec.ephemeralContainers: Forbidden: ephemeral containers not allowed in pod template',
    ])
  })

  it('accepts a padded image, unlike a pod', () =>
    expect(errorsOf({ spec: { containers: [{ name: 'a', image: ' i' }] } })).to.deep.equal([]))

  it('prints a row', () => {
    expect(hub.table?.cells(templateOf({ metadata: { labels: { a: 'b' } }, spec }), NOW)).to.deep.equal(['t', 'a,b', 'i:1,j', 'a=b'])
  })
})
