import { expect } from 'chai'
import { affinityToNode, daemonPodTemplate, daemonTolerations, targetNode } from '../../../../../src/cluster/controllers/daemonset/pod.ts'
import { runAtOnce } from '../../../../../src/lib/steps.ts'
import { countedSteps } from '../../../../support/counted-steps.ts'
import { daemonPod, daemonSet } from './daemon-pods.ts'

describe('pod of a daemon set', () => {
  it('tolerates what nodes are tainted with when they have problems, once each', () => {
    const own = { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' } as const
    expect(daemonTolerations({}).map(({ key, effect }) => `${key}:${effect}`)).to.deep.equal([
      'node.kubernetes.io/not-ready:NoExecute',
      'node.kubernetes.io/unreachable:NoExecute',
      'node.kubernetes.io/disk-pressure:NoSchedule',
      'node.kubernetes.io/memory-pressure:NoSchedule',
      'node.kubernetes.io/pid-pressure:NoSchedule',
      'node.kubernetes.io/unschedulable:NoSchedule',
    ])
    expect(daemonTolerations({ hostNetwork: true })).to.have.length(7)
    expect(daemonTolerations({ tolerations: [own] })).to.have.length(6)
    expect(daemonTolerations({ tolerations: [{ ...own, tolerationSeconds: 5 }] })).to.deep.equal(daemonTolerations({}))
    expect(daemonTolerations({ tolerations: [{ ...own, operator: 'Equal' }] })).to.have.length(7)
  })

  it('has the labels of its template, of its revision and of its generation', () => {
    expect(runAtOnce(daemonPodTemplate(daemonSet(), 'hash')).metadata.labels).to.deep.equal({
      app: 'ds',
      'controller-revision-hash': 'hash',
      'pod-template-generation': '7',
    })
  })

  it('is pinned to its node: required terms are replaced, preferred ones remain', () => {
    const preferredDuringSchedulingIgnoredDuringExecution = [{ weight: 1, preference: {} }]
    const nodeAffinity = {
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{}] },
      preferredDuringSchedulingIgnoredDuringExecution,
    }
    expect(affinityToNode({ nodeAffinity, podAffinity: {} }, 'n')).to.deep.equal({
      podAffinity: {},
      nodeAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution,
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n'] }] }],
        },
      },
    })
  })

  it('belongs to the node of its spec, or else of its affinity', () => {
    const pod = daemonPod('p', 'n', { bound: false })
    expect(targetNode(pod)).to.equal('n')
    expect(targetNode({ ...pod, spec: { ...pod.spec, nodeName: 'other' } })).to.equal('other')
    expect(targetNode({ ...pod, spec: { containers: [] } })).to.equal(undefined)
  })

  it('gets many labels of the template in steps', () => {
    const labels = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`k${i}`, 'v']))
    const set = daemonSet()
    set.spec.template.metadata = { labels }
    const { result, yields } = countedSteps(daemonPodTemplate(set, 'hash'))
    expect(yields).to.be.at.least(Math.floor(20_000 / 512))
    expect(result.metadata.labels).to.deep.include({ ...labels, 'controller-revision-hash': 'hash' })
    expect(labels).not.to.have.property('controller-revision-hash')
  })
})
