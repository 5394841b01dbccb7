import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { chooseNode } from '../../../../src/cluster/scheduler/choose-node.ts'
import { extenderOptions } from '../../../../src/cluster/scheduler/configuration/extender-settings.ts'
import {
  bindByExtenders,
  filterByExtenders,
  findByExtenders,
  preemptByExtenders,
  scoreByExtenders,
} from '../../../../src/cluster/scheduler/extenders/extender.ts'
import { HttpExtender } from '../../../../src/cluster/scheduler/extenders/http-extender.ts'
import { failureText } from '../../../../src/cluster/scheduler/failure-text.ts'
import { filterNodes, NONE_NOMINATED } from '../../../../src/cluster/scheduler/find-node.ts'
import { runAtOnce } from '../../../../src/lib/steps.ts'
import { nextTurn } from '../../../../src/lib/turn.ts'
import { collectGarbage } from '../../../support/collect-garbage.ts'
import { infoOf, nodeOf, snapshotOf } from '../../../support/scheduling.ts'

const PROFILE = { schedulerName: 'default-scheduler', plugins: [], percentageOfNodesToScore: 0 }
const snapshot = snapshotOf(['a', 'b', 'c'].map(name => nodeOf(name)))
const pod = infoOf({ name: 'p', requests: { 'example.com/gpu': '1' } })

describe('extenders of the scheduler', () => {
  let server: Server
  let url = ''
  let answer: (path: string, body: Record<string, never>) => unknown = () => ({})
  let warnings: unknown[] = []
  const calls = {
    signal: new AbortController().signal,
    logger: { warn: (_: string, fields: unknown) => void warnings.push(fields) } as never,
  }
  before(async () => {
    server = createServer(async (request, response) => {
      const result = answer(request.url ?? '', JSON.parse(await text(request)))
      if (typeof result === 'number') response.writeHead(result, { 'retry-after': '3600' }).end()
      else if (result !== undefined) response.setHeader('content-type', 'application/json').end(JSON.stringify(result))
    }).listen(0)
    await once(server, 'listening')
    url = `http://localhost:${(server.address() as AddressInfo).port}/x/`
  })
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  beforeEach(() => {
    warnings = []
  })

  const extender = (more: object) => new HttpExtender(extenderOptions({ urlPrefix: url, ...more }))
  function feasible() {
    const filtered = runAtOnce(filterNodes(pod, snapshot, PROFILE, { from: 0, nominated: NONE_NOMINATED }))
    if (!('feasible' in filtered)) throw new Error('no node is feasible')
    return filtered.feasible
  }
  const filter = async (...all: HttpExtender[]) => {
    const result = await filterByExtenders(pod.pod, feasible(), all, calls)
    return 'feasible' in result ? result.feasible.nodes.map(({ name }) => name) : failureText(result.infeasible)
  }

  it('filter nodes, or names of nodes that they know', async () => {
    const asked: [string, unknown][] = []
    answer = (path, { Nodes, NodeNames }: { Nodes?: { items: { metadata: { name: string } }[] }; NodeNames?: string[] }) => {
      asked.push([path, NodeNames ?? Nodes?.items.map(({ metadata }) => metadata.name)])
      return NodeNames ? { nodeNames: NodeNames.slice(1) } : { nodes: { items: Nodes?.items.slice(1) } }
    }
    expect(await filter(extender({ filterVerb: 'f' }), extender({ filterVerb: 'g', nodeCacheCapable: true }))).to.deep.equal(['c'])
    expect(asked).to.deep.equal([
      ['/x/f', ['a', 'b', 'c']],
      ['/x/g', ['b', 'c']],
    ])
    expect(await filter(extender({ filterVerb: 'f', managedResources: [{ name: 'example.com/other' }] }), extender({}))).to.deep.equal([
      'a',
      'b',
      'c',
    ])
  })

  it('tell why no node is left', async () => {
    answer = () => ({ NodeNames: [], FailedNodes: { a: 'too far', b: 'too far', c: 'x' }, FailedAndUnresolvableNodes: { c: 'gone' } })
    expect(await filter(extender({ filterVerb: 'f', nodeCacheCapable: true }))).to.equal('0/3 nodes are available: 1 gone, 2 too far.')
  })

  describe('that take part in preemptions', () => {
    const victim = (name: string) => ({ name, spec: { priority: 0 }, metadata: { uid: `uid-${name}` } })
    const full = snapshotOf(
      ['a', 'b'].map(name => nodeOf(name)),
      [
        { ...victim('v'), nodeName: 'a' },
        { ...victim('w'), nodeName: 'a' },
        { ...victim('x'), nodeName: 'b' },
      ],
    )
    const candidates = full.nodes.map(node => ({ node, victims: node.pods, violations: 1 }))
    const preempted = async (...all: HttpExtender[]) =>
      (await preemptByExtenders(pod.pod, candidates, all, calls)).map(({ node, victims, violations }) => [
        node.name,
        victims.map(one => one.pod.metadata.name),
        violations,
      ])

    it('choose nodes and victims', async () => {
      const bodies: Record<string, unknown>[] = []
      answer = (_, body) => {
        bodies.push(body)
        return { NodeNameToMetaVictims: { a: { Pods: [{ UID: 'uid-w' }], NumPDBViolations: 0 } } }
      }
      expect(await preempted(extender({ preemptVerb: 'p' }))).to.deep.equal([['a', ['w'], 0]])
      expect(bodies[0]).to.have.nested.property('NodeNameToVictims.b.Pods[0].metadata.name', 'x')
      expect(await preempted(extender({ preemptVerb: 'p', nodeCacheCapable: true }), extender({}))).to.deep.equal([['a', ['w'], 0]])
      expect(bodies[1]?.NodeNameToMetaVictims).to.deep.equal({
        a: { Pods: [{ UID: 'uid-v' }, { UID: 'uid-w' }], NumPDBViolations: 1 },
        b: { Pods: [{ UID: 'uid-x' }], NumPDBViolations: 1 },
      })
    })

    it('fail the preemption if they name other pods, or none, unless they are ignorable', async () => {
      const failed = (more: object = {}) =>
        preempted(extender({ preemptVerb: 'p', ...more })).then(
          result => result,
          (error: Error) => error.message.replace(url, 'URL/'),
        )
      answer = () => ({ NodeNameToMetaVictims: { a: { Pods: [{ UID: 'uid-x' }] } } })
      expect(await failed()).to.equal('extender: URL/ claims to preempt pod (UID: uid-x) on node: a, but the pod is not found on that node')
      expect(await failed({ ignorable: true })).to.have.length(2)
      answer = () => ({ NodeNameToMetaVictims: { a: { Pods: [] }, b: { Pods: [{ UID: 'uid-x' }] } } })
      expect(await failed()).to.equal('expected at least one victim pod on node "a"')
      expect(await failed({ ignorable: true })).to.deep.equal([['b', ['x'], 0]])
    })
  })

  it('fail the attempt, unless they are ignorable', async () => {
    const failed = (more: object = {}) =>
      filter(extender({ filterVerb: 'f', ...more })).then(
        names => names,
        (error: Error) => error.message.replace(url, 'URL/'),
      )
    answer = () => 500
    expect(await failed()).to.equal('failed f with extender at URL URL/f, code 500')
    answer = () => ({ Error: 'no license' })
    expect(await failed()).to.equal('no license')
    answer = () => ({ NodeNames: ['z'] })
    expect(await failed({ nodeCacheCapable: true })).to.match(/claims a filtered node "z" which is not found in the input node list/)
    answer = () => undefined
    const waiting = failed({ httpTimeout: '50ms' })
    // A time limit that nothing holds would be collected, and never end.
    await collectGarbage()
    expect(await waiting).to.equal('Post "URL/f": context deadline exceeded (Client.Timeout exceeded while awaiting headers)')
    expect(await failed({ httpTimeout: '50ms', ignorable: true })).to.deep.equal(['a', 'b', 'c'])
    expect(warnings).to.have.length(1)
  })

  it('reject the node that a pod is nominated to, and leave it the others', async () => {
    const nominated = infoOf({ name: 'p', status: { nominatedNodeName: 'b' } })
    const find = (preferred: string | undefined) =>
      runAtOnce(filterNodes(nominated, snapshot, PROFILE, { from: 0, nominated: NONE_NOMINATED, preferred }))
    const found = async (...all: HttpExtender[]) => {
      const result = await findByExtenders(nominated.pod, all, calls, find)
      return 'feasible' in result ? result.feasible.nodes.map(({ name }) => name) : failureText(result.infeasible)
    }
    const own = extender({ filterVerb: 'f', nodeCacheCapable: true })
    answer = (_, { NodeNames = [] }: { NodeNames?: string[] }) => ({ NodeNames })
    expect(await found(own)).to.deep.equal(['b'])
    answer = (_, { NodeNames = [] }: { NodeNames?: string[] }) => ({ NodeNames: NodeNames.filter(name => name !== 'b') })
    expect(await found(own)).to.deep.equal(['a', 'c'])
    answer = (_, { NodeNames = [] }: { NodeNames?: string[] }) => (NodeNames.length === 1 ? 500 : { NodeNames })
    expect(await found(own)).to.deep.equal(['a', 'b', 'c'])
    expect(warnings).to.have.length(1)
    expect(await found()).to.deep.equal(['b'])
  })

  it('may take longer than the longest timer', async () => {
    answer = (_, { NodeNames = [] }: { NodeNames?: string[] }) => ({ NodeNames })
    expect(extenderOptions({ urlPrefix: url, httpTimeout: '600h' }).timeoutMs).to.equal(2 ** 31 - 1)
    expect(await filter(extender({ filterVerb: 'f', nodeCacheCapable: true, httpTimeout: '600h' }))).to.deep.equal(['a', 'b', 'c'])
  })

  it('add to the scores of nodes', async () => {
    answer = path => (path === '/x/p' ? [{ Host: 'b', Score: 7 }] : 500)
    const extra = await scoreByExtenders(
      pod.pod,
      snapshot.nodes,
      [extender({ prioritizeVerb: 'p', weight: 2 }), extender({ prioritizeVerb: 'q', weight: 1 })],
      calls,
    )
    expect([...(extra ?? [])]).to.deep.equal([0, 140, 0])
    expect(runAtOnce(chooseNode(pod, snapshot, PROFILE, feasible(), { random: () => 0, extra }))?.name).to.equal('b')
  })

  it('bind pods in place of the scheduler', async () => {
    let bound: unknown
    answer = (_, body) => {
      bound = body
      return {}
    }
    await extender({ bindVerb: 'b' }).bind(pod.pod, 'a', calls.signal)
    expect(bound).to.deep.equal({ PodName: 'p', PodNamespace: 'default', PodUID: 'p', Node: 'a' })
  })

  it('leave a pod to the scheduler if they fail to bind it and are ignorable', async () => {
    const bind = (...all: HttpExtender[]) => bindByExtenders(pod.pod, 'a', all, calls)
    answer = path => (path === '/x/b' ? { Error: 'no license' } : {})
    expect(await bind(extender({ bindVerb: 'b', ignorable: true }))).to.equal(false)
    expect(warnings).to.have.length(1)
    expect(await bind(extender({ bindVerb: 'c' }))).to.equal(true)
    expect(await bind(extender({}))).to.equal(false)
    expect(await bind(extender({ bindVerb: 'b' })).catch((error: Error) => error.message)).to.equal('no license')
  })

  it('keep no connection that is closed', async () => {
    answer = (_, { NodeNames = [] }: { NodeNames?: string[] }) => ({ NodeNames })
    const own = extender({ filterVerb: 'f', nodeCacheCapable: true })
    const count = (): Promise<number> =>
      new Promise((resolve, reject) => server.getConnections((error, n) => (error ? reject(error) : resolve(n))))
    const before = await count()
    await filter(own)
    expect(await count()).to.equal(before + 1)
    own.close()
    while ((await count()) > before) await nextTurn()
    expect(await filter(own)).to.deep.equal(['a', 'b', 'c'])
    own.close()
  })
})
