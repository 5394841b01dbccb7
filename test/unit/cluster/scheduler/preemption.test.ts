import { expect } from 'chai'
import type { KubeObject } from '../../../../src/api/meta/object.ts'
import type { PodDisruptionBudget } from '../../../../src/api/policy/v1.types.ts'
import { filterNodes } from '../../../../src/cluster/scheduler/find-node.ts'
import type { Plugin } from '../../../../src/cluster/scheduler/framework.ts'
import { nodeResourcesFit } from '../../../../src/cluster/scheduler/plugins/node-resources-fit.ts'
import { taintToleration } from '../../../../src/cluster/scheduler/plugins/taint-toleration.ts'
import { preemptionCandidates, preemptionOf } from '../../../../src/cluster/scheduler/preemption.ts'
import type { Profile } from '../../../../src/cluster/scheduler/profile.ts'
import { runAtOnce } from '../../../../src/lib/steps.ts'
import { infoOf, nodeOf, type PodParts, snapshotOf } from '../../../support/scheduling.ts'

const PROFILE: Profile = {
  schedulerName: 'default-scheduler',
  plugins: [taintToleration('1.33'), nodeResourcesFit({}, '1.33', false)].map(plugin => ({ plugin, weight: 1 })),
  percentageOfNodesToScore: 0,
}
const none = () => []

/** A pod that requests whole cores. */
const pod = (name: string, priority: number, cores: number, nodeName?: string, rest: Omit<PodParts, 'spec'> = {}): PodParts => ({
  ...rest,
  name,
  ...(nodeName !== undefined && { nodeName }),
  spec: {
    priority,
    containers: [{ name: 'c', resources: { requests: { cpu: String(cores) } } }],
    ...(nodeName !== undefined && { nodeName }),
  },
})

const budget = (app: string, disruptionsAllowed: number): KubeObject =>
  ({
    kind: 'PodDisruptionBudget',
    apiVersion: 'policy/v1',
    metadata: { name: app, namespace: 'default' },
    spec: { selector: { matchLabels: { app } } },
    status: { disruptionsAllowed },
  }) as unknown as PodDisruptionBudget

/** Preempts for a pod. Returns `node: victims`, or the message. */
function preempted(parts: PodParts, snapshot: ReturnType<typeof snapshotOf>, profile = PROFILE): string {
  const info = infoOf(parts)
  const result = runAtOnce(filterNodes(info, snapshot, profile, { from: 0, nominated: none }))
  if ('feasible' in result) return 'feasible'
  const found = runAtOnce(preemptionCandidates({ pod: info, snapshot, ...result, nominated: none, args: {}, random: () => 0 }))
  const outcome = 'message' in found ? found : preemptionOf(found)
  if ('message' in outcome) return outcome.message
  const { node, victims } = outcome.candidate
  return `${node.name}: ${victims.map(({ pod: victim }) => victim.metadata.name).join(', ')}`
}

describe('preemption', () => {
  it('deletes as few pods as possible, the least important ones', () => {
    const snapshot = snapshotOf([nodeOf('a')], [pod('low', 1, 1, 'a'), pod('lower', 0, 1, 'a'), pod('high', 10, 2, 'a')])
    expect(preempted(pod('p', 5, 1), snapshot)).to.equal('a: lower')
    expect(preempted(pod('p', 5, 2), snapshot)).to.equal('a: low, lower')
  })

  it('prepares the checks of a node before it tries its pods', () => {
    const events: string[] = []
    const prepared: Plugin = {
      name: 'Prepared',
      preFilter: () => ({
        filter: {
          *prepare() {
            yield
            events.push('prepared')
          },
          check: () => void events.push('checked'),
        },
      }),
    }
    const plugins = [...PROFILE.plugins, { plugin: prepared, weight: 1 }]
    const snapshot = snapshotOf([nodeOf('a')], [pod('low', 1, 4, 'a')])
    expect(preempted(pod('p', 5, 1), snapshot, { ...PROFILE, plugins })).to.equal('a: low')
    expect(events.slice(0, 2)).to.deep.equal(['prepared', 'checked'])
  })

  it('says why it cannot help', () => {
    const tainted = nodeOf('b', { spec: { taints: [{ key: 'k', effect: 'NoSchedule' }] } })
    const snapshot = snapshotOf([nodeOf('a'), tainted], [pod('high', 10, 3, 'a'), pod('low', 0, 1, 'a')])
    expect(preempted(pod('p', 0, 2), snapshot)).to.equal(
      'preemption: 0/2 nodes are available: 1 No preemption victims found for incoming pod, 1 Preemption is not helpful for scheduling.',
    )
    expect(preempted(pod('p', 5, 2), snapshot)).to.equal(
      'preemption: 0/2 nodes are available: 1 Insufficient cpu, 1 Preemption is not helpful for scheduling.',
    )
    const never = pod('p', 5, 2)
    expect(preempted({ ...never, spec: { ...never.spec, preemptionPolicy: 'Never' } }, snapshot)).to.equal(
      'preemption: not eligible due to preemptionPolicy=Never.',
    )
  })

  it('waits for victims that are being deleted', () => {
    const victim = pod('low', 0, 4, 'a', {
      metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' },
      status: {
        conditions: [
          { type: 'DisruptionTarget', status: 'True', reason: 'PreemptionByScheduler', lastProbeTime: null, lastTransitionTime: null },
        ],
      },
    })
    const waiting: PodParts = { ...pod('p', 5, 1), status: { nominatedNodeName: 'a' } }
    expect(preempted(waiting, snapshotOf([nodeOf('a')], [victim]))).to.equal(
      'preemption: not eligible due to a terminating pod on the nominated node.',
    )
  })

  it('prefers nodes on which no disruption budget is violated, then the lowest priority, then few victims, then young ones', () => {
    const labels = { app: 'web' }
    const nodes = [nodeOf('a'), nodeOf('b')]
    const on = (a: PodParts[], b: PodParts[], objects: KubeObject[] = []) =>
      preempted(pod('p', 9, 4), snapshotOf(nodes, [...a, ...b], objects))
    expect(on([pod('a1', 0, 4, 'a', { labels })], [pod('b1', 5, 4, 'b')], [budget('web', 0)])).to.equal('b: b1')
    expect(on([pod('a1', 0, 4, 'a', { labels })], [pod('b1', 5, 4, 'b')], [budget('web', 1)])).to.equal('a: a1')
    expect(on([pod('a1', 5, 4, 'a')], [pod('b1', 4, 2, 'b'), pod('b2', 4, 2, 'b')])).to.equal('b: b1, b2')
    expect(on([pod('a1', 4, 2, 'a'), pod('a2', 4, 2, 'a')], [pod('b1', 4, 4, 'b')])).to.equal('b: b1')
    const started = (startTime: string) => ({ status: { startTime } })
    expect(on([pod('a1', 4, 4, 'a', started('2026-01-01T00:00:00Z'))], [pod('b1', 4, 4, 'b', started('2026-01-02T00:00:00Z'))])).to.equal(
      'b: b1',
    )
  })

  it('reprieves pods that a budget protects first', () => {
    const snapshot = snapshotOf(
      [nodeOf('a')],
      [pod('guarded', 0, 2, 'a', { labels: { app: 'web' } }), pod('other', 3, 2, 'a')],
      [budget('web', 0)],
    )
    expect(preempted(pod('p', 5, 2), snapshot)).to.equal('a: other')
  })
})
