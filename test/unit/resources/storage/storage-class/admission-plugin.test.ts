import { expect } from 'chai'
import { persistentVolumeResource } from '../../../../../src/resources/core/persistent-volume/definition.ts'
import { persistentVolumeClaimResource } from '../../../../../src/resources/core/persistent-volume-claim/definition.ts'
import { defaultStorageClass } from '../../../../../src/resources/storage/storage-class/admission-plugin.ts'
import { admissionRequest } from '../../../../support/admission-request.ts'
import { type AnyObject, loose } from '../../../../support/any-object.ts'

const storageClass = (name: string, day: string, annotation = 'storageclass.kubernetes.io/is-default-class'): AnyObject =>
  ({ metadata: { name, creationTimestamp: `2026-01-${day}T00:00:00Z`, annotations: { [annotation]: 'true' } } }) as unknown as AnyObject
const classes = [
  storageClass('old', '01'),
  storageClass('new', '02', 'storageclass.beta.kubernetes.io/is-default-class'),
  storageClass('other', '03', 'a'),
]

describe('DefaultStorageClass', () => {
  const cases: [string, object, AnyObject[], string | undefined][] = [
    ['takes the youngest default', {}, classes, 'new'],
    ['leaves it unset without a default', {}, [], undefined],
    ['keeps a class', { spec: { storageClassName: 'mine' } }, classes, 'mine'],
    ['keeps that none is wanted', { spec: { storageClassName: '' } }, classes, ''],
    [
      'knows a class by annotation',
      { metadata: { annotations: { 'volume.beta.kubernetes.io/storage-class': 'mine' } } },
      classes,
      undefined,
    ],
  ]
  for (const [what, parts, known, className] of cases) {
    it(what, async () => {
      const plugin = defaultStorageClass(async () => known)
      const object = await plugin.mutate?.(admissionRequest(persistentVolumeClaimResource, { metadata: {}, spec: {}, ...parts }))
      expect(loose(object).spec.storageClassName).to.equal(className)
    })
  }

  it('handles only the creation of claims', () => {
    const { handles } = defaultStorageClass(async () => classes)
    expect(handles(admissionRequest(persistentVolumeClaimResource, {}))).to.equal(true)
    expect(handles(admissionRequest(persistentVolumeClaimResource, {}, { operation: 'UPDATE' }))).to.equal(false)
    expect(handles(admissionRequest(persistentVolumeResource, {}))).to.equal(false)
  })
})
