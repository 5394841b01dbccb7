import { expect } from 'chai'
import type { Pod } from '../../../../src/api/core/v1.types.ts'
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
    const pod = podOf({ labels: { a: 'b' } })
    const first = all.of(pod)
    expect(all.of(pod)).to.equal(first)
    const bound = all.of({ ...structuredClone(pod), spec: { ...pod.spec, nodeName: 'n' } })
    expect(bound.requests).to.equal(first.requests)
    expect(all.of(podOf({ labels: { a: 'c' } })).requests).not.to.equal(first.requests)
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
})
