import { expect } from 'chai'
import type { AdmissionRequest } from '../../../../../src/registry/types.ts'
import { defaultIngressClass } from '../../../../../src/resources/networking/ingress/admission-plugin.ts'
import { ingressResource } from '../../../../../src/resources/networking/ingress/definition.ts'
import { ingressClassResource } from '../../../../../src/resources/networking/ingress-class/definition.ts'
import { type AnyObject, loose } from '../../../../support/any-object.ts'

const ingressClass = (name: string, creationTimestamp: string, isDefault = 'true'): AnyObject =>
  ({
    metadata: { name, creationTimestamp, annotations: { 'ingressclass.kubernetes.io/is-default-class': isDefault } },
  }) as unknown as AnyObject
const classes = [
  ingressClass('old', '2026-01-01T00:00:00Z'),
  ingressClass('z', '2026-01-02T00:00:00Z'),
  ingressClass('a', '2026-01-02T00:00:00Z'),
]
const others = [ingressClass('other', '2026-01-03T00:00:00Z', 'false'), { metadata: { name: 'plain' } } as AnyObject]

const request = (object: object, parts: object = {}): AdmissionRequest =>
  ({
    operation: 'CREATE',
    subresource: '',
    served: { definition: ingressResource, version: ingressResource.hub },
    object,
    ...parts,
  }) as AdmissionRequest

describe('DefaultIngressClass', () => {
  const cases: [string, object, AnyObject[], string | undefined][] = [
    ['takes the youngest default, by name', {}, [...classes, ...others], 'a'],
    ['leaves it unset without a default', {}, others, undefined],
    ['keeps a class', { spec: { ingressClassName: 'mine' } }, classes, 'mine'],
    ['knows a class by annotation', { metadata: { annotations: { 'kubernetes.io/ingress.class': 'mine' } } }, classes, undefined],
  ]
  for (const [what, parts, known, className] of cases) {
    it(what, async () => {
      const plugin = defaultIngressClass(async () => known)
      const object = await plugin.mutate?.(request({ metadata: {}, spec: {}, ...parts }))
      expect(loose(object).spec.ingressClassName).to.equal(className)
    })
  }

  it('handles only the creation of ingresses', () => {
    const { handles } = defaultIngressClass(async () => classes)
    expect(handles(request({}))).to.equal(true)
    expect(handles(request({}, { operation: 'UPDATE' }))).to.equal(false)
    expect(handles(request({}, { served: { definition: ingressClassResource, version: ingressClassResource.hub } }))).to.equal(false)
  })
})
