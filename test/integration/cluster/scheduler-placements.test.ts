import { expect } from 'chai'
import { startControlPlane } from '../../../src/testing/start-control-plane.ts'
import type { ControlPlane, Manifest } from '../../../src/testing/types.ts'
import type { Parts } from '../../oracle/parts.ts'
import { type Placement, violatedRule } from '../../oracle/placement-rules.ts'
import { RandomCluster } from '../../oracle/random-cluster.ts'

/** Number of random clusters, the first seed, and the release: `COUNT=200 SEED=1000 RELEASE=1.36`. */
const COUNT = Number(process.env.COUNT ?? 2)
const SEED = Number(process.env.SEED ?? 1)
const { RELEASE } = process.env
const NODES = 8
const PODS = 40
const FLAGS = {
  profile: 'cluster',
  controllers: ['scheduler', 'namespace-controller'],
  'disable-admission-plugins': ['ServiceAccount', 'TaintNodesByCondition', 'DefaultTolerationSeconds'],
  ...(RELEASE !== undefined && { 'emulated-version': RELEASE }),
}

const items = async (plane: ControlPlane, path: string): Promise<Parts[]> => (await plane.request<Parts>('GET', path)).body.items

async function create(plane: ControlPlane, object: Parts): Promise<void> {
  const path = object.kind === 'Node' ? '/api/v1/nodes' : `/api/v1/namespaces/${object.metadata.namespace}/pods`
  const { status, body } = await plane.request<Parts>('POST', path, { body: object })
  if (status !== 201) throw new Error(`${path}: ${status} ${body.message}`)
  if (object.kind === 'Node') await plane.request('PATCH', `${path}/${object.metadata.name}/status`, { body: { status: object.status } })
}

/** Lets back-offs pass. */
async function settle(plane: ControlPlane): Promise<void> {
  for (let i = 0; i < 4; i++) {
    await plane.advance('11s')
    await plane.settled()
  }
}

/** Describes pending pods for which a node is free. */
function overlooked({ nodes, pods }: Placement, pending: readonly Parts[]): string[] {
  return pending.flatMap(pod => {
    const free = nodes.filter(node => violatedRule(pod, node, { nodes, pods }) === undefined)
    return free.length > 0
      ? [
          `${pod.metadata.name} is pending, and ${free.map(({ metadata }) => metadata.name)} are free: ${JSON.stringify(pod.status.conditions)}`,
        ]
      : []
  })
}

const nodeOf = ({ spec }: Parts, nodes: readonly Parts[]): Parts => nodes.find(({ metadata }) => metadata.name === spec.nodeName) ?? {}
const isBound = ({ spec }: Parts): boolean => spec.nodeName !== undefined

describe('placements of random pods', function () {
  this.timeout(120_000 * COUNT)
  for (let seed = SEED; seed < SEED + COUNT; seed++)
    it(`follow the rules, and leave no pod pending that fits (seed ${seed})`, async () => {
      const plane = await startControlPlane({ seed, flags: FLAGS })
      try {
        const cluster = new RandomCluster(seed)
        const priority = { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name: 'high' }, value: 1000 }
        await plane.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'other' } } as Manifest, priority as Manifest)
        for (let i = 0; i < NODES; i++) await create(plane, cluster.node(i))
        for (let i = 0; i < PODS; i++) await create(plane, cluster.pod(`pod-${i}`))
        await settle(plane)
        const nodes = await items(plane, '/api/v1/nodes')
        const pods = await items(plane, '/api/v1/pods')
        // Nothing changes a pod after its binding, so that versions have the order of the bindings.
        const bound = pods.filter(isBound).sort((a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion))
        expect(bound.length).to.be.within(6, PODS - 1)
        for (const [i, pod] of bound.entries()) {
          const node = nodeOf(pod, nodes)
          expect(violatedRule(pod, node, { nodes, pods: bound.slice(0, i) }), `${pod.metadata.name} on ${pod.spec.nodeName}`).to.equal(
            undefined,
          )
        }
        expect(
          overlooked(
            { nodes, pods: bound },
            pods.filter(pod => !isBound(pod)),
          ),
        ).to.deep.equal([])

        for (let i = 0; i < PODS / 2; i++) await create(plane, cluster.pod(`late-${i}`, 'high'))
        await settle(plane)
        const later = await items(plane, '/api/v1/pods')
        const present = later.filter(isBound)
        for (const pod of present.filter(({ metadata }) => metadata.name.startsWith('late'))) {
          const node = nodeOf(pod, nodes)
          const rule = violatedRule(pod, node, { nodes, pods: present.filter(other => other !== pod) })
          // Pods that came later may have changed what spread and affinity count.
          if (rule !== 'topology spread' && rule !== 'affinity')
            expect(rule, `${pod.metadata.name} on ${pod.spec.nodeName}`).to.equal(undefined)
        }
        expect(
          overlooked(
            { nodes, pods: present },
            later.filter(pod => !isBound(pod)),
          ),
        ).to.deep.equal([])
      } finally {
        await plane.stop()
      }
    })
})
