import { expect } from 'chai'
import { dumpPriorityLevels, dumpQueues, dumpRequests } from '../../../src/flow/dump.ts'
import { queued, requestOf, schemaOf, testFlows } from '../../support/flow.ts'

describe('dumps of flow control', () => {
  const level = queued('level', 1_000_000, { queues: 2, handSize: 1, queueLengthLimit: 1 })
  const { flows, clock } = testFlows(1, { levels: [level], schemas: [schemaOf('alice', 'level')] })
  flows.start(requestOf('alice', { path: '/api/v1/namespaces/ns/pods/x', resource: 'pods', namespace: 'ns', name: 'x' }))
  clock.pass(250)
  flows.start(requestOf('alice', { verb: 'list', group: 'apps', path: '/apis/apps/v1/deployments', resource: 'deployments' }))
  flows.start(requestOf('alice'))
  const lines = (text: string): string[] => text.split('\n').map(line => line.trimEnd())
  const cells = (text: string): string[][] => lines(text).map(line => line.split(/, */).map(cell => cell.trim()))

  it('prints levels in columns', () =>
    expect(lines(dumpPriorityLevels(flows))).to.deep.equal([
      'PriorityLevelName, ActiveQueues, IsIdle, IsQuiescing, WaitingRequests, ExecutingRequests, DispatchedRequests, RejectedRequests, TimedoutRequests, CancelledRequests',
      'catch-all,         0,            true,   false,       0,               0,                 0,                  0,                0,                0',
      'exempt,            0,            true,   false,       0,               0,                 0,                  0,                0,                0',
      'level,             1,            false,  false,       1,               1,                 1,                  1,                0,                0',
      '',
    ]))

  it('prints queues', () => {
    const rows = cells(dumpQueues(flows)).slice(1, 3)
    expect(rows.map(row => row[0])).to.deep.equal(['level', 'level'])
    const busy = rows.find(row => row[2] === '1')
    expect(busy?.slice(2)).to.deep.equal(['1', '1', '1', '0.25000000ss', '1', '1', '0.00300000ss'])
    expect(rows.find(row => row[2] === '0')?.slice(2)).to.deep.equal(['0', '0', '0', '0.00000000ss', '0', '0', '0.00000000ss'])
  })

  it('prints requests', () => {
    const [headers, waiting, executing] = cells(dumpRequests(flows, { details: true, epoch: Date.UTC(2024, 0, 1) }))
    const named = (row: string[] | undefined) => Object.fromEntries((headers ?? []).map((header, i) => [header, row?.[i]]))
    expect(named(waiting)).to.include({
      PriorityLevelName: 'level',
      FlowSchemaName: 'of-alice',
      RequestIndexInQueue: '0',
      FlowDistingsher: 'alice',
      ArriveTime: '2024-01-01T00:00:00.25Z',
      InitialSeats: '1',
      FinalSeats: '0',
      AdditionalLatency: '0s',
      StartTime: '0001-01-01T00:00:00Z',
      UserName: 'alice',
      Verb: 'list',
      APIPath: '/apis/apps/v1/deployments',
      APIVersion: 'apps/v1',
      Resource: 'deployments',
    })
    expect(named(executing)).to.include({
      RequestIndexInQueue: '-1',
      StartTime: '2024-01-01T00:00:00Z',
      Namespace: 'ns',
      Name: 'x',
      APIVersion: 'v1',
    })
    expect(cells(dumpRequests(flows, { details: false, epoch: 0 }))[0]).to.have.length(10)
  })
})
