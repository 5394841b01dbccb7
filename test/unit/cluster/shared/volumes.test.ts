import { expect } from 'chai'
import { migratedDriver } from '../../../../src/cluster/shared/csi-migration.ts'
import { claimNameOf, claimNamesOf } from '../../../../src/cluster/shared/pod-claims.ts'
import {
  claimKeyOf,
  classOf,
  defaultClass,
  isFullyBound,
  isReachable,
  matchingVolume,
  namedClass,
  refersTo,
} from '../../../../src/cluster/shared/volumes.ts'
import { nodeOf, podOf } from '../../../support/scheduling.ts'
import { claimOf, storageClassOf, volumeOf } from '../../../support/storage-objects.ts'

const inZone = (zone: string) => ({
  required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: [zone] }] }] },
})

describe('claims and volumes', () => {
  it('have a class by the annotation or the field', () => {
    expect(namedClass(claimOf('c'))).to.equal(undefined)
    expect(classOf(claimOf('c'))).to.equal('')
    expect(
      classOf(claimOf('c', { spec: { storageClassName: 'a' }, annotations: { 'volume.beta.kubernetes.io/storage-class': 'b' } })),
    ).to.equal('b')
  })

  it('refer to each other by name, and by uid if there is one', () => {
    const to = (claimRef: object) =>
      refersTo(volumeOf('v', { spec: { claimRef: { namespace: 'default', name: 'c', ...claimRef } } }), claimOf('c'))
    expect(to({})).to.equal(true)
    expect(to({ uid: 'uid-c' })).to.equal(true)
    expect(to({ uid: 'other' })).to.equal(false)
    expect(to({ namespace: 'other' })).to.equal(false)
    expect(claimKeyOf(volumeOf('v', { spec: { claimRef: { namespace: 'a', name: 'b' } } }))).to.equal('a/b')
    expect(isFullyBound(claimOf('c', { spec: { volumeName: 'v' }, annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } }))).to.equal(
      true,
    )
    expect(isFullyBound(claimOf('c', { spec: { volumeName: 'v' } }))).to.equal(false)
  })

  it('match on a node that reaches the volume, if no other claim has taken it', () => {
    const volumes = [
      volumeOf('a', { spec: { nodeAffinity: inZone('a') } }),
      volumeOf('b', { spec: { nodeAffinity: inZone('b'), capacity: { storage: '9Gi' } } }),
    ]
    const on = (zone: string, taken: string[] = []) =>
      matchingVolume(claimOf('c'), volumes, { matchAttributes: true, node: nodeOf('n', { labels: { zone } }), taken: new Set(taken) })
        ?.metadata.name
    expect(on('a')).to.equal('a')
    expect(on('b')).to.equal('b')
    expect(on('b', ['b'])).to.equal(undefined)
    expect(isReachable(volumeOf('v'), nodeOf('n'))).to.equal(true)
  })
})

describe('the default class', () => {
  it('is the newest, then the first by name', () => {
    const made = (name: string, day: number, isDefault = 'true') =>
      storageClassOf(name, {
        metadata: {
          name,
          creationTimestamp: `2026-01-0${day}T00:00:00Z`,
          annotations: { 'storageclass.kubernetes.io/is-default-class': isDefault },
        },
      })
    expect(defaultClass([made('old', 1), made('z', 2), made('b', 2), made('no', 3, 'false')])?.metadata.name).to.equal('b')
    expect(defaultClass([])).to.equal(undefined)
  })
})

describe('claims of pods', () => {
  it('are named in volumes, or after the pod and the ephemeral volume', () => {
    const volumes = [
      { name: 'a', persistentVolumeClaim: { claimName: 'c' } },
      { name: 'e', ephemeral: {} },
      { name: 'd', emptyDir: {} },
    ]
    expect(claimNamesOf(podOf({ spec: { volumes } }))).to.deep.equal(['c', 'pod-e'])
    expect(claimNameOf(podOf(), { name: 'd', emptyDir: {} })).to.equal(undefined)
  })
})

describe('plugins that CSI drivers have replaced', () => {
  it('have the name of their driver', () => {
    expect(migratedDriver('kubernetes.io/gce-pd')).to.equal('pd.csi.storage.gke.io')
    expect(migratedDriver('example.com/x')).to.equal(undefined)
  })
})
