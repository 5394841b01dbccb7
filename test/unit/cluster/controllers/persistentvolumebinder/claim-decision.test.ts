import { expect } from 'chai'
import type { PersistentVolumeClaim } from '../../../../../src/api/core/v1.types.ts'
import {
  bestVolume,
  type ClaimSurroundings,
  decideClaim,
} from '../../../../../src/cluster/controllers/persistentvolumebinder/claim-decision.ts'
import { podOf } from '../../../../support/scheduling.ts'
import { claimOf, storageClassOf, volumeOf } from '../../../../support/storage-objects.ts'

const NOTHING: ClaimSurroundings = {
  named: undefined,
  candidates: [],
  storageClass: undefined,
  defaultClass: undefined,
  pods: [],
  matchAttributes: true,
}
const decide = (claim: PersistentVolumeClaim, around: Partial<ClaimSurroundings> = {}) => decideClaim(claim, { ...NOTHING, ...around })

/** Text of the event, or the action. */
function outcome(claim: PersistentVolumeClaim, around: Partial<ClaimSurroundings> = {}): string {
  const decision = decide(claim, around)
  return 'event' in decision && decision.event ? `${decision.action}: ${decision.event.reason}: ${decision.event.message}` : decision.action
}

describe('a claim without a volume', () => {
  it('gets the smallest volume of its class that is large enough', () => {
    const volumes = [
      volumeOf('big', { spec: { capacity: { storage: '50Gi' } } }),
      volumeOf('small'),
      volumeOf('tiny', { spec: { capacity: { storage: '1Mi' } } }),
      volumeOf('other', { spec: { storageClassName: 'fast', capacity: { storage: '2Gi' } } }),
      volumeOf('released', { status: { phase: 'Released' }, spec: { capacity: { storage: '2Gi' } } }),
      volumeOf('taken', { spec: { capacity: { storage: '2Gi' }, claimRef: { namespace: 'default', name: 'x', uid: 'x' } } }),
    ]
    expect(decide(claimOf('c'), { candidates: volumes })).to.have.nested.property('volume.metadata.name', 'small')
  })

  it('prefers volumes with few access modes, and a volume that refers to the claim', () => {
    const wide = volumeOf('wide', { spec: { accessModes: ['ReadWriteOnce', 'ReadOnlyMany'], capacity: { storage: '1Gi' } } })
    const search = { matchAttributes: true, isDelayed: false }
    expect(bestVolume(claimOf('c'), [wide, volumeOf('narrow')], search)?.metadata.name).to.equal('narrow')
    const reserved = volumeOf('reserved', { spec: { capacity: { storage: '90Gi' }, claimRef: { namespace: 'default', name: 'c' } } })
    expect(bestVolume(claimOf('c'), [volumeOf('narrow'), reserved], search)?.metadata.name).to.equal('reserved')
    expect(bestVolume(claimOf('c'), [volumeOf('narrow'), reserved], { ...search, isDelayed: true })?.metadata.name).to.equal('reserved')
    expect(bestVolume(claimOf('c'), [volumeOf('narrow')], { ...search, isDelayed: true })).to.equal(undefined)
    const silver = volumeOf('silver', { spec: { volumeAttributesClassName: 'silver' } })
    expect(bestVolume(claimOf('c'), [silver], search)).to.equal(undefined)
    expect(bestVolume(claimOf('c'), [silver], { ...search, matchAttributes: false })?.metadata.name).to.equal('silver')
  })

  it('waits, is provisioned, or gets the default class', () => {
    expect(outcome(claimOf('c'))).to.equal(
      'wait: FailedBinding: no persistent volumes available for this claim and no storage class is set',
    )
    expect(outcome(claimOf('c', { spec: { storageClassName: 'fast' } }))).to.equal('provision')
    expect(outcome(claimOf('c'), { defaultClass: storageClassOf('standard') })).to.equal('assign class')
    expect(outcome(claimOf('c', { spec: { storageClassName: '' } }), { defaultClass: storageClassOf('standard') })).to.match(
      /^wait: FailedBinding/,
    )
  })

  it('waits for a pod if its class is delayed, and is provisioned when the scheduler has selected a node', () => {
    const storageClass = storageClassOf('w', { volumeBindingMode: 'WaitForFirstConsumer' })
    const spec = { storageClassName: 'w' }
    expect(outcome(claimOf('c', { spec }), { storageClass })).to.equal(
      'wait: WaitForFirstConsumer: waiting for first consumer to be created before binding',
    )
    const pods = [podOf({ name: 'a' }), podOf({ name: 'b' }), podOf({ name: 'bound', nodeName: 'n' })]
    expect(outcome(claimOf('c', { spec }), { storageClass, pods })).to.equal(
      'wait: WaitForPodScheduled: waiting for pods a,b to be scheduled',
    )
    expect(outcome(claimOf('c', { spec }), { storageClass, pods: pods.slice(0, 1) })).to.match(/waiting for pod a to be scheduled$/)
    expect(outcome(claimOf('c', { spec, annotations: { 'volume.kubernetes.io/selected-node': 'n' } }), { storageClass })).to.equal(
      'provision',
    )
  })
})

describe('a claim that names its volume', () => {
  const claim = claimOf('c', { spec: { volumeName: 'v' } })

  it('is bound if the volume is free and satisfies it', () => {
    expect(outcome(claim)).to.equal('wait')
    expect(outcome(claim, { named: volumeOf('v') })).to.equal('bind')
    const problem = (parts: object): string => outcome(claim, { named: volumeOf('v', parts) })
    expect(problem({ spec: { capacity: { storage: '1Mi' } } })).to.equal(
      'wait: VolumeMismatch: Cannot bind to requested volume "v": requested PV is too small',
    )
    expect(problem({ spec: { storageClassName: 'x' } })).to.match(/: storageClassName does not match$/)
    expect(problem({ spec: { volumeMode: 'Block' } })).to.match(/: incompatible volumeMode$/)
    expect(problem({ spec: { accessModes: ['ReadOnlyMany'] } })).to.match(/: incompatible accessMode$/)
    expect(problem({ metadata: { deletionTimestamp: '2030-01-01T00:00:00Z' } })).to.match(/: the volume is marked for deletion "v"$/)
  })

  it('waits while the volume belongs to another claim', () => {
    const named = volumeOf('v', { spec: { claimRef: { namespace: 'default', name: 'other', uid: 'o' } } })
    expect(outcome(claim, { named })).to.equal('wait: FailedBinding: volume "v" already bound to a different claim.')
    const chosen = claimOf('c', { spec: { volumeName: 'v' }, annotations: { 'pv.kubernetes.io/bound-by-controller': 'yes' } })
    expect(decide(chosen, { named })).to.have.property(
      'error',
      'invalid binding of claim "default/c" to volume "v": volume already claimed by "default/other"',
    )
  })
})

describe('a claim that was bound', () => {
  const bound = (spec: object) => claimOf('c', { spec, annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } })

  it('is lost with its volume', () => {
    expect(outcome(bound({}))).to.equal('lose: ClaimLost: Bound claim has lost reference to PersistentVolume. Data on the volume is lost!')
    expect(outcome(bound({ volumeName: 'v' }))).to.equal(
      'lose: ClaimLost: Bound claim has lost its PersistentVolume. Data on the volume is lost!',
    )
    const named = volumeOf('v', { spec: { claimRef: { namespace: 'default', name: 'c', uid: 'older' } } })
    expect(outcome(bound({ volumeName: 'v' }), { named })).to.equal(
      'lose: ClaimMisbound: Two claims are bound to the same volume, this one is bound incorrectly',
    )
  })

  it('is bound again if the volume refers to it, or to none', () => {
    expect(outcome(bound({ volumeName: 'v' }), { named: volumeOf('v') })).to.equal('bind')
    const named = volumeOf('v', { spec: { claimRef: { namespace: 'default', name: 'c', uid: 'uid-c' } } })
    expect(outcome(bound({ volumeName: 'v' }), { named })).to.equal('bind')
  })
})
