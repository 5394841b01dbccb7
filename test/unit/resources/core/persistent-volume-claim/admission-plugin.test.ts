import { expect } from 'chai'
import type { KubeObject } from '../../../../../src/api/meta/object.ts'
import { persistentVolumeClaimResize } from '../../../../../src/resources/core/persistent-volume-claim/admission-plugin.ts'
import { persistentVolumeClaimResource } from '../../../../../src/resources/core/persistent-volume-claim/definition.ts'
import { admissionRequest, refusal } from '../../../../support/admission-request.ts'

const CLASSES: Record<string, object> = { grows: { allowVolumeExpansion: true }, fixed: { allowVolumeExpansion: false }, silent: {} }
const plugin = persistentVolumeClaimResize(async name => CLASSES[name] as KubeObject | undefined)

const claim = (storage: string | undefined, storageClassName?: string, annotation?: string, phase = 'Bound') => ({
  metadata: { name: 'c', ...(annotation !== undefined && { annotations: { 'volume.beta.kubernetes.io/storage-class': annotation } }) },
  spec: { ...(storageClassName !== undefined && { storageClassName }), resources: { requests: { ...(storage && { storage }) } } },
  status: { phase },
})
const FORBIDDEN = 'persistentvolumeclaims "c" is forbidden: '
const UNBOUND = `${FORBIDDEN}Only bound persistent volume claims can be expanded`
const NOT_ALLOWED = `${FORBIDDEN}only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize`

describe('PersistentVolumeClaimResize', () => {
  const cases: [string, object, object, string | undefined][] = [
    ['grows if the class allows it', claim('1Gi', 'grows'), claim('2Gi', 'grows'), undefined],
    ['knows the class by annotation', claim('1Gi', 'fixed', 'grows'), claim('2Gi', 'fixed', 'grows'), undefined],
    ['has the same size in another notation', claim('1Gi', 'fixed'), claim('1024Mi', 'fixed'), undefined],
    ['shrinks: that is for validation', claim('2Gi', 'fixed'), claim('1Gi', 'fixed'), undefined],
    ['in a class that does not allow it', claim('1Gi', 'fixed'), claim('2Gi', 'fixed'), NOT_ALLOWED],
    ['in a class without allowVolumeExpansion', claim('1Gi', 'silent'), claim('2Gi', 'silent'), NOT_ALLOWED],
    ['in a class that is not there', claim('1Gi', 'gone'), claim('2Gi', 'gone'), NOT_ALLOWED],
    ['without a class', claim('1Gi'), claim('2Gi'), NOT_ALLOWED],
    ['while it changes its class', claim('1Gi', 'fixed'), claim('2Gi', 'grows'), NOT_ALLOWED],
    ['while it is pending', claim('1Gi', 'grows', undefined, 'Pending'), claim('2Gi', 'grows'), UNBOUND],
  ]
  for (const [what, old, object, message] of cases) {
    it(what, async () => {
      const request = admissionRequest(persistentVolumeClaimResource, object, { operation: 'UPDATE', name: 'c', old })
      expect(await refusal(plugin.validate?.(request))).to.equal(message)
    })
  }

  it('handles updates of the claim itself', () => {
    expect(plugin.handles(admissionRequest(persistentVolumeClaimResource, {}, { operation: 'UPDATE' }))).to.equal(true)
    expect(plugin.handles(admissionRequest(persistentVolumeClaimResource, {}))).to.equal(false)
    expect(plugin.handles(admissionRequest(persistentVolumeClaimResource, {}, { operation: 'UPDATE', subresource: 'status' }))).to.equal(
      false,
    )
  })
})
