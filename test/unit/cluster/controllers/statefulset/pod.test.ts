import { expect } from 'chai'
import { hasIdentity, hasStorage, newPod, withIdentity, withStorage } from '../../../../../src/cluster/controllers/statefulset/pod.ts'
import { runAtOnce } from '../../../../../src/lib/steps.ts'
import { countedSteps } from '../../../../support/counted-steps.ts'
import { podOf, REVISIONS, statefulSet } from './sets.ts'

const CLAIMS = { volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: { resources: {} }, status: {} }] }

describe('pod of a stateful set', () => {
  it('has the name, labels, host name and volumes of its ordinal', () => {
    const { metadata, spec } = runAtOnce(newPod(statefulSet(CLAIMS), REVISIONS, 1, '1.33'))
    expect(metadata).to.include({ name: 'web-1', namespace: 'default' })
    expect(metadata).not.to.have.property('generateName')
    expect(metadata.labels).to.deep.equal({
      app: 'web',
      'controller-revision-hash': 'web-new',
      'statefulset.kubernetes.io/pod-name': 'web-1',
      'apps.kubernetes.io/pod-index': '1',
    })
    expect(spec).to.include({ hostname: 'web-1', subdomain: 'web' })
    expect(spec.volumes).to.deep.equal([{ name: 'data', persistentVolumeClaim: { claimName: 'data-web-1' } }])
  })

  it('has no label with its index before 1.28', () => {
    expect(runAtOnce(newPod(statefulSet(), REVISIONS, 0, '1.27')).metadata.labels).not.to.have.property('apps.kubernetes.io/pod-index')
  })

  it('has the current revision below the partition, and below the number of current pods without parameters', () => {
    const revisionOf = (ordinal: number, set = statefulSet()): string | undefined =>
      runAtOnce(newPod(set, REVISIONS, ordinal, '1.33')).metadata.labels?.['controller-revision-hash']
    const partitioned = statefulSet({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 2 } }, ordinals: { start: 5 } })
    expect([5, 6, 7].map(ordinal => revisionOf(ordinal, partitioned))).to.deep.equal(['web-old', 'web-old', 'web-new'])
    expect(revisionOf(0)).to.equal('web-new')
    const plain = statefulSet({ updateStrategy: { type: 'RollingUpdate' } })
    plain.status.currentReplicas = 1
    expect([0, 1].map(ordinal => revisionOf(ordinal, plain))).to.deep.equal(['web-old', 'web-new'])
    expect(revisionOf(0, statefulSet({ updateStrategy: { type: 'OnDelete' } }))).to.equal('web-new')
  })

  it('is repaired if a label or a volume is missing', () => {
    const set = statefulSet(CLAIMS)
    const pod = podOf(0)
    expect(hasIdentity(set, pod)).to.equal(true)
    pod.metadata.labels = { app: 'web' }
    expect(hasIdentity(set, pod)).to.equal(false)
    expect(hasIdentity(set, runAtOnce(withIdentity(set, pod, '1.33')))).to.equal(true)
    expect(hasStorage(set, pod)).to.equal(false)
    const other = { name: 'other', emptyDir: {} }
    const repaired = withStorage(set, { ...pod, spec: { containers: [], volumes: [{ name: 'data', emptyDir: {} }, other] } })
    expect(hasStorage(set, repaired)).to.equal(true)
    expect(repaired.spec.volumes).to.have.length(2)
  })

  it('gets many labels of the template in steps', () => {
    const labels = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`k${i}`, 'v']))
    const { update } = REVISIONS
    const large = { ...REVISIONS, update: { ...update, template: { ...update.template, metadata: { labels } } } }
    const { result, yields } = countedSteps(newPod(statefulSet(), large, 0, '1.33'))
    expect(yields).to.be.at.least(2 * Math.floor(20_000 / 512))
    expect(result.metadata.labels).to.deep.equal({
      ...labels,
      'controller-revision-hash': 'web-new',
      'statefulset.kubernetes.io/pod-name': 'web-0',
      'apps.kubernetes.io/pod-index': '0',
    })
    expect(labels).not.to.have.property('controller-revision-hash')
  })
})
