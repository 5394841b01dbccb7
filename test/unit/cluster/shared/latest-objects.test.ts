import { expect } from 'chai'
import type { PersistentVolume } from '../../../../src/api/core/v1.types.ts'
import type { Informer, InformerHandler } from '../../../../src/cluster/shared/informer.ts'
import { LatestObjects } from '../../../../src/cluster/shared/latest-objects.ts'
import { ObjectStore } from '../../../../src/cluster/shared/object-store.ts'
import { volumeOf } from '../../../support/storage-objects.ts'

describe('the latest objects', () => {
  const at = (resourceVersion: string): PersistentVolume => volumeOf('v', { metadata: { resourceVersion } })
  const version = (object: PersistentVolume | undefined): string | undefined => object?.metadata.resourceVersion

  it('are what was written until the informer has it or something newer', () => {
    const store = new ObjectStore<PersistentVolume>()
    const handlers: InformerHandler<PersistentVolume>[] = []
    const informer = {
      store,
      on: (handler: InformerHandler<PersistentVolume>) => void handlers.push(handler),
    } as unknown as Informer<PersistentVolume>
    const latest = new LatestObjects(informer)
    const observe = (object: PersistentVolume): void => {
      store.put(object)
      handlers[0]?.updated?.(object, object)
    }
    observe(at('9'))
    latest.wrote(at('10'))
    expect(version(latest.get('v'))).to.equal('10')
    expect([...latest.list()].map(version)).to.deep.equal(['10'])
    observe(at('11'))
    expect(version(latest.get('v'))).to.equal('11')
    latest.wrote(at('10'))
    expect(version(latest.get('v'))).to.equal('11')
    store.remove('v')
    expect(latest.get('v')).to.equal(undefined)
  })
})
