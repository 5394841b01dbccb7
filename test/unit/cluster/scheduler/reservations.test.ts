import { expect } from 'chai'
import { filterNodes } from '../../../../src/cluster/scheduler/find-node.ts'
import {
  type BindingContext,
  type Plugin,
  type Reservation,
  type Status,
  unschedulable,
} from '../../../../src/cluster/scheduler/framework.ts'
import { NodeInfo } from '../../../../src/cluster/scheduler/node-info.ts'
import { Reservations } from '../../../../src/cluster/scheduler/reservations.ts'
import { runAtOnce } from '../../../../src/lib/steps.ts'
import { infoOf, nodeOf, snapshotOf } from '../../../support/scheduling.ts'

const context = {} as BindingContext
const node = NodeInfo.of(nodeOf('a'))

/** Plugins that record the calls of their points. `results` has what a point of a plugin returns. */
function recorded(names: readonly string[], results: Readonly<Record<string, Status | Error>> = {}) {
  const calls: string[] = []
  const result = (call: string): Status | undefined => {
    calls.push(call)
    const value = results[call]
    if (value instanceof Error) throw value
    return value
  }
  const reserves = names.map(plugin => ({
    plugin,
    reserve: (chosen: NodeInfo): Reservation | Status =>
      result(`${plugin} reserves ${chosen.name}`) ?? {
        preBind: async () => result(`${plugin} prepares`),
        unreserve: async () => void result(`${plugin} releases`),
      },
  }))
  return { calls, reserves }
}

describe('reservations', () => {
  it('prepares in the order of the plugins and releases in the reverse order', async () => {
    const { calls, reserves } = recorded(['A', 'B'])
    const { reservations, rejection } = Reservations.make(reserves, node)
    expect(rejection).to.equal(undefined)
    expect(reservations.isPending).to.equal(true)
    expect(await reservations.preBind(context)).to.equal(undefined)
    await reservations.release(context)
    expect(calls).to.deep.equal(['A reserves a', 'B reserves a', 'A prepares', 'B prepares', 'B releases', 'A releases'])
  })

  it('stops at the first plugin that cannot reserve, and releases those before it', async () => {
    const { calls, reserves } = recorded(['A', 'B', 'C'], { 'B reserves a': unschedulable('full') })
    const { reservations, rejection } = Reservations.make(reserves, node)
    expect(rejection).to.deep.equal({ plugin: 'B', status: unschedulable('full') })
    await reservations.release(context)
    expect(calls).to.deep.equal(['A reserves a', 'B reserves a', 'A releases'])
  })

  it('returns the rejection of a preparation, and names the plugin whose preparation fails', async () => {
    const rejecting = Reservations.make(recorded(['A', 'B'], { 'A prepares': unschedulable('gone') }).reserves, node).reservations
    expect(await rejecting.preBind(context)).to.deep.equal({ plugin: 'A', status: unschedulable('gone') })
    const failing = Reservations.make(recorded(['A'], { 'A prepares': new Error('no answer') }).reserves, node).reservations
    expect(await failing.preBind(context).catch(String)).to.equal('Error: running PreBind plugin "A": no answer')
  })

  it('is not pending if no plugin prepares anything', () => {
    expect(Reservations.make([{ plugin: 'A', reserve: () => undefined }], node).reservations.isPending).to.equal(false)
  })

  it('makes the reservations of plugins that take part in the cycle of the pod', () => {
    const plugin = (name: string, status?: Status): Plugin => ({
      name,
      preFilter: () => ({ ...(status && { status }), reserve: () => undefined }),
    })
    const plugins = [plugin('A'), plugin('B', { code: 'Skip', reasons: [] })].map(one => ({ plugin: one, weight: 1 }))
    const profile = { schedulerName: 's', plugins, percentageOfNodesToScore: 0 }
    const filtered = runAtOnce(filterNodes(infoOf(), snapshotOf([nodeOf('a')]), profile, { from: 0, nominated: () => [] }))
    expect('feasible' in filtered && filtered.feasible.reserves.map(one => one.plugin)).to.deep.equal(['A'])
  })
})
