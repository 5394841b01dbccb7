import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect } from 'chai'
import type { Node } from '../../../../src/api/core/v1.types.ts'
import { NodeReports, type NodeReportsOptions } from '../../../../src/cluster/nodes/node-reports.ts'
import { clusterEnvironment } from '../../../support/cluster-environment.ts'
import { FakeApiClient } from '../../../support/fake-api-client.ts'
import { SteppedClock } from '../../../support/stepped-clock.ts'

describe('reports of a simulated node', () => {
  const ended = new AbortController()
  after(() => ended.abort())

  it('repeat its address until the informer shows it', async () => {
    const client = new FakeApiClient()
    const addresses: unknown[] = []
    client.patch = async (_kind, _name, patch) => {
      addresses.push((patch as { status: { addresses: [{ address: string }] } }).status.addresses[0].address)
      throw new Error('no one reads the result')
    }
    const unreported: unknown = {
      kind: 'Node',
      apiVersion: 'v1',
      metadata: { name: 'own', labels: { 'binnacle.dev/simulated': 'true' } },
      spec: {},
      status: {},
    }
    const node = unreported as Node
    const store = { get: () => node }
    let latest = 3
    const options: unknown = {
      env: { ...clusterEnvironment(client, new SteppedClock(0), ended.signal), clientOfNode: () => client },
      nodes: { store },
      leases: { store: new Map() },
      events: {},
      version: 'v1.33.0',
      nextNumber: () => ++latest,
      reportsStatus: () => true,
      recovered() {},
    }
    const reports = new NodeReports(options as NodeReportsOptions, ended.signal)
    for (const count of [1, 2]) {
      reports.observe(node)
      for (let i = 0; i < 50 && addresses.length < count; i++) await nextTurn()
    }
    expect(addresses).to.deep.equal(['10.128.0.4', '10.128.0.4'])
  })
})
