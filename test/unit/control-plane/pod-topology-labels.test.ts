import { expect } from 'chai'
import type { Release } from '../../../src/lifecycle/release.ts'
import { type Call, inRelease } from '../../support/in-release.ts'
import { MemoryBackend } from '../../support/memory-backend.ts'

const PODS = '/api/v1/namespaces/default/pods'
const NODE_LABELS = { 'topology.kubernetes.io/zone': 'z', 'topology.k8s.io/zone': 'old', 'topology.k8s.io/region': 'r', other: 'o' }

const post = (call: Call, path: string, body: object) => call(path, { method: 'POST', body: JSON.stringify({ apiVersion: 'v1', ...body }) })
const pod = (name: string, spec: object = {}) => ({
  kind: 'Pod',
  metadata: { name, labels: { a: 'b' } },
  spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
})
const binding = (name: string, node: string) => ({
  kind: 'Binding',
  metadata: { name, labels: { own: 'l' } },
  target: { kind: 'Node', name: node },
})

/**
 * Labels of three pods: one that is bound, one that is created with its node, and one that is bound to a node that does
 * not exist.
 */
const labelsIn = (release: Release, gates: Record<string, boolean>) =>
  inRelease(
    new MemoryBackend(),
    release,
    async call => {
      await post(call, '/api/v1/namespaces', { kind: 'Namespace', metadata: { name: 'default' } })
      await post(call, '/api/v1/nodes', { kind: 'Node', metadata: { name: 'n', labels: NODE_LABELS } })
      for (const body of [pod('bound'), pod('placed', { nodeName: 'n' }), pod('lost')])
        expect((await post(call, PODS, body)).status).to.equal(201)
      for (const [name, node] of [
        ['bound', 'n'],
        ['lost', 'none'],
      ] as const)
        expect((await post(call, `${PODS}/${name}/binding`, binding(name, node))).status).to.equal(201)
      const labelsOf = async (name: string) => ((await call(`${PODS}/${name}`)).json as { metadata: { labels: object } }).metadata.labels
      return { bound: await labelsOf('bound'), placed: await labelsOf('placed'), lost: await labelsOf('lost') }
    },
    gates,
  )

describe('pods that are assigned to a node', () => {
  it('keep their labels without PodTopologyLabelsAdmission, and ignore those of a binding', async () => {
    expect(await labelsIn('1.33', {})).to.deep.equal({ bound: { a: 'b' }, placed: { a: 'b' }, lost: { a: 'b' } })
  })

  it('get the topology labels of 1.33 with it, and those of a binding', async () => {
    const copied = { 'topology.k8s.io/zone': 'old', 'topology.k8s.io/region': 'r' }
    expect(await labelsIn('1.33', { PodTopologyLabelsAdmission: true })).to.deep.equal({
      bound: { a: 'b', own: 'l', ...copied },
      placed: { a: 'b', ...copied },
      lost: { a: 'b', own: 'l' },
    })
  })
})
