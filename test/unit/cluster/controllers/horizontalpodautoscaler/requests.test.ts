import { expect } from 'chai'
import type { Pod } from '../../../../../src/api/core/v1.types.ts'
import { podRequestRules, requestsOfPods } from '../../../../../src/cluster/controllers/horizontalpodautoscaler/requests.ts'
import { runAtOnce } from '../../../../../src/lib/steps.ts'
import { featuresIn } from '../../../../support/hook-context.ts'

const OLD = { podLevel: false, needsContainer: false }
const NEW = { podLevel: true, needsContainer: true }

const podOf = (whole?: Record<string, string>): Pod => {
  const made: unknown = {
    metadata: { name: 'p' },
    spec: {
      ...(whole && { resources: { requests: whole } }),
      containers: [{ name: 'a', resources: { requests: { cpu: '200m' } } }],
      initContainers: [
        { name: 's', restartPolicy: 'Always', resources: { requests: { cpu: '100m' } } },
        { name: 'i', resources: { requests: { cpu: '9' } } },
      ],
    },
    status: {},
  }
  return made as Pod
}
const request = (pod: Pod, resource: string, rules = NEW, container = ''): number | undefined =>
  runAtOnce(requestsOfPods([pod], container, resource, rules)).get('p')

describe('requests of the pods of a target', () => {
  it('are those of containers and sidecars', () => {
    expect(request(podOf(), 'cpu')).to.equal(300)
    expect(request(podOf(), 'cpu', NEW, 's')).to.equal(100)
    expect(() => request(podOf(), 'memory')).to.throw('missing request for memory in container a of Pod p')
  })

  it('are those of the pod as a whole, unless a container is named', () => {
    const pod = podOf({ cpu: '1', memory: '1Ki' })
    expect([request(pod, 'cpu'), request(pod, 'memory'), request(pod, 'cpu', NEW, 'a')]).to.deep.equal([1000, 1024_000, 200])
    expect(request(pod, 'cpu', OLD)).to.equal(300)
    expect(() => request(podOf({ cpu: '1' }), 'memory')).to.throw('missing pod-level request for memory in Pod p')
  })

  it('are missing without the container that is named', () => {
    expect(() => request(podOf(), 'cpu', NEW, 'b')).to.throw('container b not found in Pod p')
    expect(request(podOf(), 'cpu', OLD, 'b')).to.equal(0)
  })

  it('follow the release and its gates', () => {
    expect(podRequestRules(featuresIn('1.33', { PodLevelResources: true }))).to.deep.equal(OLD)
    expect(podRequestRules(featuresIn('1.34'))).to.deep.equal(NEW)
    expect(podRequestRules(featuresIn('1.34', { PodLevelResources: false }))).to.deep.equal({ podLevel: false, needsContainer: true })
  })
})
