import { expect } from 'chai'
import type { PersistentVolumeClaim } from '../../../../../src/api/core/v1.types.ts'
import type { OwnerReference } from '../../../../../src/api/meta/object.ts'
import {
  claimsOf,
  hasOtherController,
  hasOwnersOfPolicy,
  isStaleFor,
  ownersByPolicy,
  withOwnersOfPolicy,
  withSelectorLabels,
} from '../../../../../src/cluster/controllers/statefulset/claims.ts'
import { runAtOnce } from '../../../../../src/lib/steps.ts'
import { podOf, statefulSet } from './sets.ts'

const policy = (whenDeleted: string, whenScaled: string): { persistentVolumeClaimRetentionPolicy: object } => ({
  persistentVolumeClaimRetentionPolicy: { whenDeleted, whenScaled },
})
const owner = (kind: string, name: string, uid: string, controller = true): OwnerReference => ({
  apiVersion: kind === 'Pod' ? 'v1' : 'apps/v1',
  kind,
  name,
  uid,
  ...(controller && { controller: true, blockOwnerDeletion: true }),
})
const claim = (...ownerReferences: OwnerReference[]): PersistentVolumeClaim => ({
  kind: 'PersistentVolumeClaim',
  apiVersion: 'v1',
  metadata: { name: 'data-web-0', namespace: 'default', ownerReferences },
  spec: { resources: {} },
  status: {},
})
const SET = owner('StatefulSet', 'web', 'set')

describe('claims of a stateful set', () => {
  it('are named by template, set and ordinal, and have the labels of the template and the selector', () => {
    const template = { metadata: { name: 'data', labels: { app: 'other', tier: 'db' } }, spec: { resources: {} }, status: {} }
    const set = statefulSet({ volumeClaimTemplates: [template] })
    const [[name, claim] = []] = claimsOf(set, 2)
    expect(name).to.equal('data')
    expect(claim && runAtOnce(withSelectorLabels(set, claim)).metadata).to.deep.equal({
      name: 'data-web-2',
      namespace: 'default',
      labels: { app: 'web', tier: 'db' },
    })
  })

  it('are owned as the retention policy says', () => {
    const owners = (whenDeleted: string, whenScaled: string): unknown[] =>
      [true, false].map(isInRange => ownersByPolicy(statefulSet(policy(whenDeleted, whenScaled)), isInRange))
    const [none, set, pod] = [
      { set: false, pod: false },
      { set: true, pod: false },
      { set: false, pod: true },
    ]
    expect(owners('Retain', 'Retain')).to.deep.equal([none, none])
    expect(owners('Delete', 'Retain')).to.deep.equal([set, set])
    expect(owners('Retain', 'Delete')).to.deep.equal([none, pod])
    expect(owners('Delete', 'Delete')).to.deep.equal([set, pod])
  })

  it('get the owner that the policy asks for, as a controller from 1.32 on', () => {
    const set = statefulSet(policy('Delete', 'Retain'))
    expect(withOwnersOfPolicy(claim(), set, podOf(0), '1.33').metadata.ownerReferences).to.deep.equal([SET])
    expect(withOwnersOfPolicy(claim(), set, podOf(0), '1.31').metadata.ownerReferences).to.deep.equal([
      owner('StatefulSet', 'web', 'set', false),
    ])
    expect(hasOwnersOfPolicy(claim(SET), set, podOf(0), '1.33')).to.equal(true)
    expect(hasOwnersOfPolicy(claim(owner('StatefulSet', 'web', 'set', false)), set, podOf(0), '1.33')).to.equal(false)
  })

  it('lose owners that the policy does not ask for, and keep others', () => {
    const other = owner('ConfigMap', 'c', 'other', false)
    expect(withOwnersOfPolicy(claim(SET, other), statefulSet(), podOf(0), '1.33').metadata.ownerReferences).to.deep.equal([other])
  })

  it('are left alone if an earlier set or pod of the name owns them', () => {
    const set = statefulSet(policy('Delete', 'Delete'))
    expect(hasOwnersOfPolicy(claim(owner('StatefulSet', 'web', 'earlier')), set, podOf(0), '1.33')).to.equal(true)
    expect(isStaleFor(claim(owner('Pod', 'web-0', 'earlier')), podOf(0))).to.equal(true)
    expect(isStaleFor(claim(owner('Pod', 'web-0', 'web-0')), podOf(0))).to.equal(false)
  })

  it('get no owner if another controller manages them, and lose that of the set', () => {
    const set = statefulSet(policy('Delete', 'Retain'))
    const foreign = owner('Backup', 'b', 'foreign')
    expect(hasOtherController(claim(foreign), set, podOf(0), '1.33')).to.equal(true)
    expect(hasOtherController(claim(foreign), statefulSet(), podOf(0), '1.33')).to.equal(false)
    expect(hasOwnersOfPolicy(claim(foreign), set, podOf(0), '1.33')).to.equal(true)
    expect(hasOwnersOfPolicy(claim(foreign, SET), set, podOf(0), '1.33')).to.equal(false)
    expect(withOwnersOfPolicy(claim(foreign, SET), set, podOf(0), '1.33').metadata.ownerReferences).to.deep.equal([foreign])
  })
})
