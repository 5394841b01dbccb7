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

  /** Opens reports of nodes without addresses, whose requests `client` takes. */
  function open(client: FakeApiClient): { readonly reports: NodeReports; readonly nodes: readonly Node[] } {
    const unreported = (name: string): unknown => ({
      kind: 'Node',
      apiVersion: 'v1',
      metadata: { name, labels: { 'binnacle.dev/simulated': 'true' } },
      spec: {},
      status: {},
    })
    const nodes = Array.from({ length: 100 }, (_, index) => unreported(`node-${index}`) as Node)
    let latest = 3
    const options: unknown = {
      env: { ...clusterEnvironment(client, new SteppedClock(0), ended.signal), clientOfNode: () => client },
      nodes: { store: new Map(nodes.map(node => [node.metadata.name, node])) },
      leases: { store: new Map() },
      events: {},
      version: 'v1.33.0',
      nextNumber: () => ++latest,
      reportsStatus: () => true,
      recovered() {},
    }
    return { reports: new NodeReports(options as NodeReportsOptions, ended.signal), nodes }
  }

  it('repeat its address until the informer shows it', async () => {
    const client = new FakeApiClient()
    const addresses: unknown[] = []
    client.patch = async (_kind, _name, patch) => {
      addresses.push((patch as { status: { addresses: [{ address: string }] } }).status.addresses[0].address)
      throw new Error('no one reads the result')
    }
    const { reports, nodes } = open(client)
    for (const count of [1, 2]) {
      for (const node of nodes.slice(0, 1)) reports.observe(node)
      for (let i = 0; i < 50 && addresses.length < count; i++) await nextTurn()
    }
    expect(addresses).to.deep.equal(['10.128.0.4', '10.128.0.4'])
  })

  it('do not hold back its lease while statuses of many nodes wait', async () => {
    const client = new FakeApiClient()
    const leases: string[] = []
    client.patch = () => new Promise(() => {})
    client.create = async (_kind, object) => {
      leases.push(object.metadata.name ?? '')
      return object
    }
    const { reports, nodes } = open(client)
    for (const node of nodes) reports.observe(node)
    for (let i = 0; i < 50 && leases.length < nodes.length; i++) await nextTurn()
    expect(leases).to.deep.equal(nodes.map(({ metadata }) => metadata.name))
  })
})
