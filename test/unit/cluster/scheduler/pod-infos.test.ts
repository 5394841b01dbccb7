import { expect } from 'chai'
import type { Pod } from '../../../../src/api/core/v1.types.ts'
import type { PodInfo } from '../../../../src/cluster/scheduler/pod-info.ts'
import { PodInfos } from '../../../../src/cluster/scheduler/pod-infos.ts'
import { namesOf } from '../../../../src/lib/wide-objects.ts'
import { countedSteps } from '../../../support/counted-steps.ts'
import { podOf } from '../../../support/scheduling.ts'

const MANY = 9000
const term = (i: number) => ({ topologyKey: 'host', labelSelector: { matchLabels: { app: `a${i}` } } })
const withTerms = (): Pod => {
  const required = Array.from({ length: MANY }, (_, i) => term(i))
  return podOf({
    spec: { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } } } as Partial<Pod['spec']>,
  })
}

describe('facts of pods', () => {
  const infos = () => new PodInfos({ podLevel: true, inPlace: true })

  it('are kept while nothing changes that they depend on', () => {
    const all = infos()
    const affinity = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term(0)] } }
    const pod = podOf({ labels: { a: 'b' }, spec: { affinity } as Partial<Pod['spec']> })
    const first = all.of(pod)
    expect(all.of(pod)).to.equal(first)
    const bound = all.of({ ...structuredClone(pod), spec: { ...pod.spec, nodeName: 'n' } })
    expect(bound.requiredAntiAffinity).to.equal(first.requiredAntiAffinity)
    const changed = all.of({ ...pod, metadata: { ...pod.metadata, labels: { a: 'c' } } })
    expect(changed.requiredAntiAffinity).not.to.equal(first.requiredAntiAffinity)
  })

  it('have the amounts of the last pod if they are the same', () => {
    const all = infos()
    const requesting = (name: string, cpu: string): PodInfo => all.of(podOf({ name, requests: { cpu } }))
    const [first, same, other] = [requesting('a', '1'), requesting('b', '1000m'), requesting('c', '2')]
    expect([same.requests, same.assumedRequests]).to.have.ordered.members([first.requests, first.assumedRequests])
    expect([...other.requests]).to.deep.equal([['cpu', 2000]])
    expect([...first.requests]).to.deep.equal([['cpu', 1000]])
  })

  it('are derived and compared in steps for a large pod', () => {
    const all = infos()
    const pod = withTerms()
    const { result, yields } = countedSteps(all.prepare(pod))
    expect(yields).to.be.at.least(MANY / 32 - 1)
    expect([result.isLarge, result.requiredAntiAffinity.length]).to.deep.equal([true, MANY])
    expect(all.of(pod)).to.equal(result)
    const next = structuredClone(pod)
    const again = countedSteps(all.prepare(next))
    expect(again.yields).to.be.at.least(Math.floor(MANY / 512))
    expect(again.result.requiredAntiAffinity).to.equal(result.requiredAntiAffinity)
    expect(countedSteps(all.prepare(next)).yields).to.equal(0)
  })

  it('are known without a comparison until they are forgotten', () => {
    const all = infos()
    const info = all.of(withTerms())
    expect(all.known(podOf())).to.equal(info)
    all.forget(podOf())
    expect(all.known(podOf())).to.equal(undefined)
  })

  it('list a wide node selector in turns of their own', () => {
    const nodeSelector = Object.fromEntries(Array.from({ length: MANY }, (_, i) => [`k${i}`, 'v']))
    const pod = podOf({ spec: { nodeSelector } })
    namesOf(nodeSelector)
    expect(countedSteps(infos().prepare(pod)).yields).to.be.at.least(2 + Math.floor(MANY / 512))
  })

  it('convert wide requests of a container, and long lists of namespaces, in steps', () => {
    const requests = Object.fromEntries(Array.from({ length: MANY }, (_, i) => [`e.io/k${i}`, '1']))
    const wide = podOf({ spec: { containers: [{ name: 'c', image: 'i', resources: { requests } }] } })
    const { result, yields } = countedSteps(infos().prepare(wide))
    // Both kinds of requests are converted, and added up.
    expect(yields).to.be.at.least(4 * Math.floor(MANY / 512))
    expect([result.requests.size, result.requests.get('e.io/k7')]).to.deep.equal([MANY, 1])
    const namespaces = Array.from({ length: MANY }, (_, i) => `n${i}`)
    const term = { topologyKey: 'zone', labelSelector: {}, namespaces }
    const spec = { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } }
    expect(countedSteps(infos().prepare(podOf({ spec }))).yields).to.be.at.least(Math.floor(MANY / 512))
  })
})
