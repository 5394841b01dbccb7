import { expect } from 'chai'
import type { ResourceDefinition } from '../../../../src/catalog/definition.ts'
import { storageObjectInUseProtection } from '../../../../src/resources/core/in-use-protection.ts'
import { persistentVolumeResource } from '../../../../src/resources/core/persistent-volume/definition.ts'
import { persistentVolumeClaimResource } from '../../../../src/resources/core/persistent-volume-claim/definition.ts'
import { volumeAttributesClassResource } from '../../../../src/resources/storage/volume-attributes-class/definition.ts'
import { admissionRequest } from '../../../support/admission-request.ts'
import { featuresOf } from '../../../support/hook-context.ts'

async function finalizersOf(definition: ResourceDefinition, finalizers: string[] | undefined, ...gates: string[]) {
  const plugin = storageObjectInUseProtection(featuresOf(...gates))
  const request = admissionRequest(definition, { metadata: { ...(finalizers && { finalizers }) } })
  return plugin.handles(request) ? (await plugin.mutate?.(request))?.metadata.finalizers : finalizers
}

describe('the admission plugin StorageObjectInUseProtection', () => {
  it('adds a finalizer to claims and volumes, once', async () => {
    expect(await finalizersOf(persistentVolumeClaimResource, undefined)).to.deep.equal(['kubernetes.io/pvc-protection'])
    expect(await finalizersOf(persistentVolumeResource, ['a.io/b'])).to.deep.equal(['a.io/b', 'kubernetes.io/pv-protection'])
    expect(await finalizersOf(persistentVolumeResource, ['kubernetes.io/pv-protection'])).to.deep.equal(['kubernetes.io/pv-protection'])
  })

  it('adds one to VolumeAttributesClasses if their gate is on', async () => {
    expect(await finalizersOf(volumeAttributesClassResource, undefined)).to.equal(undefined)
    expect(await finalizersOf(volumeAttributesClassResource, undefined, 'VolumeAttributesClass=true')).to.deep.equal([
      'kubernetes.io/vac-protection',
    ])
  })
})
