import { expect } from 'chai'
import type { Pod, Secret, ServiceAccount } from '../../../../../src/api/core/v1.types.ts'
import {
  dateText,
  isGenerated,
  isTrackedLongEnough,
  isUnused,
  referredSecrets,
  tokenFate,
} from '../../../../../src/cluster/controllers/legacytokencleaner/token-fate.ts'

const NOW = Date.parse('2030-06-01T12:00:00Z')
const YEAR_AGO = '2029-06-01'
const LAST_USED = 'kubernetes.io/legacy-token-last-used'
const INVALID_SINCE = 'kubernetes.io/legacy-token-invalid-since'

const secret = (metadata: Secret['metadata'] = {}): Secret => ({
  kind: 'Secret',
  apiVersion: 'v1',
  metadata: { name: 't', namespace: 'default', creationTimestamp: '2020-01-01T00:00:00Z', ...metadata },
  type: 'kubernetes.io/service-account-token',
})

describe('legacy tokens', () => {
  it('are unused if they are old and were not used for a year', () => {
    const labelled = (date: string): Secret => secret({ labels: { [LAST_USED]: date } })
    expect([secret(), labelled('2029-05-31')].map(each => isUnused(each, NOW))).to.deep.equal([true, true])
    const used = [
      labelled(YEAR_AGO),
      labelled('yesterday'),
      secret({ creationTimestamp: '2029-12-01T00:00:00Z' }),
      secret({ deletionTimestamp: '2030-06-01T00:00:00Z' }),
    ]
    expect(used.map(each => isUnused(each, NOW))).to.deep.equal([false, false, false, false])
  })

  it('are judged only if their use is recorded for more than a year', () => {
    expect(['2029-05-31', YEAR_AGO, '', 'x'].map(since => isTrackedLongEnough(since, NOW))).to.deep.equal([true, false, false, false])
  })

  it('are generated if their account lists them', () => {
    const account = (names: string[]): ServiceAccount => ({
      kind: 'ServiceAccount',
      apiVersion: 'v1',
      metadata: { name: 'a', uid: 'u' },
      secrets: names.map(name => ({ name })),
    })
    const of = (uid: string): Secret => secret({ annotations: { 'kubernetes.io/service-account.uid': uid } })
    expect(isGenerated(of('u'), account(['t']))).to.equal(true)
    expect(isGenerated(secret(), account(['t']))).to.equal(true)
    expect([
      isGenerated(of('u'), account(['other'])),
      isGenerated(of('old'), account(['t'])),
      isGenerated(of('u'), undefined),
    ]).to.deep.equal([false, false, false])
  })

  it('are marked first, and deleted a year later, unless a pod refers to them', () => {
    const marked = (date: string): Secret => secret({ labels: { [INVALID_SINCE]: date } })
    expect([secret(), marked('soon'), marked(YEAR_AGO), marked('2029-05-31')].map(each => tokenFate(each, false, NOW))).to.deep.equal([
      'mark',
      'mark',
      'keep',
      'delete',
    ])
    expect(tokenFate(marked('2020-01-01'), true, NOW)).to.equal('keep')
    expect(dateText(NOW)).to.equal('2030-06-01')
  })

  it('are found in volumes, variables and pull secrets of pods', () => {
    const spec: unknown = {
      imagePullSecrets: [{ name: 'a' }],
      volumes: [{ secret: { secretName: 'b' } }, { projected: { sources: [{ secret: { name: 'c' } }, {}] } }, { emptyDir: {} }],
      containers: [{ env: [{ valueFrom: { secretKeyRef: { name: 'd', key: 'k' } } }, { value: 'x' }] }],
      initContainers: [{ envFrom: [{ secretRef: { name: 'e' } }, { configMapRef: { name: 'f' } }] }],
    }
    expect([...referredSecrets([{ spec } as Pod])].toSorted()).to.deep.equal(['a', 'b', 'c', 'd', 'e'])
  })

  it('are used by ephemeral containers and by volumes of plugins', () => {
    const spec = {
      ephemeralContainers: [{ name: 'c', env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'a', key: 'k' } } }] }],
      volumes: [
        { name: 'v', azureFile: { secretName: 'b', shareName: 's' } },
        { name: 'w', rbd: { monitors: [], image: 'i', secretRef: { name: 'c' } } },
      ],
    }
    expect([...referredSecrets([{ spec } as unknown as Pod])].toSorted()).to.deep.equal(['a', 'b', 'c'])
  })
})
