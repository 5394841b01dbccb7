import { expect } from 'chai'
import type { Pod } from '../../../../../src/api/core/v1.types.ts'
import type { DeviceTaintRule, DeviceTaintSelector } from '../../../../../src/api/resource/v1alpha3.types.ts'
import type { DeviceTaint, DeviceToleration, ResourceClaim, ResourceSlice } from '../../../../../src/api/resource/v1beta2.types.ts'
import { asEvicting, claimEviction, podEviction } from '../../../../../src/cluster/controllers/devicetainteviction/eviction.ts'
import type { ClaimRules } from '../../../../../src/cluster/shared/device-claims.ts'
import { matchesRule } from '../../../../../src/cluster/shared/device-taints.ts'
import { latestSlices, taintsOfDevice } from '../../../../../src/cluster/shared/published-devices.ts'

const AT = '2030-01-01T00:00:00Z'
const START = Date.parse(AT)
const device = { request: 'r', driver: 'd.example.com', pool: 'p', device: 'gpu' }
const taint = (key: string, effect: DeviceTaint['effect'] = 'NoExecute', timeAdded = AT): DeviceTaint => ({
  key,
  value: '',
  effect,
  timeAdded,
})

function rule(uid: string, deviceSelector: DeviceTaintSelector | undefined, given = taint('rule')): DeviceTaintRule {
  return {
    kind: 'DeviceTaintRule',
    apiVersion: '',
    metadata: { name: uid, uid },
    spec: { ...(deviceSelector && { deviceSelector }), taint: given },
    status: {},
  }
}
function claim(tolerations: DeviceToleration[] = [], reservedFor: string[] = ['pod']): ResourceClaim {
  const read: unknown = {
    metadata: { name: 'c', namespace: 'default' },
    status: {
      allocation: { devices: { results: [{ ...device, tolerations }] } },
      reservedFor: reservedFor.map(uid => ({ resource: 'pods', name: 'p', uid })),
    },
  }
  return read as ResourceClaim
}
function pod(nodeName = 'n'): Pod {
  const read: unknown = {
    metadata: { name: 'p', namespace: 'default', uid: 'pod' },
    spec: { nodeName, resourceClaims: [{ name: 'x', resourceClaimName: 'c' }] },
    status: {},
  }
  return read as Pod
}
const toleration = (more: Partial<DeviceToleration>): DeviceToleration => ({ operator: 'Exists', effect: 'NoExecute', ...more })

const RULES: ClaimRules = { release: '1.37', ofGroups: true }

describe('eviction of pods by taints of devices', () => {
  const cases: [
    title: string,
    tolerations: DeviceToleration[],
    taints: DeviceTaint[],
    rules: DeviceTaintRule[],
    after: number | undefined,
  ][] = [
    ['none without taints', [], [], [], undefined],
    ['none for other effects', [], [taint('a', 'NoSchedule')], [], undefined],
    ['when the taint was added', [], [taint('a')], [], 0],
    ['at the earliest of several taints', [], [taint('a', 'NoExecute', '2030-01-01T00:01:00Z'), taint('b')], [], 0],
    ['none if a toleration has no time', [toleration({ key: 'a' })], [taint('a')], [], undefined],
    ['after the time of the toleration', [toleration({ key: 'a', tolerationSeconds: 60n })], [taint('a')], [], 60_000],
    [
      'after the shortest of several tolerations',
      [toleration({ tolerationSeconds: 60n }), toleration({ tolerationSeconds: 30n })],
      [taint('a')],
      [],
      30_000,
    ],
    ['at once if the time is negative', [toleration({ tolerationSeconds: -5n })], [taint('a')], [], 0],
    ['for a toleration of all effects', [{ operator: 'Exists' }], [taint('a')], [], 0],
    ['by a rule', [], [], [rule('u', { driver: 'd.example.com' })], 0],
    ['not by a rule for another device', [], [], [rule('u', { device: 'other' })], undefined],
    ['not by a rule that is tolerated', [toleration({ key: 'rule' })], [], [rule('u', {})], undefined],
    ['by a taint that is not tolerated beside one that is', [toleration({ key: 'a' })], [taint('a')], [rule('u', {})], 0],
  ]
  for (const [title, tolerations, taints, rules, after] of cases)
    it(title, () => {
      const eviction = claimEviction(claim(tolerations), { taintsOf: () => taints, rules })
      expect(eviction?.when).to.equal(after === undefined ? undefined : START + after)
      if (eviction) expect([...eviction.rules]).to.deep.equal(rules.map(({ metadata }) => metadata.uid))
    })

  it('concerns pods that have a node, and for which the claim is reserved', () => {
    const state = { taintsOf: () => [taint('a')], rules: [] }
    expect(podEviction(pod(), () => claim(), state, RULES)?.when).to.equal(START)
    expect(podEviction(pod(''), () => claim(), state, RULES)).to.equal(undefined)
    expect(podEviction(pod(), () => claim([], ['other']), state, RULES)).to.equal(undefined)
    expect(podEviction(pod(), () => undefined, state, RULES)).to.equal(undefined)
    const reservedFor = [{ apiGroup: 'scheduling.k8s.io', resource: 'podgroups', name: 'g', uid: 'g' }]
    const ofGroup = { ...claim(), status: { ...claim().status, reservedFor } }
    const member = { ...pod(), spec: { ...pod().spec, schedulingGroup: { podGroupName: 'g' } } }
    expect(
      podEviction(pod(), () => ofGroup, state, RULES),
      'reserved for a group',
    ).to.equal(undefined)
    expect(podEviction(member, () => ofGroup, state, RULES)?.when).to.equal(START)
    expect(podEviction(member, () => ofGroup, state, { ...RULES, ofGroups: false })).to.equal(undefined)
  })

  it('selects devices by driver, pool and name', () => {
    expect(matchesRule(rule('u', undefined), device)).to.equal(false)
    expect(matchesRule(rule('u', {}), device)).to.equal(true)
    expect(matchesRule(rule('u', { driver: 'd.example.com', pool: 'p', device: 'gpu' }), device)).to.equal(true)
    for (const other of [{ driver: 'x' }, { pool: 'x' }, { device: 'x' }, { deviceClassName: 'c' }])
      expect(matchesRule(rule('u', other), device)).to.equal(false)
  })

  it('is known beforehand of a rule without an effect', () => {
    const none = rule('u', {}, taint('rule', 'None'))
    const tolerant = [toleration({ key: 'rule' })]
    const evicts = (tolerations: DeviceToleration[]) =>
      claimEviction(claim(tolerations), { taintsOf: () => [], rules: [asEvicting(none)] }) !== undefined
    expect([evicts([]), evicts(tolerant)]).to.deep.equal([true, false])
  })

  it('reads the latest generation of a pool, in any version', () => {
    const slice = (generation: bigint, entry: object): ResourceSlice => {
      const read: unknown = { metadata: {}, spec: { driver: 'd', pool: { name: 'p', generation }, devices: [{ name: 'gpu', ...entry }] } }
      return read as ResourceSlice
    }
    const [old, latest] = [slice(1n, { taints: [taint('old')] }), slice(2n, { basic: { taints: [taint('new')] } })]
    expect(latestSlices([old, latest])).to.deep.equal([latest])
    expect(taintsOfDevice([old, latest], 'gpu').map(({ key }) => key)).to.deep.equal(['new'])
    expect(taintsOfDevice([old, latest], 'other')).to.deep.equal([])
    expect(taintsOfDevice([], 'gpu')).to.deep.equal([])
  })
})
